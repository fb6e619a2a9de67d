/* SPDX-License-Identifier: MIT
 *
 * cordon audit export: one line a record. jsonl are the very bytes that are chained and signed, so
 * that others can check them; the other formats say the same in other people's words, for their
 * tools. On a terminal what it would obey is escaped, also in jsonl: those are then not the bytes.
 */
#include <string.h>
#include <unistd.h>

#include "base/scope.h"
#include "cli/audit.h"
#include "cli/jsonval.h"

enum { HOSTNAME_ROOM = 256 };

/* MAKE NULL: the record's own bytes. */
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
	json_t *event = formats[x->audit->call->gate.format].make(&e);

	if (!event)
		return err_memory(err);
	jsonval_print(event);
	return 0;
}

static int export_one(void *context, const struct store_row *row, struct err *err)
{
	const struct export *x = context;
	struct record r;
	json_error_t why;

	if (record_decode(row->bytes, row->len, &r, err) < 0) {
		err_context(err, "record %llu", (unsigned long long)row->seq);
		err_cure(err, "cordon audit verify says what is wrong");
		return -1;
	}
	if (!formats[x->audit->call->gate.format].make)
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
	return store_read(a->state->store, a->call->gate.from, 0, export_one, &x, err);
}
