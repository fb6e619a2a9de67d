/* SPDX-License-Identifier: MIT
 *
 * What making a database (db.c) and scanning with it (db_scan.c) share.
 */
#ifndef CORDON_SCAN_DB_PRIVATE_H
#define CORDON_SCAN_DB_PRIVATE_H

#include "scan/db.h"
#include "scan/table.h"

/* Why a pattern is no expression. */
struct db_refusal {
	uint32_t number, code;
	char message[512];
};

/* Where a pattern's source is. */
struct db_place {
	uint32_t at, len, flags;
};

struct db_source {
	const char *text;
	size_t len;
	unsigned flags;
};

struct db {
	size_t count;
	struct match_code **code; /* NULL: refused, or matches nothing */
	struct table table[JS_FORMS];
	struct db_refusal *refusal;
	size_t refusals;
	struct db_place *place; /* by pattern: of SOURCES */
	char *sources;
	size_t sources_len;
	void *image; /* pages: a file's bytes, with tables, refusals and sources in it; or NULL */
};

struct db *db_new(size_t count, struct err *err);
/* Tells of every refusal. */
void db_tell_refused(const struct db *db, db_refused_fn *refused, void *context);

static inline struct db_source db_source(const struct db *db, size_t number)
{
	const struct db_place *p = &db->place[number];

	return (struct db_source){db->sources + p->at, p->len, p->flags};
}

static inline const void *db_array(const struct db *db, enum js_form form, enum table_section s)
{
	return db->table[form].array[s].data;
}

#endif
