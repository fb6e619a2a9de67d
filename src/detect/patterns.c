/* SPDX-License-Identifier: MIT
 *
 * The walk runs twice, once to count and once to fill, so no array has to grow. In a map of named
 * conditions the reference turns plain strings into expressions too. In a list it compares them,
 * so those places have no pattern.
 */
#include "detect/patterns.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/scope.h"

struct walk {
	struct arena *arena;
	struct db_pattern *pattern; /* NULL: only count */
	uint32_t *place, *index;    /* index: by hash, a pattern's number plus one */
	size_t count, placec, slots;
};

static size_t hash_of(const struct db_pattern *p)
{
	uint64_t h = HASH_BEGIN ^ p->flags ^ p->len, word = 0;
	size_t i = 0;

	for (; i + sizeof(word) <= p->len; i += sizeof(word)) {
		memcpy(&word, p->source + i, sizeof(word));
		h = (h ^ word) * 0x9e3779b97f4a7c15ULL;
		h ^= h >> 32;
	}
	h = hash_bytes(h, p->source + i, p->len - i);
	return (size_t)(h ^ h >> 29);
}

static bool is_same(const struct db_pattern *a, const struct db_pattern *b)
{
	return a->flags == b->flags && a->len == b->len && !memcmp(a->source, b->source, a->len);
}

static uint32_t number_of(struct walk *w, const struct db_pattern *p)
{
	size_t at = hash_of(p) & (w->slots - 1);

	for (; w->index[at]; at = (at + 1) & (w->slots - 1))
		if (is_same(&w->pattern[w->index[at] - 1], p))
			return w->index[at] - 1;
	w->pattern[w->count] = *p;
	w->index[at] = (uint32_t)++w->count;
	return (uint32_t)w->count - 1;
}

/* P is NULL for a place without a pattern. */
static void visit(struct walk *w, const struct db_pattern *p)
{
	if (w->pattern)
		w->place[w->placec] = p ? number_of(w, p) : PATTERN_NONE;
	w->placec++;
}

static void visit_plain(struct walk *w, const char *source, size_t len, unsigned flags)
{
	struct db_pattern p = {source, len, flags};

	visit(w, &p);
}

/* A string anchored at the text's start or end. */
static const struct {
	bool start, end;
} anchors[] = {
	[OPERATOR_CONTAINS] = {false, false},
	[OPERATOR_EXACT] = {true, true},
	[OPERATOR_STARTS_WITH] = {true, false},
};

static void visit_string(struct walk *w, enum rule_operator op, struct text t, unsigned flags)
{
	char *s = arena_alloc(w->arena, 2 * t.len + 2);
	size_t len = 0;

	if (w->arena->failed) {
		visit(w, NULL);
		return;
	}
	if (anchors[op].start)
		s[len++] = '^';
	for (size_t i = 0; i < t.len; i++) {
		if (t.s[i] && strchr(".*+?^${}()|[]\\", t.s[i]))
			s[len++] = '\\';
		s[len++] = t.s[i];
	}
	if (anchors[op].end)
		s[len++] = '$';
	visit_plain(w, s, len, flags);
}

static void visit_named(struct walk *w, const struct rule_condition *c, struct text t)
{
	unsigned flags = c->case_sensitive ? 0 : JS_IGNORE_CASE;
	size_t skip;

	if (c->op != OPERATOR_REGEX) {
		visit_string(w, c->op, t, flags);
		return;
	}
	regex_of_rule(t.s, t.len, &skip);
	visit_plain(w, t.s + skip, t.len - skip, flags);
}

static void visit_listed(struct walk *w, const struct rule_condition *c, struct text t)
{
	size_t skip;

	if (c->op != OPERATOR_REGEX) {
		visit(w, NULL);
		return;
	}
	unsigned flags = regex_of_rule(t.s, t.len, &skip);
	visit_plain(w, t.s + skip, t.len - skip, flags);
}

static void walk_condition(struct walk *w, const struct rule_condition *c, bool named)
{
	/* The counting pass skips them. */
	if (c->kind == CONDITION_TEXT && !w->pattern)
		w->placec += c->patternc;
	for (size_t i = 0; c->kind == CONDITION_TEXT && w->pattern && i < c->patternc; i++)
		(named ? visit_named : visit_listed)(w, c, c->pattern[i]);
	for (size_t i = 0; c->kind == CONDITION_SEQUENCE && i < c->stepc; i++)
		for (size_t k = 0; k < c->step[i].patternc; k++)
			visit_plain(w, c->step[i].pattern[k].s, c->step[i].pattern[k].len,
				    JS_IGNORE_CASE);
}

/* Any string called "regex", at any place: extra ones do no harm. Trees are at most YAML_DEPTH_MAX
 * high. EACH returns whether to stop. */
static bool walk_trace(const struct node *n, bool (*each)(void *context, const struct node *regex),
		       void *context)
{
	for (size_t i = 0; n && n->kind == NODE_LIST && i < n->list.count; i++)
		if (walk_trace(n->list.item[i], each, context))
			return true;
	for (size_t i = 0; n && n->kind == NODE_MAP && i < n->map.count; i++) {
		const struct node_pair *p = &n->map.pair[i];
		if (p->value->kind == NODE_STRING && p->key.len == 5 &&
		    !memcmp(p->key.s, "regex", 5) && p->value->text.len <= RULE_PATTERN_BYTES_MAX &&
		    each(context, p->value))
			return true;
		if (walk_trace(p->value, each, context))
			return true;
	}
	return false;
}

static bool visit_regex(void *context, const struct node *regex)
{
	visit_plain(context, regex->text.s, regex->text.len, 0);
	return false;
}

struct search {
	const struct node *regex;
	int number;
};

static bool is_it(void *context, const struct node *regex)
{
	struct search *s = context;

	s->number++;
	return s->regex == regex;
}

int patterns_in_trace(const struct node *trace, const struct node *regex)
{
	struct search s = {regex, -1};

	return walk_trace(trace, is_it, &s) ? s.number : -1;
}

size_t patterns_of_trace(const struct node *trace)
{
	struct search s = {NULL, -1};

	walk_trace(trace, is_it, &s);
	return (size_t)(s.number + 1);
}

static void walk_pack(struct walk *w, const struct pack *pack)
{
	for (size_t r = 0; r < pack->rulec; r++) {
		const struct rule *rule = &pack->rule[r];
		for (size_t c = 0; c < rule->conditionc; c++)
			walk_condition(w, &rule->condition[c], rule->combine == COMBINE_EXPRESSION);
		walk_trace(rule->trace, visit_regex, w);
	}
}

int patterns_collect(const struct pack *pack, struct arena *arena, struct pattern_list *ret,
		     struct err *err)
{
	struct walk w = {.arena = arena, .slots = 1024};

	walk_pack(&w, pack);
	size_t places = w.placec;
	while (w.slots < 2 * places)
		w.slots *= 2;
	w.placec = 0;
	w.pattern = arena_alloc(arena, (places + 1) * sizeof(*w.pattern));
	w.place = arena_alloc(arena, (places + 1) * sizeof(*w.place));
	AUTO_FREE uint32_t *index = w.index = calloc(w.slots, sizeof(*w.index));
	if (arena->failed || !index)
		return err_memory(err);
	walk_pack(&w, pack);
	if (arena->failed)
		return err_memory(err);
	if (w.count > DB_PATTERNS_MAX)
		return err_set(err, ERR_LIMIT, "different patterns: %zu, at most %d", w.count,
			       DB_PATTERNS_MAX);
	*ret = (struct pattern_list){w.count, w.pattern, w.placec, w.place};
	return 0;
}
