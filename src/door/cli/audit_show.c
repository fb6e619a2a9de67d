/* SPDX-License-Identifier: MIT
 *
 * Prints records for people and programs; cordon audit tail. Each value in a line is JSON, so that
 * no value can imitate the name of another.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/scope.h"
#include "door/cli/audit.h"
#include "show/jsonval.h"
#include "show/terminal.h"

enum { FOLLOW_NS = 200000000 };

json_t *audit_record_json(const struct store_row *row)
{
	json_t *record = json_loadb((const char *)row->bytes, row->len, 0, NULL);

	if (record)
		json_object_set_new(record, "hash", jsonval_hex(row->hash, RECORD_HASH));
	return record;
}

/* VALUE is JSON: quotes in it are escaped. A truncated text is ended by a quote too. */
static void show_value(struct jcs_span value)
{
	const char *text = (const char *)value.data;
	bool is_text = value.len > 1 && *text == '"';

	if (is_text)
		putchar('"');
	size_t more = terminal_short(stdout, text + is_text, value.len - (is_text ? 2 : 0));
	if (is_text)
		putchar('"');
	if (more)
		printf(TERMINAL_MORE, more);
}

/* Reads members of a canonical object from its bytes; NAME is plain ASCII. */
static void show_members(struct jcs_span body)
{
	size_t at = 1;

	while (at < body.len && body.data[at] == '"') {
		size_t name = jcs_value(body.data + at, body.len - at), from = at + name + 1;
		size_t len =
			name && from < body.len ? jcs_value(body.data + from, body.len - from) : 0;
		if (!len)
			return;
		bool nested = body.data[from] == '{' || body.data[from] == '[';
		if (!nested) {
			printf("  %.*s=", (int)(name - 2), (const char *)body.data + at + 1);
			show_value((struct jcs_span){body.data + from, len});
		}
		at = from + len + 1;
	}
}

void audit_line(const struct record *r)
{
	char when[TERMINAL_TIME_MAX], ref[RECORD_REF_MAX + 1];

	printf("%llu  %s  %-10s", (unsigned long long)r->seq, terminal_time(r->time, when),
	       record_kind_name(r->kind));
	for (size_t at = 0; record_next_ref(r, &at, ref);)
		printf("  %s", ref);
	show_members(r->body);
	putchar('\n');
}

/* tail */
struct tail {
	const struct audit *audit;
	uint64_t next;
};

static int tell_stub(const struct audit *a, const struct store_row *row)
{
	if (a->call->json)
		jsonval_print(json_pack("{s:I, s:o, s:b}", "seq", (json_int_t)row->seq, "hash",
					jsonval_hex(row->hash, RECORD_HASH), "archived", 1));
	else
		printf("%llu  archived\n", (unsigned long long)row->seq);
	return 0;
}

static int tail_one(void *context, const struct store_row *row, struct err *err)
{
	struct tail *t = context;
	struct record r;

	t->next = row->seq + 1;
	if (record_is_stub(row->bytes, row->len))
		return tell_stub(t->audit, row);
	if (record_decode(row->bytes, row->len, &r, err) < 0) {
		err_context(err, "record %llu", (unsigned long long)row->seq);
		err_cure(err, "run cordon audit verify");
		return -1;
	}
	if (!t->audit->call->json) {
		audit_line(&r);
		return 0;
	}
	json_t *record = audit_record_json(row);
	if (!record)
		return err_set(err, ERR_INPUT, "record %llu cannot be read",
			       (unsigned long long)row->seq);
	jsonval_print(record);
	return 0;
}

/* The pipe's reader has gone. A write would fail too, but the next record may be days away. */
static bool is_read(void)
{
	struct pollfd p = {.fd = STDOUT_FILENO};

	return fflush(stdout) == 0 && !ferror(stdout) &&
	       !(poll(&p, 1, 0) > 0 && p.revents & (POLLERR | POLLHUP));
}

int audit_follow(struct store *s, uint64_t *next, store_row_fn *fn, void *context, struct err *err)
{
	struct timespec nap = {.tv_nsec = FOLLOW_NS};
	uint64_t size = 0;

	while (is_read()) {
		nanosleep(&nap, NULL);
		if (store_size(s, &size, err) < 0)
			return -1;
		if (size < *next) {
			err_set(err, ERR_REFUSED, "the log is shorter than it was");
			err_cure(err, "an older one was put in its place: cordon audit verify");
			return -1;
		}
		if (size > *next && store_read(s, *next, size - *next, fn, context, err) < 0)
			return -1;
	}
	return 0;
}

int audit_tail(struct audit *a, struct err *err)
{
	const struct audit_options *g = a->options;
	uint64_t lines = g->has_lines ? g->lines : AUDIT_LINES, size = 0;
	struct tail t = {.audit = a};

	if (store_size(a->state->store, &size, err) < 0)
		return -1;
	t.next = size > lines ? size - lines : 0;
	if (lines && store_read(a->state->store, t.next, 0, tail_one, &t, err) < 0)
		return -1;
	if (!lines)
		t.next = size;
	return g->follow ? audit_follow(a->state->store, &t.next, tail_one, &t, err) : 0;
}
