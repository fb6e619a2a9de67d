/* SPDX-License-Identifier: MIT
 *
 * A database that asks every pattern, one after another, over the whole text: slow and plainly
 * right, what everything faster is held against. Patterns are compiled when they are first made;
 * one that is no expression keeps its number and never matches.
 */
#include "scan/db.h"

#include <stdlib.h>

#include "base/scope.h"

struct db {
	size_t count;
	struct match_code **code; /* NULL: refused */
};

struct db_scratch {
	struct match_scratch *match;
	uint32_t *yes, *undecided;
};

static struct match_code *compile(const struct db_pattern *p, struct err *err)
{
	struct regex regex = {0};
	struct match_code *code = NULL;

	if (regex_translate(p->source, p->len, p->flags, &regex, err) == 0) {
		code = match_compile(&regex, err);
		regex_done(&regex);
	}
	return code;
}

int db_build(const struct db_pattern *pattern, size_t count, db_refused_fn *refused, void *context,
	     struct db **ret, struct err *err)
{
	struct db *db = NULL;

	if (count > DB_PATTERNS_MAX)
		return err_set(err, ERR_INPUT, "patterns: %zu, at most %d", count, DB_PATTERNS_MAX);
	db = calloc(1, sizeof(*db));
	if (db)
		db->code = calloc(count + 1, sizeof(*db->code));
	if (!db || !db->code) {
		db_free(db);
		return err_set(err, ERR_SYSTEM, "patterns: out of memory");
	}
	db->count = count;
	for (size_t i = 0; i < count; i++) {
		struct err why = {0};

		db->code[i] = compile(&pattern[i], &why);
		if (!db->code[i] && refused)
			refused(context, i, &why);
	}
	*ret = db;
	return 0;
}

void db_free(struct db *db)
{
	if (!db)
		return;
	for (size_t i = 0; i < db->count; i++)
		match_free(db->code[i]);
	free(db->code);
	free(db);
}

size_t db_count(const struct db *db)
{
	return db->count;
}

struct db_scratch *db_scratch_new(const struct db *db, const struct match_limits *limits,
				  struct err *err)
{
	struct db_scratch *s = calloc(1, sizeof(*s));

	if (s) {
		s->yes = calloc(db->count + 1, sizeof(*s->yes));
		s->undecided = calloc(db->count + 1, sizeof(*s->undecided));
		s->match = match_scratch_new(limits, err);
	}
	if (!s || !s->yes || !s->undecided || !s->match) {
		err_set(err, ERR_SYSTEM, "matching: out of memory");
		db_scratch_free(s);
		return NULL;
	}
	return s;
}

void db_scratch_free(struct db_scratch *s)
{
	if (!s)
		return;
	match_scratch_free(s->match);
	free(s->yes);
	free(s->undecided);
	free(s);
}

int db_scan(const struct db *db, struct db_scratch *s, const struct scan_text *text,
	    const uint64_t *wanted, struct db_hits *ret, struct err *err)
{
	(void)err;
	*ret = (struct db_hits){.yes = s->yes, .undecided = s->undecided};
	for (size_t i = 0; i < db->count; i++) {
		if (!db_is_wanted(wanted, i))
			continue;
		enum match_answer answer = db_match(db, s, i, text, NULL);

		if (answer == MATCH_YES)
			s->yes[ret->yesc++] = (uint32_t)i;
		else if (answer == MATCH_UNDECIDED)
			s->undecided[ret->undecidedc++] = (uint32_t)i;
	}
	return 0;
}

enum match_answer db_match(const struct db *db, struct db_scratch *s, size_t number,
			   const struct scan_text *text, size_t *ret_start)
{
	if (!db->code[number])
		return MATCH_NO;
	return match_run(db->code[number], s->match, text, ret_start);
}
