/* SPDX-License-Identifier: MIT
 *
 * Makes a database: each pattern is translated, compiled and planned for both forms of text. A
 * source that is not an expression keeps its number, never matches, and is reported. If planning
 * fails, the whole database fails: no pattern may silently never be asked.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "scan/find/literal_plan.h"
#include "scan/find/pattern_db_private.h"

static int plan_forms(const struct regex *regex, uint32_t number, struct table_maker *maker,
		      struct err *err)
{
	for (int i = 0; i < JS_FORMS; i++)
		if (!regex->form[i].never &&
		    plan_pattern(&regex->ast, i, number, &maker[i], err) < 0)
			return -1;
	return 0;
}

static int fail_or_refuse(const struct err *why, struct err *err)
{
	if (memory_is_out())
		return err_memory(err);
	if (why->code != ERR_SYSTEM)
		return 1;
	*err = *why;
	return -1;
}

/* Zero for a pattern that matches nothing, whatever its flags. */
static uint8_t has_of(const struct match_code *code)
{
	unsigned has = 0;

	for (int i = 0; i < JS_FORMS; i++)
		has |= match_has(code, i) ? 1U << i : 0;
	return (uint8_t)(has && match_is_unicode(code) ? has | DB_HAS_UNICODE : has);
}

/* 1 when the pattern is refused, with the reason in WHY. Lack of memory is a failure and not a
 * refusal: a stored refusal would mean that the pattern is never asked again. */
static int add_pattern(struct db *db, const struct db_pattern *p, uint32_t number,
		       struct table_maker *maker, struct err *why, struct err *err)
{
	struct regex regex = {0};
	uint8_t *has = (uint8_t *)db->has;
	int status = 0;

	if (!has)
		return err_memory(err);
	if (regex_translate(p->source, p->len, p->flags, &regex, why) < 0)
		return fail_or_refuse(why, err);
	struct match_code *code = match_compile(&regex, why);
	atomic_init(&db->code[number], code);
	if (code)
		status = plan_forms(&regex, number, maker, err);
	else
		status = fail_or_refuse(why, err);
	has[number] = has_of(code);
	regex_done(&regex);
	return status;
}

static int refuse(struct db *db, uint32_t number, const struct err *why, struct err *err)
{
	struct db_refusal *grown = realloc(db->refusal, (db->refusals + 1) * sizeof(*db->refusal));

	if (!grown)
		return err_memory(err);
	db->refusal = grown;
	grown = &grown[db->refusals++];
	memset(grown, 0, sizeof(*grown));
	grown->number = number;
	grown->code = why->code;
	snprintf(grown->message, sizeof(grown->message), "%s", why->message);
	return 0;
}

static int add_patterns(struct db *db, const struct db_pattern *pattern, struct table_maker *maker,
			struct err *err)
{
	for (size_t i = 0; i < db->count; i++) {
		struct err why = {0};
		int status = add_pattern(db, &pattern[i], (uint32_t)i, maker, &why, err);

		if (status > 0)
			status = refuse(db, (uint32_t)i, &why, err);
		if (status < 0)
			return -1;
	}
	return 0;
}

/* Linear forms are made from the sources later. */
static int keep_sources(struct db *db, const struct db_pattern *pattern, struct err *err)
{
	size_t len = 0;

	for (size_t i = 0; i < db->count; i++)
		len += pattern[i].len;
	if (len > UINT32_MAX)
		return err_set(err, ERR_LIMIT, "patterns: their sources are longer than 4 GB");
	db->has = calloc(db->count + 1, 1);
	db->place = calloc(db->count + 1, sizeof(*db->place));
	db->sources = malloc(len + 1);
	if (!db->has || !db->place || !db->sources)
		return err_memory(err);
	for (size_t i = 0; i < db->count; i++) {
		db->place[i] = (struct db_place){(uint32_t)db->sources_len,
						 (uint32_t)pattern[i].len, pattern[i].flags};
		if (pattern[i].len)
			memcpy(db->sources + db->sources_len, pattern[i].source, pattern[i].len);
		db->sources_len += pattern[i].len;
	}
	return 0;
}

struct db *db_new(size_t count, struct err *err)
{
	struct db *db = NULL;

	if (count > DB_PATTERNS_MAX) {
		err_set(err, ERR_INPUT, "patterns: %zu, at most %d", count, DB_PATTERNS_MAX);
		return NULL;
	}
	db = calloc(1, sizeof(*db));
	if (db)
		db->code = calloc(count + 1, sizeof(*db->code));
	if (!db || !db->code) {
		free(db);
		err_memory(err);
		return NULL;
	}
	db->count = count;
	return db;
}

void db_report_refused(const struct db *db, db_refused_fn *refused, void *context)
{
	for (size_t i = 0; refused && i < db->refusals; i++) {
		struct err why = {.code = db->refusal[i].code};

		snprintf(why.message, sizeof(why.message), "%s", db->refusal[i].message);
		refused(context, db->refusal[i].number, &why);
	}
}

int db_build(const struct db_pattern *pattern, size_t count, db_refused_fn *refused, void *context,
	     struct db **ret, struct err *err)
{
	struct table_maker maker[JS_FORMS] = {0};
	struct db *db = db_new(count, err);
	int status = db ? keep_sources(db, pattern, err) : -1;

	for (int i = 0; i < JS_FORMS && status == 0; i++)
		status = table_maker_init(&maker[i], count, err);
	if (status == 0)
		status = add_patterns(db, pattern, maker, err);
	for (int i = 0; i < JS_FORMS; i++) {
		if (status == 0)
			status = table_make(&maker[i], &db->table[i], err);
		table_maker_done(&maker[i]);
	}
	if (status < 0) {
		db_free(db);
		return -1;
	}
	db_report_refused(db, refused, context);
	*ret = db;
	return 0;
}

/* Frees the parts that are not in a file. */
static void free_made(struct db *db)
{
	for (int i = 0; i < JS_FORMS; i++)
		table_done(&db->table[i]);
	free(db->refusal);
	free((void *)db->has);
	free(db->place);
	free(db->sources);
}

void db_free(struct db *db)
{
	if (!db)
		return;
	for (size_t i = 0; i < db->count; i++)
		match_free(atomic_load(&db->code[i]));
	if (!db->image.bytes)
		free_made(db);
	cache_file_unmap(&db->image);
	if (db->codes)
		pthread_mutex_destroy(&db->codes->lock);
	free(db->codes);
	free(db->code);
	free(db);
}

size_t db_count(const struct db *db)
{
	return db->count;
}
