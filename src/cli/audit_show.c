/* SPDX-License-Identifier: MIT
 *
 * Records for people and programs, and tail. A line is ours up to the first value; values are
 * JSON, so that none can look like another one's name.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/scope.h"
#include "cli/audit.h"
#include "cli/jsonval.h"
#include "cli/shown.h"

enum { FOLLOW_NS = 200000000 };

json_t *audit_record_json(const struct store_row *row)
{
	json_t *record = json_loadb((const char *)row->bytes, row->len, 0, NULL);

	if (record)
		json_object_set_new(record, "hash", gate_hex_json(row->hash, RECORD_HASH));
	return record;
}

/* Its bytes are JSON: quotes in a text are escaped, and it ends with one, also where it is cut. */
static void show_value(struct jcs_span value)
{
	const char *text = (const char *)value.data;
	bool is_text = value.len > 1 && *text == '"';

	if (is_text)
		putchar('"');
	size_t more = shown_short(stdout, text + is_text, value.len - (is_text ? 2 : 0));
	if (is_text)
		putchar('"');
	if (more)
		printf(SHOWN_MORE, more);
}

/* The members of a canonical object by the bytes; NAME is plain ASCII. */
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
	char when[GATE_TIME_MAX], ref[RECORD_REF_MAX + 1];

	printf("%llu  %s  %-10s", (unsigned long long)r->seq, gate_time(r->time, when),
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

int audit_tell(const struct audit *a, const struct store_row *row, const struct record *r,
	       struct err *err)
{
	if (!a->call->json) {
		audit_line(r);
		return 0;
	}
	json_t *record = audit_record_json(row);
	if (!record)
		return err_set(err, ERR_INPUT, "record %llu cannot be read",
			       (unsigned long long)row->seq);
	jsonval_print(record);
	return 0;
}

static int tail_one(void *context, const struct store_row *row, struct err *err)
{
	struct tail *t = context;
	struct record r;

	if (record_decode(row->bytes, row->len, &r, err) < 0) {
		err_context(err, "record %llu", (unsigned long long)row->seq);
		err_cure(err, "cordon audit verify says what is wrong");
		return -1;
	}
	t->next = row->seq + 1;
	return audit_tell(t->audit, row, &r, err);
}

/* Until somebody ends it, or nobody reads any more. */
static int follow(struct tail *t, struct store *s, struct err *err)
{
	struct timespec nap = {.tv_nsec = FOLLOW_NS};

	while (fflush(stdout) == 0 && !ferror(stdout)) {
		nanosleep(&nap, NULL);
		if (store_read(s, t->next, 0, tail_one, t, err) < 0)
			return -1;
	}
	return 0;
}

int audit_tail(struct audit *a, struct err *err)
{
	const struct cli_gate *g = &a->call->gate;
	uint64_t lines = g->has_lines ? g->lines : AUDIT_LINES, size = 0;
	struct tail t = {.audit = a};

	if (store_size(a->state->store, &size, err) < 0)
		return -1;
	t.next = size > lines ? size - lines : 0;
	if (lines && store_read(a->state->store, t.next, 0, tail_one, &t, err) < 0)
		return -1;
	if (!lines)
		t.next = size;
	return g->follow ? follow(&t, a->state->store, err) : 0;
}
