/* SPDX-License-Identifier: MIT
 *
 * What the verbs of `cordon audit` share. Much of what the log holds was written by strangers: a
 * person sees it escaped, behind words of ours; a program gets JSON.
 */
#ifndef CORDON_CLI_AUDIT_H
#define CORDON_CLI_AUDIT_H

#include "cli/gate.h"
#include "store/note.h"
#include "store/record.h"

enum {
	AUDIT_LINES = 10, /* that tail shows */
	AUDIT_LINES_MAX = 1000000,
};

struct audit {
	struct cli_call *call;
	struct gate_state *state;
	char origin[NOTE_ORIGIN_MAX + 1]; /* the log's name */
};

/* The verbs. 0 or an exit status; -1 with ERR. */
int audit_tail(struct audit *a, struct err *err);
int audit_trace(struct audit *a, struct err *err);
int audit_verify(struct audit *a, struct err *err);
int audit_export(struct audit *a, struct err *err);
int audit_prove(struct audit *a, struct err *err);
int audit_check(struct audit *a, struct err *err); /* without a state */

/* A key as it is, or a file with one. */
int audit_read_key(const char *word, char ret[NOTE_VKEY_MAX], struct err *err);

/* audit_show.c */
/* A record as JSON, with its hash and its refs; NULL: it cannot be read. */
json_t *audit_record_json(const struct store_row *row);
/* One line for a person. */
void audit_line(const struct record *r);
/* One or the other, on standard output. */
int audit_tell(const struct audit *a, const struct store_row *row, const struct record *r,
	       struct err *err);

/* audit_export.c: NULL past the end. */
const char *audit_format_name(unsigned i);

/* audit_ocsf.c: one record as an event of the Open Cybersecurity Schema Framework. */
struct audit_event {
	const char *origin, *hostname;
	const struct store_row *row;
	const struct record *record;
	const json_t *body;
};
json_t *audit_ocsf(const struct audit_event *e);
json_t *audit_cloudevent(const struct audit_event *e);

#endif
