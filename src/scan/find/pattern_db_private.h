/* SPDX-License-Identifier: MIT
 *
 * What making a database (pattern_db.c) and scanning with it (pattern_db_scan.c) share.
 */
#ifndef CORDON_SCAN_PATTERN_DB_PRIVATE_H
#define CORDON_SCAN_PATTERN_DB_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/cache_file.h"
#include "scan/find/literal_table.h"
#include "scan/find/pattern_db.h"

/* Why a source is not an expression. */
struct db_refusal {
	uint32_t number, code;
	char message[512];
};

/* The place of a pattern's source. */
struct db_place {
	uint32_t at, len, flags;
};

struct db_source {
	const char *text;
	size_t len;
	unsigned flags;
};

/* HAS: a bit for each form that can match, and the flag u. */
enum { DB_HAS_UNICODE = 1 << JS_FORMS };

/* A file's compiled expressions: where the bytes of each begin, and one more. */
struct db_codes {
	const uint8_t *head;
	size_t head_len;
	const uint32_t *at[JS_FORMS];
	const uint8_t *bytes[JS_FORMS];
	pthread_mutex_t lock; /* of making them */
	atomic_size_t made;
};

struct db {
	size_t count;
	_Atomic(struct match_code *) *code; /* NULL: matches nothing, or is not decoded yet */
	const uint8_t *has;
	struct table table[JS_FORMS];
	struct db_refusal *refusal;
	size_t refusals;
	struct db_place *place; /* by pattern: of SOURCES */
	char *sources;
	size_t sources_len;
	struct cache_file_map
		image;		/* a file that contains everything above except CODE; or empty */
	struct db_codes *codes; /* of the file, or NULL */
};

struct db *db_new(size_t count, struct err *err);
/* Reports every refusal. */
void db_report_refused(const struct db *db, db_refused_fn *refused, void *context);

/* Decodes it from the file. NULL: no memory, or not in the file. */
const struct match_code *db_make_code(const struct db *db, size_t number);

/* Can it match anything at all? */
static inline bool db_has(const struct db *db, size_t number)
{
	return db->has[number] != 0;
}

/* Has it the flag u? */
static inline bool db_is_unicode(const struct db *db, size_t number)
{
	return db->has[number] & DB_HAS_UNICODE;
}

/* NULL for a pattern that can match: it could not be decoded, so its answer is undecided. */
static inline const struct match_code *db_code(const struct db *db, size_t number)
{
	const struct match_code *code =
		atomic_load_explicit(&db->code[number], memory_order_acquire);

	return code || !db->codes ? code : db_make_code(db, number);
}

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
