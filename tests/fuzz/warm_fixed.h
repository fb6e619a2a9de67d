/* SPDX-License-Identifier: MIT
 *
 * A few rules of every kind, and the engine made of them, for target and seeds: what a warm file is
 * about. Its bytes here are numbers (mode, bytes of names, rows, bytes of the set), then names,
 * rows, the set and the trees, one after another.
 */
#ifndef CORDON_FUZZ_WARM_FIXED_H
#define CORDON_FUZZ_WARM_FIXED_H

#include <stdlib.h>
#include <string.h>

#include "base/cache_file.h"
#include "base/scope.h"
#include "detect/engine.h"
#include "rule/lazy.h"
#include "yaml/yaml.h"

enum { WARM_MODE, WARM_NAMES_LEN, WARM_ROWS_COUNT, WARM_SET_LEN, WARM_NUMBERS };

struct warm_fixed {
	struct pack pack;
	struct arena arena;
	struct pattern_list patterns;
	struct db *db;
	struct engine *engine;
};

#define WARM_HEAD(id, source)                                                                      \
	"id: " id "\ntitle: T\nstatus: stable\nmaturity: stable\nseverity: high\n"                 \
	"tags: {category: model-abuse, confidence: medium}\nagent_source: {type: " source "}\n"
#define WARM_ANY "detection:\n  condition: any\n  conditions:\n"

static const char *const warm_rules[] = {
	WARM_HEAD("A", "llm_io") WARM_ANY
	"    - {field: content, operator: regex, value: 'pebble\\s+one'}\n"
	"    - {field: tool_args, operator: regex, value: 'sand.*stone'}\n",
	WARM_HEAD("B", "tool_call") "detection:\n  condition: a AND NOT b\n  conditions:\n"
				    "    a: {field: content, patterns: ['moon', 'pebble']}\n"
				    "    b: {field: tool_name, patterns: ['^safe']}\n",
	WARM_HEAD("C", "llm_io") WARM_ANY
	"    - {field: content, operator: contains, value: 'slate'}\n"
	"    - {metric: event_count, operator: gte, threshold: 2, window: 1m}\n"
	"    - {metric: 'call_frequency:shell', operator: gte, threshold: 1, window: 1m}\n"
	"    - {metric: 'pattern_frequency:slate', operator: gte, threshold: 1, window: 1m}\n",
	WARM_HEAD("D", "llm_io") WARM_ANY
	"    - {within: 1m, steps: [{patterns: [pebble, moon]}, {patterns: [slate]}]}\n",
	WARM_HEAD("E", "llm_io") WARM_ANY
	"    - {field: content, operator: regex, value: 'x'}\n"
	"  method: signature\n  signature: {indicators: [{target_field: a, value: '1'}]}\n",
	WARM_HEAD("F", "agent_trace") "detection:\n  method: trace\n  condition: any\n"
				      "  conditions: []\n  trace: {forbid: [{shape: {attributes: "
				      "{a: {regex: '^one'}, b: {regex: 'two$'}}}}]}\n",
};

static inline void warm_must(bool promise)
{
	if (!promise)
		abort();
}

/* It lives as long as the program. */
static inline void warm_make(struct warm_fixed *w, enum detect_mode mode)
{
	struct engine_options options = {.mode = mode, .lane = LANE_HUNT};
	struct pack_options load = {0};
	struct err err;

	for (size_t i = 0; i < ARRAY_SIZE(warm_rules); i++) {
		const struct node *root = NULL;
		unsigned line = 0;
		size_t len = strlen(warm_rules[i]);
		warm_must(yaml_read(warm_rules[i], len, &w->pack.arena, &root, &line, &err) == 0 &&
			  pack_add_tree(&w->pack, "r.yaml", len, root, &load, &err) == 0);
	}
	warm_must(w->pack.rulec == ARRAY_SIZE(warm_rules) &&
		  patterns_collect(&w->pack, &w->arena, &w->patterns, &err) == 0 &&
		  db_build(w->patterns.pattern, w->patterns.count, NULL, NULL, &w->db, &err) == 0 &&
		  engine_new(&w->pack, &w->patterns, w->db, &options, &w->engine, &err) == 0);
}

static inline size_t warm_put(uint8_t *to, size_t at, const void *data, size_t len)
{
	if (to)
		memcpy(to + at, data, len);
	return at + len;
}

/* Into TO, unless that is NULL; returns the length. */
static inline size_t warm_write(const struct warm_fixed *w, enum detect_mode mode, uint8_t *to)
{
	struct lazy_row row[ARRAY_SIZE(warm_rules)];
	uint8_t *tree[ARRAY_SIZE(warm_rules)], *set = NULL;
	size_t set_len = 0, trees = 0;
	struct err err;

	warm_must(engine_save(w->engine, &set, &set_len, &err) == 0);
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		size_t len = 0;
		warm_must(lazy_encode(&w->pack.rule[i], &tree[i], &len, &err) == 0);
		/* Codes are made when they are needed. */
		row[i] = (struct lazy_row){.at = trees,
					   .len = len,
					   .conditions = (uint32_t)w->pack.rule[i].conditionc};
		trees += len;
	}
	uint32_t number[WARM_NUMBERS] = {mode, sizeof("r.yaml"), ARRAY_SIZE(row),
					 (uint32_t)set_len};
	size_t at = warm_put(to, 0, number, sizeof(number));
	at = warm_put(to, at, "r.yaml", sizeof("r.yaml"));
	at = warm_put(to, at, row, sizeof(row));
	at = warm_put(to, at, set, set_len);
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		at = warm_put(to, at, tree[i], row[i].len);
		free(tree[i]);
	}
	free(set);
	return at;
}

#endif
