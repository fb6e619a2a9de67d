/* SPDX-License-Identifier: MIT
 *
 * Many expressions on one text: which of them match somewhere. The answer is the same as asking
 * them one by one; everything clever behind these calls must keep it so. A database knows patterns
 * by number and nothing of rules.
 */
#ifndef CORDON_SCAN_DB_H
#define CORDON_SCAN_DB_H

#include <stdint.h>

#include "base/kept.h"
#include "scan/match.h"

enum { DB_PATTERNS_MAX = 1 << 17 };

/* An expression's source, as JavaScript would get it, and enum js_flag. */
struct db_pattern {
	const char *source;
	size_t len;
	unsigned flags;
};

struct db;	   /* never changes once it is made: threads may share it */
struct db_scratch; /* what one thread needs while it scans */

/* Told of every pattern that is no expression; it will never match. May be NULL. */
typedef void db_refused_fn(void *context, size_t number, const struct err *why);

int db_build(const struct db_pattern *pattern, size_t count, db_refused_fn *refused, void *context,
	     struct db **ret, struct err *err);
void db_free(struct db *db);

/* What became of the file that keeps a database. */
enum db_file {
	DB_FILE_NONE,	 /* made; there is no file, see why */
	DB_FILE_WRITTEN, /* made; the file is new */
	DB_FILE_READ,
};

enum { DB_KEY = 32, DB_MAKER = 256 };
/* This build of Cordon, its libraries and the kind of machine, in words. */
void db_maker(char ret[DB_MAKER]);
/* Of everything that decides what a database holds: the patterns, this build of Cordon, PCRE2 and
 * the kind of machine. */
void db_key(const struct db_pattern *pattern, size_t count, uint8_t ret[DB_KEY]);

struct db_cache {
	const char *path;	   /* where the file is to be */
	uint8_t key[DB_KEY];	   /* the database's */
	uint8_t mac_key[KEPT_KEY]; /* of the state directory */
	/* Of a file whose code was right: with the same stamp the code is not computed again. */
	const struct stamp *known; /* or NULL */
	/* What db_open says. */
	enum db_file file;
	struct stamp stamp; /* of the file that was read */
	struct err why;	    /* why it was not read, or not written */
};

/* The same as db_build, but read from CACHE's file if that holds exactly this database, by its key,
 * with the right code, owned by the caller or root and writable by no other account. Otherwise it is made
 * and the file replaced; that this does not work is told in CACHE and no failure. */
int db_open(struct db_cache *cache, const struct db_pattern *pattern, size_t count,
	    db_refused_fn *refused, void *context, struct db **ret, struct err *err);
/* Only from the file; -1 when that is not possible. */
int db_read(struct db_cache *cache, size_t count, db_refused_fn *refused, void *context,
	    struct db **ret, struct err *err);
size_t db_count(const struct db *db);
/* How many patterns of a file were needed so far: opening it needs none. */
size_t db_decoded(const struct db *db);

struct db_scratch *db_scratch_new(const struct db *db, const struct match_limits *limits,
				  struct err *err);
void db_scratch_free(struct db_scratch *s);

/* Numbers of patterns, in no order; good until the next scan with the same scratch. */
struct db_hits {
	const uint32_t *yes, *undecided;
	size_t yesc, undecidedc;
};

/* Asks the patterns whose bit is set in WANTED (all: NULL). Undecided is what took too many steps:
 * they are counted, so the answers are the same everywhere; see confirm.h. */
int db_scan(const struct db *db, struct db_scratch *s, const struct scan_text *text,
	    const uint64_t *wanted, struct db_hits *ret, struct err *err);

/* A text that was scanned. */
struct db_before {
	const struct scan_text *text;
	uint64_t *no; /* bits of patterns that are known to match nowhere in it */
};
/* The same answers, sooner: these patterns are not asked again about what stands in BEFORE (NULL:
 * nothing) just so. */
int db_scan_after(const struct db *db, struct db_scratch *s, const struct scan_text *text,
		  const uint64_t *wanted, const struct db_before *before, struct db_hits *ret,
		  struct err *err);
/* All that were counted so far with this scratch. */
uint64_t db_steps(const struct db_scratch *s);
/* UTF-16 code units of a text. */
struct db_range {
	size_t from, to;
};
/* Does a match begin in the range? In a text that is slow, yes may be said of one that does not. */
enum match_answer db_match_in(const struct db *db, struct db_scratch *s, size_t number,
			      const struct scan_text *text, struct db_range range);
/* One pattern on the whole text; RET_START as in match_run. */
enum match_answer db_match(const struct db *db, struct db_scratch *s, size_t number,
			   const struct scan_text *text, size_t *ret_start);
/* Where it matches, as far as that is told soon: as match_locate. */
enum match_answer db_locate(const struct db *db, struct db_scratch *s, size_t number,
			    const struct scan_text *text, size_t *ret_start);

/* The same in a way that is taken when PCRE2 does too many steps (linear.h), for who compares them:
 * by bits, with the thread's pool, or from the text's end with that. Undecided: there is no such
 * way for this pattern. */
enum db_linear { DB_LINEAR_BITS, DB_LINEAR_POOL, DB_LINEAR_BACK, DB_LINEARS };
enum match_answer db_match_linear(const struct db *db, struct db_scratch *s, size_t number,
				  const struct scan_text *text, enum db_linear way);

static inline bool db_is_wanted(const uint64_t *wanted, size_t number)
{
	return !wanted || (wanted[number / 64] >> (number % 64) & 1);
}

#endif
