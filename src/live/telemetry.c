/* SPDX-License-Identifier: MIT
 *
 * See telemetry.h. An event is a line "EVENT tab LINE tab ARGUMENTS". Any other line, or one that
 * is too long, is dropped and counted. There are limits for the bytes read, the events per second
 * and per run, and the events kept. So the program cannot cause more work than that.
 */
#include "live/telemetry.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/io.h"
#include "base/scope.h"

enum { LINE_MAX_LEN = 512, READ_LEN = 65536, EXPLANATION_MAX = 800 };

struct telemetry {
	int fd;
	const struct launch_sink *sink;
	struct result *result;
	char line[LINE_MAX_LEN];
	size_t len;
	bool too_long;
	uint64_t bytes, second, in_second;
	size_t recentc; /* the number of all events; the last ones are in RECENT */
	struct telemetry_event recent[TELEMETRY_RECENT];
};

struct telemetry *telemetry_new(int fd, const struct launch_sink *sink, struct result *result)
{
	struct telemetry *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->fd = fd;
	t->sink = sink;
	t->result = result;
	return t;
}

void telemetry_free(struct telemetry *t)
{
	if (t)
		scope_close(&t->fd);
	free(t);
}

int telemetry_fd(const struct telemetry *t)
{
	return t ? t->fd : -1;
}

static struct telemetry_event *recent(struct telemetry *t, size_t back)
{
	return &t->recent[(t->recentc - 1 - back) % TELEMETRY_RECENT];
}

static size_t recent_count(const struct telemetry *t)
{
	return t->recentc < TELEMETRY_RECENT ? t->recentc : TELEMETRY_RECENT;
}

/* Copies one field, up to the next tab, with "?" for what is not printable ASCII. False: it is too
 * long. */
static bool take_field(const char **at, const char *end, char *out, size_t size)
{
	const char *tab = memchr(*at, '\t', (size_t)(end - *at));
	size_t len = (size_t)((tab ? tab : end) - *at);

	if (len >= size)
		return false;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)(*at)[i];
		out[i] = (char)(c < 0x20 || c > 0x7e ? '?' : c);
	}
	out[len] = '\0';
	*at = tab ? tab + 1 : end;
	return tab || *at == end;
}

static bool parse(const char *line, size_t len, struct telemetry_event *ret)
{
	const char *at = line, *end = line + len;
	char number[12], *rest;

	memset(ret, 0, sizeof(*ret));
	if (!take_field(&at, end, ret->audit, sizeof(ret->audit)) || !ret->audit[0] ||
	    !take_field(&at, end, number, sizeof(number)) ||
	    !take_field(&at, end, ret->args, sizeof(ret->args)) || at != end)
		return false;
	unsigned long n = strtoul(number, &rest, 10);
	ret->line = n < 100000000 ? (unsigned)n : 0;
	return number[0] >= '0' && number[0] <= '9' && !*rest;
}

static bool has_room(struct telemetry *t)
{
	uint64_t now = io_now_ns() / 1000000000U;

	if (now != t->second) {
		t->second = now;
		t->in_second = 0;
	}
	return t->in_second++ < TELEMETRY_SECOND_MAX &&
	       t->result->telemetry.told < TELEMETRY_EVENTS_MAX;
}

static void explain(struct telemetry *t, const char *words)
{
	struct result_telemetry *r = &t->result->telemetry;

	for (size_t i = 0; i < r->explainedc; i++)
		if (strcmp(r->explained[i], words) == 0)
			return;
	if (r->explainedc == RESULT_EXPLAINED_MAX)
		return;
	r->explained[r->explainedc] = strdup(words);
	r->explainedc += r->explained[r->explainedc] != NULL;
}

/* The errors of a program that the box may have caused. Calls that the filter refused come as
 * denials instead. */
static const struct {
	int error;
	const char *by;
} errors[] = {
	{EACCES, "the box, which grants no such right, or by the file's permissions"},
	{ENOENT, "the box, which does not show it; or it does not exist"},
	{EROFS, "the box, where it is read-only"},
	{ENETUNREACH, "the box, which has no network"},
};

/* An OSError that the program did not catch: "ERRNO, FILE". The last event on the same line is the
 * call that failed. */
static void join_error(struct telemetry *t, const struct telemetry_event *e)
{
	char words[EXPLANATION_MAX];
	const char *by = NULL;
	int error = atoi(e->args);

	for (size_t i = 0; i < ARRAY_SIZE(errors); i++)
		if (errors[i].error == error)
			by = errors[i].by;
	for (size_t back = 0; by && back < recent_count(t); back++) {
		const struct telemetry_event *event = recent(t, back);
		if (event->line != e->line || strcmp(event->audit, "import") == 0)
			continue;
		snprintf(words, sizeof(words), "%s(%s) at line %u was refused by %s", event->audit,
			 event->args, event->line, by);
		explain(t, words);
		return;
	}
}

static void take_line(struct telemetry *t)
{
	struct telemetry_event e;

	if (t->too_long || !parse(t->line, t->len, &e)) {
		t->result->telemetry.dropped++;
		return;
	}
	if (strcmp(e.audit, "cordon.raised") == 0)
		join_error(t, &e);
	t->recentc++;
	*recent(t, 0) = e;
	if (!has_room(t)) {
		t->result->telemetry.dropped++;
		return;
	}
	t->result->telemetry.told++;
	if (t->sink->telemetry)
		t->sink->telemetry(t->sink->ctx, &e);
}

static void take_byte(struct telemetry *t, char c)
{
	if (c == '\n') {
		take_line(t);
		t->len = 0;
		t->too_long = false;
	} else if (t->len < sizeof(t->line)) {
		t->line[t->len++] = c;
	} else {
		t->too_long = true;
	}
}

void telemetry_read(struct telemetry *t)
{
	char data[READ_LEN];
	ssize_t n = 0;

	while (t && t->fd >= 0 && (n = recv(t->fd, data, sizeof(data), MSG_DONTWAIT)) > 0) {
		for (ssize_t i = 0; i < n; i++)
			take_byte(t, data[i]);
		t->bytes += (uint64_t)n;
		if (t->bytes >= TELEMETRY_BYTES_MAX)
			scope_close(&t->fd);
	}
	if (t && n <= 0 && !(n < 0 && (errno == EAGAIN || errno == EINTR)))
		scope_close(&t->fd);
}

/* The events that can lead to a refused call. */
static const struct {
	const char *call, *audit; /* prefixes */
} leads[] = {
	{"exec", "subprocess.Popen"}, {"exec", "os.exec"},   {"exec", "os.posix_spawn"},
	{"exec", "os.system"},	      {"exec", "pty.spawn"}, {"socket", "socket."},
	{"connect", "socket."},	      {"", "ctypes."},
};

/* How well an event matches a refused call. The denial may arrive late, after other events, so the
 * last event is not always the right one. */
enum fit { FIT_NOT, FIT_ANY, FIT_CALL, FIT_TARGET };

static enum fit fit(const struct telemetry_event *e, const char *call, const char *target)
{
	for (size_t i = 0; i < ARRAY_SIZE(leads); i++)
		if (strncmp(call, leads[i].call, strlen(leads[i].call)) == 0 &&
		    strncmp(e->audit, leads[i].audit, strlen(leads[i].audit)) == 0)
			return !leads[i].call[0]		    ? FIT_ANY
			       : *target && strstr(e->args, target) ? FIT_TARGET
								    : FIT_CALL;
	return FIT_NOT;
}

/* The event with the best match, the last one of equals; or NULL. A program is compared by its
 * base name, because the interpreter may have searched PATH for it. */
static const struct telemetry_event *find(struct telemetry *t, const struct wire_denial *d)
{
	const struct telemetry_event *best = NULL;
	char target[sizeof(d->target) + 1];
	enum fit most = FIT_NOT;

	snprintf(target, sizeof(target), "%.*s", (int)sizeof(d->target), d->target);
	const char *slash = strrchr(target, '/'), *name = slash && slash[1] ? slash + 1 : target;
	for (size_t back = 0; back < recent_count(t); back++) {
		const struct telemetry_event *e = recent(t, back);
		enum fit f = fit(e, d->call, name);
		if (f > most) {
			most = f;
			best = e;
		}
	}
	return best;
}

/* The interpreter reports an event before it makes the call, so the event has arrived when the
 * denial does. */
void telemetry_join(struct telemetry *t, const struct wire_denial *d)
{
	char words[EXPLANATION_MAX];

	if (!t)
		return;
	telemetry_read(t);
	const struct telemetry_event *e = find(t, d);
	if (!e)
		return;
	snprintf(words, sizeof(words), "%s(%s) at line %u was refused by the box: %.31s, %.95s",
		 e->audit, e->args, e->line, d->call, d->rule);
	explain(t, words);
}
