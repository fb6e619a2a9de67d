/* SPDX-License-Identifier: MIT
 *
 * Many expressions on one text: which of them match somewhere. The answer is the same as from
 * asking each expression alone, and every optimisation must keep it so. A database knows patterns
 * by number and nothing of rules.
 */
#ifndef CORDON_SCAN_PATTERN_DB_H
#define CORDON_SCAN_PATTERN_DB_H

#include <stdint.h>

#include "base/cache_file.h"
#include "scan/regex/match.h"

enum { DB_PATTERNS_MAX = 1 << 17 };

/* An expression's source, as JavaScript gets it, and enum js_flag. */
struct db_pattern {
	const char *source;
	size_t len;
	unsigned flags;
};

struct db;	   /* constant once it is made: threads may share it */
struct db_scratch; /* memory of one scanning thread */

/* Called for each pattern that is not an expression; it never matches. May be NULL. */
typedef void db_refused_fn(void *context, size_t number, const struct err *why);

int db_build(const struct db_pattern *pattern, size_t count, db_refused_fn *refused, void *context,
	     struct db **ret, struct err *err);
void db_free(struct db *db);

/* The state of the file that stores a database. */
enum db_file {
	DB_FILE_NONE,	 /* made; there is no file, see WHY */
	DB_FILE_WRITTEN, /* made; the file is new */
	DB_FILE_READ,
};

enum { DB_KEY = 32, DB_MAKER = 256 };
/* A description of this build of Cordon, its libraries and the kind of machine. */
void db_maker(char ret[DB_MAKER]);
/* A hash of everything that a database depends on: the patterns, this build of Cordon, PCRE2 and
 * the kind of machine. */
void db_key(const struct db_pattern *pattern, size_t count, uint8_t ret[DB_KEY]);

struct db_cache {
	const char *path;		 /* the path of the file */
	uint8_t key[DB_KEY];		 /* the database's */
	uint8_t mac_key[CACHE_FILE_KEY]; /* of the state directory */
	/* The stamp of a file whose MAC was correct: with the same stamp the MAC is not computed
	 * again. */
	const struct stamp *known; /* or NULL */
	/* What db_open says. */
	enum db_file file;
	struct stamp stamp; /* of the file that was read */
	struct err why;	    /* why it was not read, or not written */
};

/* The same as db_build, but reads CACHE's file if it contains exactly this database (by its key),
 * has a correct MAC, is owned by the caller or root, and no other account can write it. Otherwise
 * the database is made and the file replaced; a failure to write is reported in CACHE and is not
 * an error. */
int db_open(struct db_cache *cache, const struct db_pattern *pattern, size_t count,
	    db_refused_fn *refused, void *context, struct db **ret, struct err *err);
/* Only reads the file; -1 when that is not possible. */
int db_read(struct db_cache *cache, size_t count, db_refused_fn *refused, void *context,
	    struct db **ret, struct err *err);
size_t db_count(const struct db *db);
/* The number of patterns of a file that were decoded so far; opening it decodes none. */
size_t db_decoded(const struct db *db);

struct db_scratch *db_scratch_new(const struct db *db, const struct match_limits *limits,
				  struct err *err);
void db_scratch_free(struct db_scratch *s);

/* Numbers of patterns, in no order; valid until the next scan with the same scratch. */
struct db_hits {
	const uint32_t *yes, *undecided;
	size_t yesc, undecidedc;
};

/* Asks the patterns whose bit is set in WANTED (NULL: all). A pattern that takes too many steps
 * is undecided. Steps are counted, so the answers are the same on every machine; see
 * bounded_match.h. */
int db_scan(const struct db *db, struct db_scratch *s, const struct scan_text *text,
	    const uint64_t *wanted, struct db_hits *ret, struct err *err);

/* A text that was scanned. */
struct db_before {
	const struct scan_text *text;
	uint64_t *no; /* a bit for each pattern known to match nowhere in it */
};
/* The same answers, sooner: these patterns are not asked again about equal bytes that are also in
 * BEFORE (NULL: none). */
int db_scan_after(const struct db *db, struct db_scratch *s, const struct scan_text *text,
		  const uint64_t *wanted, const struct db_before *before, struct db_hits *ret,
		  struct err *err);
/* All steps counted so far with this scratch. */
uint64_t db_steps(const struct db_scratch *s);
/* UTF-16 code units of a text. */
struct db_range {
	size_t from, to;
};
/* Does a match begin in the range? In a slow text it may answer yes for a match elsewhere. */
enum match_answer db_match_in(const struct db *db, struct db_scratch *s, size_t number,
			      const struct scan_text *text, struct db_range range);
/* One pattern on the whole text; RET_START as in match_run. */
enum match_answer db_match(const struct db *db, struct db_scratch *s, size_t number,
			   const struct scan_text *text, size_t *ret_start);
/* The place of a match, if it is found quickly; as match_locate. */
enum match_answer db_locate(const struct db *db, struct db_scratch *s, size_t number,
			    const struct scan_text *text, size_t *ret_start);

/* The same with a linear form (linear.h), to compare the matchers: by bits, with the thread's
 * pool, or from the text's end with the pool. Undecided: the pattern has no such form. */
enum db_linear { DB_LINEAR_BITS, DB_LINEAR_POOL, DB_LINEAR_BACK, DB_LINEARS };
enum match_answer db_match_linear(const struct db *db, struct db_scratch *s, size_t number,
				  const struct scan_text *text, enum db_linear way);

static inline bool db_is_wanted(const uint64_t *wanted, size_t number)
{
	return !wanted || (wanted[number / 64] >> (number % 64) & 1);
}

#endif
