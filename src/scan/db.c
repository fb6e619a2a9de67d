/* SPDX-License-Identifier: MIT
 *
 * Makes a database: every pattern is translated, compiled and planned, for both forms of text. A
 * pattern that is no expression keeps its number and never matches; one whose plan fails is asked
 * always.
 */
#include <stdlib.h>

#include "base/scope.h"
#include "scan/db_private.h"
#include "scan/plan.h"

static int plan_forms(const struct regex *regex, uint32_t number, struct table_maker *maker,
		      struct err *err)
{
	for (int i = 0; i < JS_FORMS; i++)
		if (!regex->form[i].never &&
		    plan_pattern(&regex->ast, i, number, &maker[i], err) < 0)
			return -1;
	return 0;
}

/* 1 when the pattern is refused, with the reason in WHY. */
static int add_pattern(struct db *db, const struct db_pattern *p, uint32_t number,
		       struct table_maker *maker, struct err *why, struct err *err)
{
	struct regex regex = {0};
	int status = 0;

	if (regex_translate(p->source, p->len, p->flags, &regex, why) < 0)
		return 1;
	db->code[number] = match_compile(&regex, why);
	if (db->code[number])
		status = plan_forms(&regex, number, maker, err);
	else
		status = 1;
	regex_done(&regex);
	return status;
}

static int add_patterns(struct db *db, const struct db_pattern *pattern, struct table_maker *maker,
			db_refused_fn *refused, void *context, struct err *err)
{
	for (size_t i = 0; i < db->count; i++) {
		struct err why = {0};
		int status = add_pattern(db, &pattern[i], (uint32_t)i, maker, &why, err);

		if (status < 0)
			return -1;
		if (status && refused)
			refused(context, i, &why);
	}
	return 0;
}

int db_build(const struct db_pattern *pattern, size_t count, db_refused_fn *refused, void *context,
	     struct db **ret, struct err *err)
{
	struct table_maker maker[JS_FORMS] = {0};
	struct db *db = NULL;
	int status = 0;

	if (count > DB_PATTERNS_MAX)
		return err_set(err, ERR_INPUT, "patterns: %zu, at most %d", count, DB_PATTERNS_MAX);
	db = calloc(1, sizeof(*db));
	if (db)
		db->code = calloc(count + 1, sizeof(struct match_code *));
	if (!db || !db->code) {
		free(db);
		return err_set(err, ERR_SYSTEM, "patterns: out of memory");
	}
	db->count = count;
	for (int i = 0; i < JS_FORMS && status == 0; i++)
		status = table_maker_init(&maker[i], count, err);
	if (status == 0)
		status = add_patterns(db, pattern, maker, refused, context, err);
	for (int i = 0; i < JS_FORMS; i++) {
		if (status == 0)
			status = table_make(&maker[i], &db->table[i], err);
		table_maker_done(&maker[i]);
	}
	if (status < 0)
		db_free(db);
	else
		*ret = db;
	return status;
}

void db_free(struct db *db)
{
	if (!db)
		return;
	for (size_t i = 0; i < db->count; i++)
		match_free(db->code[i]);
	for (int i = 0; i < JS_FORMS; i++)
		table_done(&db->table[i]);
	free(db->code);
	free(db);
}

size_t db_count(const struct db *db)
{
	return db->count;
}
