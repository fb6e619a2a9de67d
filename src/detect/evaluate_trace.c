/* SPDX-License-Identifier: MIT
 *
 * Rules about the spans of a whole run: what is forbidden, what must come earlier, what must stay
 * constant. Values are compared like JavaScript's ===. A condition about an earlier span holds for
 * all spans after the first one that fits. So the time grows with the number of spans and not with
 * its square.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/scope.h"
#include "detect/thread.h"

struct tracing {
	struct engine_thread *t;
	const struct event *event;
	const struct rule *rule;
	const struct node *spans;
	bool undecided;
	struct err *err;
};

static bool is_same(const struct node *a, const struct node *b)
{
	double x, y;

	if (!a || !b || a == b)
		return a == b && (node_number(a, &x) < 0 || !isnan(x));
	if (node_number(a, &x) == 0 && node_number(b, &y) == 0)
		return x == y;
	if (a->kind != b->kind)
		return false;
	if (a->kind == NODE_STRING)
		return a->text.len == b->text.len && !memcmp(a->text.s, b->text.s, a->text.len);
	return a->kind == NODE_NULL || (a->kind == NODE_BOOL && a->truth == b->truth);
}

static const struct node *get(const struct node *map, const char *key, size_t len)
{
	for (size_t i = 0; map && map->kind == NODE_MAP && i < map->map.count; i++) {
		const struct node_pair *p = &map->map.pair[i];
		if (p->key.len == len && !memcmp(p->key.s, key, len))
			return p->value;
	}
	return NULL;
}

/* "a.b.c": the longest prefix that is a key, then the rest in its value. */
static const struct node *read_path(const struct node *map, const char *path, size_t len)
{
	while (map && map->kind == NODE_MAP) {
		const struct node *found = get(map, path, len);
		size_t used = len;
		while (!found) {
			const char *dot = memrchr(path, '.', used);
			if (!dot)
				return NULL;
			used = (size_t)(dot - path);
			found = get(map, path, used);
		}
		if (used == len)
			return found;
		map = found;
		path += used + 1;
		len -= used + 1;
	}
	return NULL;
}

static const struct node *attribute(const struct node *span, const char *path)
{
	return read_path(node_get(span, "attributes"), path, strlen(path));
}

/* "${span.attributes.X}" stands for this span's value, which may be missing (NULL). */
static const struct node *resolve(const struct node *value, const struct node *span)
{
	static const char start[] = "${span.attributes.";
	size_t lead = sizeof(start) - 1;

	if (!value || value->kind != NODE_STRING || value->text.len < lead + 2 ||
	    memcmp(value->text.s, start, lead) != 0 || value->text.s[value->text.len - 1] != '}')
		return value;
	return read_path(node_get(span, "attributes"), value->text.s + lead,
			 value->text.len - lead - 1);
}

static bool is_in(const struct node *list, const struct node *value)
{
	for (size_t i = 0; i < node_count(list); i++)
		if (value && is_same(node_item(list, i), value))
			return true;
	return false;
}

static bool holds_in(struct tracing *g, const struct node *of, const struct node *value)
{
	(void)g;
	return of && of->kind == NODE_LIST && is_in(of, value);
}

static bool holds_not_in(struct tracing *g, const struct node *of, const struct node *value)
{
	(void)g;
	return of && of->kind == NODE_LIST && !is_in(of, value);
}

static bool holds_equals(struct tracing *g, const struct node *of, const struct node *value)
{
	(void)g;
	return is_same(of, value);
}

static bool holds_not_equals(struct tracing *g, const struct node *of, const struct node *value)
{
	(void)g;
	return !is_same(of, value);
}

static bool holds_exists(struct tracing *g, const struct node *of, const struct node *value)
{
	(void)g;
	return node_is_truthy(of) == (value != NULL);
}

/* An expression that comes from the event is in no list: text from an attacker is never compiled,
 * so its result is undecided. */
static bool holds_regex(struct tracing *g, const struct node *of, const struct node *value)
{
	const struct ruleset *p = &g->t->engine->set;
	struct scan_text text;

	if (!value || value->kind != NODE_STRING)
		return false;
	int i = patterns_in_trace(g->rule->trace, of);
	size_t number = p->rule[g->rule->order].first_regex + (size_t)(i < 0 ? 0 : i);
	if (i < 0 || number >= p->regexc ||
	    normal_decode(value->text.s, value->text.len, &text, g->err) < 0) {
		g->undecided = true;
		return false;
	}
	enum match_answer answer =
		db_match(g->t->engine->db, g->t->scratch, p->regex[number], &text, NULL);
	normal_done(&text);
	g->undecided |= answer == MATCH_UNDECIDED;
	return answer == MATCH_YES;
}

static const struct {
	const char *name;
	bool (*holds)(struct tracing *g, const struct node *of, const struct node *value);
	bool string; /* the operator applies only when its value is a string */
} operators[] = {
	{"in", holds_in, false},	 {"not_in", holds_not_in, false},
	{"equals", holds_equals, false}, {"not_equals", holds_not_equals, false},
	{"exists", holds_exists, false}, {"regex", holds_regex, true},
};

/* Every operator in the map must hold. A map without any matches only if it is empty. */
static bool holds_all(struct tracing *g, const struct node *predicate, const struct node *span,
		      const struct node *value)
{
	bool seen = false;

	for (size_t i = 0; i < ARRAY_SIZE(operators); i++) {
		const struct node *written = node_get(predicate, operators[i].name);
		const struct node *of = resolve(written, span);
		if (!written || (operators[i].string && (!of || of->kind != NODE_STRING)))
			continue;
		seen = true;
		if (!operators[i].holds(g, of, value))
			return false;
	}
	return seen || !node_count(predicate);
}

static bool holds(struct tracing *g, const struct node *predicate, const struct node *span,
		  const struct node *value)
{
	const struct node *p = resolve(predicate, span);

	if (p && p->kind == NODE_MAP)
		return holds_all(g, p, span, value);
	if (p && p->kind == NODE_LIST)
		return !node_count(p);
	return is_same(p, value);
}

static bool fits(struct tracing *g, const struct node *span, const struct node *shape)
{
	const struct node *kind = node_get(shape, "span.kind"), *own = node_get(span, "span.kind");
	const struct node *wanted = node_get(shape, "attributes");

	if (!shape || shape->kind != NODE_MAP)
		return false;
	if (!own || own->kind == NODE_NULL)
		own = node_get(span, "kind");
	if (kind && !is_same(kind, own))
		return false;
	for (size_t i = 0; wanted && wanted->kind == NODE_MAP && i < wanted->map.count; i++) {
		const struct node_pair *p = &wanted->map.pair[i];
		const struct node *value =
			read_path(node_get(span, "attributes"), p->key.s, p->key.len);
		if (!holds(g, p->value, span, value))
			return false;
	}
	return true;
}

/* The first span that matches BEFORE or one of its shapes; the number of spans when there is
 * none. */
static size_t first_fit(struct tracing *g, const struct node *before)
{
	const struct node *shapes = node_get(before, "one_of_shapes");
	size_t i = 0;

	for (; i < node_count(g->spans); i++) {
		const struct node *span = node_item(g->spans, i);
		if (!shapes && fits(g, span, before))
			break;
		size_t k = 0;
		while (k < node_count(shapes) && !fits(g, span, node_item(shapes, k)))
			k++;
		if (k < node_count(shapes))
			break;
	}
	return i;
}

static bool is_forbidden(struct tracing *g, const struct node *forbid)
{
	const struct node *before = node_get(forbid, "preceded_by");
	bool needs = node_is_truthy(before);
	size_t from = needs ? first_fit(g, before) + 1 : 0;

	for (size_t i = from; i < node_count(g->spans); i++)
		if (fits(g, node_item(g->spans, i), node_get(forbid, "shape")))
			return true;
	return false;
}

static bool is_missing(struct tracing *g, const struct node *require)
{
	size_t first = first_fit(g, node_get(require, "must_be_preceded_by"));

	for (size_t i = 0; i < node_count(g->spans) && i <= first; i++)
		if (fits(g, node_item(g->spans, i), node_get(require, "target_shape")))
			return true;
	return false;
}

static const struct node *or_else(const struct node *a, const struct node *b)
{
	return a && a->kind != NODE_NULL ? a : b;
}

/* The value by which a span is grouped; NULL: it is in no group. */
static const struct node *group_key(const struct event *event, const struct node *span,
				    const char *across)
{
	static const struct node whole = {.kind = NODE_STRING, .text = {"_trace_", 7}};

	if (!strcmp(across, "trace"))
		return or_else(node_get(event->trace, "trace_id"), &whole);
	if (!strcmp(across, "agent.delegation_chain"))
		return attribute(span, "agent.delegation_chain");
	if (!strcmp(across, "session"))
		return attribute(span, "session.id");
	if (!strcmp(across, "conversation"))
		return or_else(attribute(span, "gen_ai.conversation.id"),
			       attribute(span, "conversation.id"));
	return NULL;
}

/* Values that is_same() compares; a list or map is equal only to itself. */
static size_t key_hash(const struct node *key)
{
	size_t h = key->kind == NODE_INT ? NODE_FLOAT : key->kind;
	double number;

	if (node_number(key, &number) == 0) {
		number += 0.0; /* -0 is 0 */
		h = hash_bytes(h, &number, sizeof(number));
	} else if (key->kind == NODE_STRING) {
		h = hash_bytes(h, key->text.s, key->text.len);
	} else if (key->kind == NODE_LIST || key->kind == NODE_MAP) {
		h = hash_add(h, (uintptr_t)key);
	}
	return h ^ h >> 31;
}

/* The first span of each group sets the value for the others. */
static bool drifts(struct tracing *g, const struct node *invariant)
{
	const char *across = node_string(node_get(invariant, "across"));
	const char *path = node_string(node_get(invariant, "attribute"));
	size_t slots = 64;

	while (slots < 2 * node_count(g->spans))
		slots *= 2;
	AUTO_FREE uint32_t *table = across && path ? calloc(slots, sizeof(*table)) : NULL;
	if (!table) {
		g->undecided |= across && path;
		return false;
	}
	for (size_t i = 0; i < node_count(g->spans); i++) {
		const struct node *span = node_item(g->spans, i), *first = NULL;
		const struct node *key = group_key(g->event, span, across);
		if (!key)
			continue;
		size_t at = key_hash(key) & (slots - 1);
		for (; table[at] && !first; at = (at + 1) & (slots - 1)) {
			const struct node *other = node_item(g->spans, table[at] - 1);
			if (is_same(group_key(g->event, other, across), key))
				first = other;
		}
		if (!first)
			table[at] = (uint32_t)i + 1;
		else if (!is_same(attribute(first, path), attribute(span, path)))
			return true;
	}
	return false;
}

static const struct {
	const char *name;
	bool (*is_violated)(struct tracing *g, const struct node *primitive);
} primitives[] = {{"forbid", is_forbidden}, {"require", is_missing}, {"invariant", drifts}};

int evaluate_trace(struct engine_thread *t, const struct event *event, uint32_t number,
		   struct outcome *ret, struct err *err)
{
	const struct rule *rule = pack_rule(t->engine->set.pack, number);
	struct tracing g = {t, event, rule, node_get(event->trace, "spans"), false, err};
	uint32_t line = 0; /* of all statements of the block */

	for (size_t i = 0; i < ARRAY_SIZE(primitives); i++) {
		const struct node *list = node_get(rule->trace, primitives[i].name);
		for (size_t k = 0; k < node_count(list); k++, line++)
			if (primitives[i].is_violated(&g, node_item(list, k)) &&
			    ret->matchedc < RULE_CONDITIONS_MAX)
				ret->matched[ret->matchedc++] = line;
	}
	ret->confidence = confidence_base(rule->confidence);
	if (ret->matchedc)
		ret->answer = ANSWER_YES;
	else if (g.undecided)
		ret->answer = ANSWER_UNDECIDED;
	return 0;
}
