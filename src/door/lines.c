/* SPDX-License-Identifier: MIT
 *
 * See lines.h. The descriptors' flags are never changed, because other processes may share them.
 */
#include "door/lines.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/scope.h"

enum { READ_SIZE = 65536, KEEP_SIZE = 1 << 20 };

/* ---- reading ---- */

/* Moves what is left to the front, and returns the memory of a long line when it is read. */
static int make_room(struct lines_in *in)
{
	size_t left = in->len - in->at, size = in->size;

	if (in->at)
		memmove(in->data, in->data + in->at, left);
	in->seen -= in->at;
	in->len = left;
	in->at = 0;
	if (size > KEEP_SIZE && left < KEEP_SIZE / 2)
		size = KEEP_SIZE;
	while (size - left < READ_SIZE)
		size = size ? size * 2 : 2 * READ_SIZE;
	if (size == in->size)
		return 0;
	char *data = realloc(in->data, size);
	if (!data)
		return -1;
	in->data = data;
	in->size = size;
	return 0;
}

int lines_read(struct lines_in *in, struct err *err)
{
	if (in->fd < 0)
		return 0;
	if (make_room(in) < 0)
		return err_memory(err);
	ssize_t n = read(in->fd, in->data + in->len, READ_SIZE);
	if (n > 0)
		in->len += (size_t)n;
	else if (n == 0 || (errno != EINTR && errno != EAGAIN))
		in->fd = -1;
	return 0;
}

static enum lines_event at_end(struct lines_in *in, struct lines_text *ret)
{
	*ret = (struct lines_text){in->data + in->at, in->len - in->at};
	in->at = in->seen = in->len;
	return ret->len && !in->skips ? LINES_HALF : LINES_END;
}

enum lines_event lines_next(struct lines_in *in, struct lines_text *ret)
{
	for (;;) {
		size_t unseen = in->len - in->seen;
		char *end = unseen ? memchr(in->data + in->seen, '\n', unseen) : NULL;
		size_t stop = end ? (size_t)(end - in->data) : in->len;
		bool was_skipped = in->skips, is_long = stop - in->at > in->max;

		*ret = (struct lines_text){in->data + in->at, stop - in->at};
		if (!end && !was_skipped && !is_long) {
			in->seen = in->len;
			return in->fd < 0 ? at_end(in, ret) : LINES_NONE;
		}
		in->skips = !end;
		in->at = in->seen = end ? stop + 1 : stop;
		if (is_long && !was_skipped)
			return LINES_TOO_LONG;
		if (end && !was_skipped)
			return LINES_LINE;
		if (!end)
			return in->fd < 0 ? LINES_END : LINES_NONE;
	}
}

void lines_in_done(struct lines_in *in)
{
	free(in->data);
	*in = (struct lines_in){.fd = -1};
}

/* ---- writing ---- */

size_t lines_waiting(const struct lines_out *out)
{
	return out->len - out->at;
}

/* A pipe that is ready takes PIPE_BUF bytes without blocking. */
static ssize_t write_some(int fd, const char *data, size_t len)
{
	ssize_t n = send(fd, data, len, MSG_DONTWAIT | MSG_NOSIGNAL);
	struct pollfd ready = {.fd = fd, .events = POLLOUT};

	if (n >= 0 || errno != ENOTSOCK)
		return n;
	errno = EAGAIN;
	if (poll(&ready, 1, 0) != 1)
		return -1;
	return write(fd, data, len < PIPE_BUF ? len : PIPE_BUF);
}

void lines_flush(struct lines_out *out)
{
	while (out->fd >= 0 && out->at < out->len) {
		ssize_t n = write_some(out->fd, out->data + out->at, out->len - out->at);
		if (n >= 0)
			out->at += (size_t)n;
		else if (errno == EAGAIN || errno == EINTR)
			return;
		else
			out->fd = -1;
	}
	out->at = out->len = 0;
	if (out->size > KEEP_SIZE) {
		free(out->data);
		out->data = NULL;
		out->size = 0;
	}
}

static int queue(struct lines_out *out, const char *data, size_t len)
{
	if (out->at) {
		memmove(out->data, out->data + out->at, out->len - out->at);
		out->len -= out->at;
		out->at = 0;
	}
	if (out->size - out->len < len) {
		size_t size = (out->len + len) * 2;
		char *grown = realloc(out->data, size);
		if (!grown)
			return -1;
		out->data = grown;
		out->size = size;
	}
	memcpy(out->data + out->len, data, len);
	out->len += len;
	return 0;
}

int lines_bytes(struct lines_out *out, const char *data, size_t len, struct err *err)
{
	if (out->fd < 0)
		return 0;
	if (queue(out, data, len) < 0)
		return err_memory(err);
	lines_flush(out);
	return 0;
}

int lines_put(struct lines_out *out, const char *data, size_t len, struct err *err)
{
	if (out->fd < 0)
		return 0;
	if (queue(out, data, len) < 0 || queue(out, "\n", 1) < 0)
		return err_memory(err);
	lines_flush(out);
	return 0;
}

int lines_send(struct lines_out *out, json_t *message, struct err *err)
{
	AUTO_FREE char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;

	json_decref(message);
	return text ? lines_put(out, text, strlen(text), err) : err_memory(err);
}

struct pollfd lines_wants(const struct lines_out *out)
{
	return (struct pollfd){.fd = out->at < out->len ? out->fd : -1, .events = POLLOUT};
}

void lines_out_done(struct lines_out *out)
{
	free(out->data);
	*out = (struct lines_out){.fd = -1};
}

/* ---- parsing ---- */

/* Before any of it is in memory as values, each of which takes more than its bytes. */
static int check_shape(struct lines_text line, struct err *err)
{
	size_t depth = 0, values = 1;
	bool in_string = false;

	for (size_t i = 0; i < line.len; i++) {
		char c = line.data[i];
		if (in_string) {
			i += c == '\\';
			in_string = c != '"';
		} else if (c == '"') {
			in_string = true;
		} else if (c == '{' || c == '[') {
			depth++;
			values++;
		} else if (c == '}' || c == ']') {
			depth -= depth > 0;
		} else if (c == ',') {
			values++;
		}
		if (depth > LINES_DEPTH_MAX)
			return err_set(err, ERR_LIMIT, "a message has at most %d levels",
				       LINES_DEPTH_MAX);
		if (values > LINES_VALUES_MAX)
			return err_set(err, ERR_LIMIT, "a message has at most %d values",
				       LINES_VALUES_MAX);
	}
	return 0;
}

json_t *lines_parse(struct lines_text line, struct err *err)
{
	json_error_t why;

	if (check_shape(line, err) < 0)
		return NULL;
	json_t *message = json_loadb(line.data, line.len, JSON_REJECT_DUPLICATES, &why);
	if (!message) {
		err_set(err, ERR_INPUT, "the line is not JSON: %.160s, at byte %d", why.text,
			why.position);
	} else if (!json_is_object(message)) {
		err_set(err, ERR_INPUT, "the line is not a JSON object");
		json_decref(message);
		message = NULL;
	}
	return message;
}
