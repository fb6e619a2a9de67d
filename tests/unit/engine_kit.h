/* SPDX-License-Identifier: MIT
 *
 * Makes an engine of a few rules and prints its findings as a line of ids.
 */
#ifndef CORDON_ENGINE_KIT_H
#define CORDON_ENGINE_KIT_H

#include "base/scope.h"
#include "detect/findings.h"
#include "detect/json_read.h"
#include "detect/thread.h"
#include "scratch.h"
#include "tap.h"

#define HEAD(id, severity, source)                                                                 \
	"id: " id "\ntitle: T\nstatus: stable\nmaturity: stable\nseverity: " severity              \
	"\ntags: {category: model-abuse, confidence: medium}\nagent_source: {type: " source "}\n"
#define ANY "detection:\n  condition: any\n  conditions:\n"
#define MATCH(field, pattern) "    - {field: " field ", operator: regex, value: '" pattern "'}\n"

/* An expression that exceeds every limit and has no linear form, in rules that need its answer or
 * do not. */
static const char *const slow[] = {
	HEAD("ONE", "high", "llm_io") ANY MATCH("content", "^(?:(?:(x)+)+)+\\1?$"),
	HEAD("TWO", "high", "llm_io") ANY MATCH(
		"content",
		"^(?:(?:(x)+)+)+\\1?$") "    - {field: content, operator: contains, value: '!'}\n",
	HEAD("ALL", "low", "llm_io") "detection:\n  condition: all\n  conditions:\n" MATCH(
		"content", "^(?:(?:(x)+)+)+\\1?$") MATCH("content", "nobody"),
	HEAD("NOT", "low",
	     "llm_io") "detection:\n  condition: NOT a\n  conditions:\n"
		       "    a: {field: content, patterns: ['^(?:(?:(x)+)+)+\\1?$']}\n",
	NULL};

static uint64_t kit_layers_steps = 1; /* the steps for their layers */

struct kit {
	struct pack pack;
	struct arena arena;
	struct pattern_list patterns;
	struct db *db;
	struct engine *engine;
	struct engine_thread *thread;
	struct findings found;
	char said[600];
};

/* RULES: documents, the last one NULL. */
static bool set_up(struct kit *k, const char *const *rules, enum detect_mode mode, bool inactive)
{
	struct engine_options options = {.mode = mode, .lane = LANE_HUNT, .inactive = inactive};
	struct pack_options load = {0};
	struct err err = {0};
	char path[32];

	memset(k, 0, sizeof(*k));
	bool good = true;
	options.layers_steps = rules == slow ? kit_layers_steps : 0;
	for (size_t i = 0; good && rules[i]; i++) {
		snprintf(path, sizeof(path), "r%03zu.yaml", i);
		scratch_file(path, rules[i], 0644);
		good = pack_load(&k->pack, path, &load, &err) == 0;
		unlink(path);
	}
	good = good && patterns_collect(&k->pack, &k->arena, &k->patterns, &err) == 0 &&
	       db_build(k->patterns.pattern, k->patterns.count, NULL, NULL, &k->db, &err) == 0 &&
	       engine_new(&k->pack, &k->patterns, k->db, &options, &k->engine, &err) == 0 &&
	       (k->thread = engine_thread_new(k->engine, &err));
	snprintf(k->said, sizeof(k->said), "%s", err.message);
	return good;
}

static void clear(struct kit *k)
{
	findings_done(&k->found);
}

static void tear_down(struct kit *k)
{
	clear(k);
	engine_thread_free(k->thread);
	engine_free(k->engine);
	db_free(k->db);
	arena_done(&k->arena);
	pack_done(&k->pack);
}

/* The ids of the findings: with ? when undecided, with the view unless it is the text. */
static inline const char *ids(const struct kit *k)
{
	static char text[1024];

	text[0] = '\0';
	for (size_t i = 0; i < k->found.count; i++) {
		const struct finding *f = &k->found.list[i];
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s%s%s ", f->rule->id,
			 f->undecided ? "?" : "", f->view == VIEW_TEXT ? "" : ":",
			 f->view == VIEW_TEXT	   ? ""
			 : f->view == VIEW_DECODED ? f->decoding
						   : view_name(f->view));
	}
	return text;
}

static inline const char *scan(struct kit *k, const struct event *e)
{
	struct err err = {0};

	clear(k);
	if (engine_scan(k->engine, k->thread, e, &k->found, &err) == 0)
		return ids(k);
	snprintf(k->said, sizeof(k->said), "%s", err.message);
	return "!";
}

static inline const char *scan_text(struct kit *k, const char *text, size_t len)
{
	struct event e = {.type = EVENT_LLM_INPUT, .time_ms = EVENT_TIME_NONE};

	e.content = (struct text){text, len};
	return scan(k, &e);
}

static inline const char *scan_json(struct kit *k, const char *text)
{
	struct arena arena = {0};
	const struct node *n = NULL;
	const char *result = "?";
	struct event e;
	struct err err;

	if (json_read(text, strlen(text), 1, &arena, &n, &err) == 0 &&
	    event_from_node(n, &e, &err) == 0)
		result = scan(k, &e);
	arena_done(&arena);
	return result;
}

#define IS(got, wanted, ...) is_text((got), (wanted), __LINE__, __VA_ARGS__)
static inline void is_text(const char *got, const char *wanted, int line, const char *what)
{
	ok(!strcmp(got, wanted), "%s: \"%s\" (line %d)", what, got, line);
}

#endif
