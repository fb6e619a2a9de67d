/* SPDX-License-Identifier: MIT
 *
 * cordon audit export: prints one line per record. The format jsonl prints the exact bytes that are
 * chained and signed, so that others can verify them. The other formats are for tools. On a
 * terminal all formats are escaped, so jsonl does not print the exact bytes there.
 */
#include <string.h>
#include <unistd.h>

#include "base/scope.h"
#include "door/cli/audit.h"
#include "show/jsonval.h"

enum { HOSTNAME_ROOM = 256 };

/* MAKE NULL: print the record's own bytes. */
static const struct {
	const char *name;
	json_t *(*make)(const struct audit_event *e);
} formats[] = {{"jsonl", NULL}, {"ocsf", audit_ocsf}, {"cloudevents", audit_cloudevent}};

const char *audit_format_name(unsigned i)
{
	return i < ARRAY_SIZE(formats) ? formats[i].name : NULL;
}

struct export
{
	const struct audit *audit;
	char hostname[HOSTNAME_ROOM];
	bool terminal;
	uint64_t next, archived;
};

static int put_bytes(const struct export *x, const struct store_row *row, const json_t *body,
		     struct err *err)
{
	(void)body;
	if (!x->terminal) {
		fwrite(row->bytes, 1, row->len, stdout);
		putchar('\n');
		return 0;
	}
	json_t *record = json_loadb((const char *)row->bytes, row->len, 0, NULL);
	if (!record)
		return err_set(err, ERR_INPUT, "record %llu cannot be read",
			       (unsigned long long)row->seq);
	jsonval_print(record);
	return 0;
}

static int put_event(const struct export *x, const struct store_row *row, const struct record *r,
		     const json_t *body, struct err *err)
{
	struct audit_event e = {x->audit->origin, x->hostname, row, r, body};
	json_t *event = formats[x->audit->options->format].make(&e);

	if (!event)
		return err_memory(err);
	jsonval_print(event);
	return 0;
}

static int export_one(void *context, const struct store_row *row, struct err *err)
{
	struct export *x = context;
	struct record r;
	json_error_t why;

	x->next = row->seq + 1;
	if (record_is_stub(row->bytes, row->len)) {
		x->archived++;
		return 0;
	}

	if (record_decode(row->bytes, row->len, &r, err) < 0) {
		err_context(err, "record %llu", (unsigned long long)row->seq);
		err_cure(err, "run cordon audit verify");
		return -1;
	}
	if (!formats[x->audit->options->format].make)
		return put_bytes(x, row, NULL, err);
	json_t *body = json_loadb((const char *)r.body.data, r.body.len, 0, &why);
	int done = body ? put_event(x, row, &r, body, err)
			: err_set(err, ERR_INPUT, "record %llu: %s", (unsigned long long)row->seq,
				  why.text);
	json_decref(body);
	return done;
}

int audit_export(struct audit *a, struct err *err)
{
	struct export x = {.audit = a, .terminal = isatty(STDOUT_FILENO) == 1};
	char key[NOTE_VKEY_MAX];

	if (store_vkey(a->state->store, key, err) < 0)
		return -1;
	snprintf(a->origin, sizeof(a->origin), "%.*s", (int)strcspn(key, "+"), key);
	if (gethostname(x.hostname, sizeof(x.hostname) - 1) < 0 || !x.hostname[0])
		snprintf(x.hostname, sizeof(x.hostname), "localhost");
	x.next = a->options->from;
	int r = store_read(a->state->store, x.next, 0, export_one, &x, err);
	if (r == 0 && x.archived)
		fprintf(stderr, "cordon: %llu records are in archives, and not here\n",
			(unsigned long long)x.archived);
	return r == 0 && a->options->follow
		       ? audit_follow(a->state->store, &x.next, export_one, &x, err)
		       : r;
}
