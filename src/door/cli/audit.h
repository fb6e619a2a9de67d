/* SPDX-License-Identifier: MIT
 *
 * What the verbs of `cordon audit` share. Much of the log's text is untrusted: for people it is
 * escaped and stands behind words of Cordon's, for programs it is JSON.
 */
#ifndef CORDON_CLI_AUDIT_H
#define CORDON_CLI_AUDIT_H

#include "door/cli/cli.h"
#include "door/cli/open_state.h"
#include "show/jsonval.h"
#include "show/verdict_json.h"
#include "store/archive.h"
#include "store/note.h"
#include "store/record.h"

enum {
	AUDIT_LINES = 10, /* default of tail */
	AUDIT_LINES_MAX = 1000000,
	AUDIT_ARCHIVES_MAX = 64,
};

struct audit_options {
	const char *checkpoint, *heads, *key; /* files, or a key itself */
	const char *before;
	size_t archivec;
	const char *archive[AUDIT_ARCHIVES_MAX];
	uint64_t lines, from;
	unsigned format;
	bool has_lines, follow;
};

struct audit {
	struct cli_call *call;
	const struct audit_options *options;
	struct gate_state *state;
	char origin[NOTE_ORIGIN_MAX + 1]; /* the log's name */
};

/* Their JSON. */
extern const struct json_field audit_verify_fields[], audit_trace_fields[],
	audit_checkpoint_fields[], audit_key_fields[], audit_rotate_fields[], audit_accept_fields[],
	audit_prove_fields[], audit_archive_fields[];

/* The verbs. 0 or an exit status; -1 with ERR. */
int audit_tail(struct audit *a, struct err *err);
int audit_trace(struct audit *a, struct err *err);
int audit_verify(struct audit *a, struct err *err);
int audit_checkpoint(struct audit *a, struct err *err);
int audit_show_key(struct audit *a, struct err *err);
int audit_rotate(struct audit *a, struct err *err);
int audit_export(struct audit *a, struct err *err);
int audit_accept(struct audit *a, struct err *err);
int audit_prove(struct audit *a, struct err *err);
int audit_archive(struct audit *a, struct err *err);
int audit_check(struct audit *a, struct err *err); /* needs no state */

/* WORD is a public key, or a file with one. */
int audit_read_key(const char *word, char ret[NOTE_VKEY_MAX], struct err *err);

/* audit_archive.c */
/* The time before which records should be archived, if there are such records; or 0. */
uint64_t audit_overdue(struct audit *a);
/* Loads the files of --archive. */
int audit_load_archives(const struct audit *a, struct archive_set *set, struct err *err);

/* audit_show.c */
/* A record as JSON, with its hash and its refs; NULL if it is not valid. */
json_t *audit_record_json(const struct store_row *row);
/* One line for a person. */
void audit_line(const struct record *r);

/* Calls FN for each new record from *NEXT on; FN advances *NEXT. Returns when the reader of
 * standard output has gone. */
int audit_follow(struct store *s, uint64_t *next, store_row_fn *fn, void *context, struct err *err);

/* audit_export.c: the I-th format; NULL past the end. */
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
