/* SPDX-License-Identifier: MIT
 *
 * Reads the lines of a run. A stream that ends without a result is an error: an incomplete answer
 * must not look like a complete one.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "private.h"

struct reader {
	struct cordon *c;
	struct cordon_result *result;
	bool done;
};

static int append(struct text *t, const char *data, size_t len)
{
	char *grown = realloc(t->data, t->len + len + 1);

	if (!grown)
		return -1;
	memcpy(grown + t->len, data, len);
	t->data = grown;
	t->len += len;
	grown[t->len] = '\0';
	return 0;
}

static int digit(unsigned char c)
{
	return c >= 'A' && c <= 'Z'   ? c - 'A'
	       : c >= 'a' && c <= 'z' ? c - 'a' + 26
	       : c >= '0' && c <= '9' ? c - '0' + 52
	       : c == '+'	      ? 62
	       : c == '/'	      ? 63
				      : -1;
}

/* Decodes base64 in place and returns the number of bytes. */
static size_t decode_base64(char *text)
{
	size_t len = 0;
	unsigned bits = 0, value = 0;

	for (char *p = text; *p && digit((unsigned char)*p) >= 0; p++) {
		value = value << 6 | (unsigned)digit((unsigned char)*p);
		bits += 6;
		if (bits < 8)
			continue;
		bits -= 8;
		text[len++] = (char)(value >> bits);
		value &= (1U << bits) - 1;
	}
	return len;
}

static int take_output(struct reader *r, int stream, json_t *event)
{
	json_t *data = json_object_get(event, "data");
	const char *encoding = json_string_value(json_object_get(event, "encoding"));
	size_t len = json_string_length(data);

	if (!json_is_string(data))
		return fail(r->c, "invalid event from cordon");
	char *copy = malloc(len + 1);
	if (!copy)
		return fail(r->c, "out of memory");
	memcpy(copy, json_string_value(data), len);
	copy[len] = '\0';
	if (encoding && strcmp(encoding, "base64") == 0)
		len = decode_base64(copy);
	int kept = append(&r->result->out[stream], copy, len);
	int stop = kept == 0 && r->c->output && len ? r->c->output(r->c->ctx, stream + 1, copy, len)
						    : 0;
	free(copy);
	if (kept < 0)
		return fail(r->c, "out of memory");
	return stop ? fail(r->c, "ended by the caller") : 0;
}

static int take_result(struct reader *r, json_t *event)
{
	json_t *error = json_object_get(event, "error");
	const char *message = json_string_value(json_object_get(error, "message"));
	const char *cause = json_string_value(json_object_get(error, "cause"));

	r->done = true;
	r->result->object = json_incref(event);
	r->result->json = json_dumps(event, JSON_COMPACT);
	if (message && asprintf(&r->result->reason, "%s%s%s", message, cause && *cause ? ": " : "",
				cause ? cause : "") < 0) {
		r->result->reason = NULL;
		return fail(r->c, "out of memory");
	}
	return r->result->json ? 0 : fail(r->c, "out of memory");
}

static int take_line(struct reader *r, const char *line, size_t len)
{
	json_t *event = json_loadb(line, len, JSON_ALLOW_NUL, NULL);
	const char *kind = json_string_value(json_object_get(event, "event"));
	int status = 0;

	if (!kind || r->done)
		status = fail(r->c, "invalid event from cordon");
	else if (strcmp(kind, "stdout") == 0 || strcmp(kind, "stderr") == 0)
		status = take_output(r, strcmp(kind, "stderr") == 0, event);
	else if (strcmp(kind, "result") == 0)
		status = take_result(r, event);
	json_decref(event);
	return status;
}

/* Takes all whole lines of HELD. The rest moves to its beginning. */
static int take_lines(struct reader *r, struct text *held)
{
	size_t from = 0;
	char *end;

	while (held->len > from && (end = memchr(held->data + from, '\n', held->len - from))) {
		size_t len = (size_t)(end - held->data) - from;
		if (take_line(r, held->data + from, len) < 0)
			return -1;
		from += len + 1;
	}
	memmove(held->data, held->data + from, held->len - from);
	held->len -= from;
	return held->len > LINE_LEN_MAX ? fail(r->c, "line longer than %d bytes", LINE_LEN_MAX) : 0;
}

static int read_lines(struct reader *r, int fd)
{
	struct text held = {0};
	char data[65536];
	int status = 0;

	while (status == 0) {
		ssize_t n = read(fd, data, sizeof(data));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		status = append(&held, data, (size_t)n) < 0 ? fail(r->c, "out of memory")
							    : take_lines(r, &held);
	}
	free(held.data);
	return status;
}

static int explain(struct cordon *c, int status, const char *errors)
{
	if (WIFSIGNALED(status))
		return fail(c, "cordon was killed by signal %d before it returned a result",
			    WTERMSIG(status));
	return fail(c, "cordon exited with status %d and returned no result%s%.600s",
		    WEXITSTATUS(status), *errors ? ": " : "", errors);
}

int cordon_run(struct cordon *c, const void *code, size_t len, struct cordon_result **ret)
{
	struct reader r = {.c = c, .result = calloc(1, sizeof(*r.result))};
	struct child child;
	char errors[ERROR_MAX];
	int status = 0;

	c->error[0] = '\0';
	if (!r.result)
		return fail(c, "out of memory");
	int done = child_start(c, code, len, &child);
	if (done == 0)
		done = read_lines(&r, child.out);
	child_end(&child, done < 0, &status, errors, sizeof(errors));
	if (done == 0 && !r.done)
		done = explain(c, status, errors);
	if (done < 0)
		cordon_result_free(r.result);
	else
		*ret = r.result;
	return done;
}
