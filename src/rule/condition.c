/* SPDX-License-Identifier: MIT
 *
 * A condition is a sequence, a measurement or a text. Its keys decide which, tested in the
 * reference's order, which differs between a list and a map. Any other condition, or one with an
 * unknown operator, is never true; rule_check reports it to the author.
 */
#include "rule/condition.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"

#define WINDOW_DEFAULT_MS 300000U
#define WINDOW_MAX_MS (1ULL << 53)

struct parser {
	struct arena *arena;
	struct rule_condition *c;
	unsigned line;
	struct err *err;
};

static int fail_limit(struct parser *p, const struct node *n, const char *what, size_t most)
{
	p->line = n->line;
	return err_set(p->err, ERR_LIMIT, "%s: at most %zu", what, most);
}

uint64_t rule_window_ms(const char *text)
{
	static const struct {
		char unit;
		uint64_t ms;
	} units[] = {{'s', 1000}, {'m', 60000}, {'h', 3600000}};
	uint64_t value = 0;

	if (!text || !isdigit((unsigned char)*text))
		return WINDOW_DEFAULT_MS;
	for (; isdigit((unsigned char)*text); text++)
		value = value > WINDOW_MAX_MS / 10 ? WINDOW_MAX_MS
						   : value * 10 + (uint64_t)(*text - '0');
	text += strspn(text, " \t\n\v\f\r");
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (text[0] == units[i].unit && text[1] == '\0')
			return value > WINDOW_MAX_MS / units[i].ms ? WINDOW_MAX_MS
								   : value * units[i].ms;
	return WINDOW_DEFAULT_MS;
}

/* The strings of LIST; other values cannot match and are left out. */
static int read_patterns(struct parser *p, const struct node *list, size_t *ret_count,
			 const struct text **ret)
{
	size_t most = node_count(list), count = 0;

	if (most > RULE_PATTERNS_MAX)
		return fail_limit(p, list, "patterns of one condition", RULE_PATTERNS_MAX);
	struct text *to = arena_alloc(p->arena, most * sizeof(*to));
	if (p->arena->failed)
		return err_memory(p->err);
	for (size_t i = 0; i < most; i++) {
		const struct node *n = node_item(list, i);
		if (!n || n->kind != NODE_STRING)
			continue;
		if (n->text.len > RULE_PATTERN_BYTES_MAX)
			return fail_limit(p, n, "bytes of one pattern", RULE_PATTERN_BYTES_MAX);
		to[count++] = n->text;
	}
	*ret = to;
	*ret_count = count;
	return 0;
}

static bool is_sequence(const struct node *n)
{
	const struct node *steps = node_get(n, "steps");

	return steps && steps->kind == NODE_LIST;
}

static int read_sequence(struct parser *p, const struct node *n)
{
	const struct node *steps = node_get(n, "steps"), *ordered = node_get(n, "ordered");

	if (node_count(steps) > RULE_PATTERNS_MAX)
		return fail_limit(p, steps, "steps of one sequence", RULE_PATTERNS_MAX);
	struct rule_step *to = arena_alloc(p->arena, node_count(steps) * sizeof(*to));
	if (p->arena->failed)
		return err_memory(p->err);
	for (size_t i = 0; i < node_count(steps); i++) {
		const struct node *patterns = node_get(node_item(steps, i), "patterns");
		if (read_patterns(p, patterns, &to[i].patternc, &to[i].pattern) < 0)
			return -1;
	}
	p->c->step = to;
	p->c->stepc = node_count(steps);
	p->c->ordered = !ordered || ordered->kind != NODE_BOOL || ordered->truth;
	p->c->window_ms = rule_window_ms(node_string(node_get(n, "within")));
	p->c->kind = p->c->stepc ? CONDITION_SEQUENCE : CONDITION_NEVER;
	return 0;
}

static bool is_metric(const struct node *n)
{
	return node_is_truthy(node_get(n, "metric")) && node_is_truthy(node_get(n, "operator")) &&
	       node_get(n, "threshold");
}

static int read_metric(struct parser *p, const struct node *n)
{
	const char *op = node_string(node_get(n, "operator"));

	p->c->metric = node_string(node_get(n, "metric"));
	p->c->compare = (enum compare)vocab_find(VOCAB_COMPARE, op);
	p->c->window_ms = rule_window_ms(node_string(node_get(n, "window")));
	if (p->c->metric && p->c->compare != COMPARE_OTHER &&
	    node_number(node_get(n, "threshold"), &p->c->threshold) == 0)
		p->c->kind = CONDITION_METRIC;
	return 0;
}

/* The fields of a text that are the same in both forms. */
static void read_field(struct parser *p, const struct node *n, const char *op)
{
	p->c->field_name = node_string(node_get(n, "field"));
	p->c->field = (enum field)vocab_find(VOCAB_FIELD, p->c->field_name);
	p->c->op = (enum rule_operator)vocab_find(VOCAB_OPERATOR, op);
	if (p->c->field_name && *p->c->field_name && p->c->op != OPERATOR_OTHER)
		p->c->kind = CONDITION_TEXT;
}

static bool is_value(const struct node *n)
{
	return node_is_truthy(node_get(n, "field")) && node_is_truthy(node_get(n, "operator")) &&
	       node_get(n, "value");
}

/* {field, operator, value} of a list. */
static int read_value(struct parser *p, const struct node *n)
{
	const struct node *value = node_get(n, "value");

	if (value->kind != NODE_STRING)
		return 0;
	if (value->text.len > RULE_PATTERN_BYTES_MAX)
		return fail_limit(p, value, "bytes of one pattern", RULE_PATTERN_BYTES_MAX);
	read_field(p, n, node_string(node_get(n, "operator")));
	p->c->pattern = &value->text;
	p->c->patternc = 1;
	p->c->language = node_string(node_get(n, "language"));
	return 0;
}

static bool is_named(const struct node *n)
{
	return node_is_truthy(node_get(n, "patterns")) && node_is_truthy(node_get(n, "field"));
}

/* {field, patterns, match_type, case_sensitive} of a map. */
static int read_named(struct parser *p, const struct node *n)
{
	const struct node *type = node_get(n, "match_type"), *patterns = node_get(n, "patterns");

	if (patterns->kind != NODE_LIST)
		return 0;
	read_field(p, n, type && type->kind != NODE_NULL ? node_string(type) : "regex");
	p->c->case_sensitive = node_is_truthy(node_get(n, "case_sensitive"));
	return read_patterns(p, patterns, &p->c->patternc, &p->c->pattern);
}

struct form {
	bool (*is)(const struct node *n);
	int (*read)(struct parser *p, const struct node *n);
};
enum { FORMS = 3 };
static const struct form in_list[FORMS] = {
	{is_sequence, read_sequence}, {is_metric, read_metric}, {is_value, read_value}};
static const struct form in_map[FORMS] = {
	{is_named, read_named}, {is_metric, read_metric}, {is_sequence, read_sequence}};

static int read_condition(struct parser *p, const struct form *forms, const struct node *n)
{
	p->c->node = n;
	p->c->line = n->line;
	p->c->kind = CONDITION_NEVER;
	p->c->op = OPERATOR_OTHER;
	p->c->compare = COMPARE_OTHER;
	p->c->field = FIELD_NONE;
	for (int i = 0; i < FORMS; i++)
		if (forms[i].is(n))
			return forms[i].read(p, n);
	return 0;
}

static struct text index_name(struct arena *arena, size_t i)
{
	char *s = arena_printf(arena, "%zu", i);

	return (struct text){s, strlen(s)};
}

static int read_all(struct parser *p, const struct node *all, struct rule_condition *to)
{
	bool is_map = all->kind == NODE_MAP;

	for (size_t i = 0; i < node_count(all); i++) {
		p->c = &to[i];
		p->c->name = is_map ? all->map.pair[i].key : index_name(p->arena, i);
		if (read_condition(p, is_map ? in_map : in_list,
				   is_map ? all->map.pair[i].value : all->list.item[i]) < 0)
			return -1;
	}
	return 0;
}

int conditions_parse(const struct node *conditions, struct arena *arena, struct rule *ret,
		     unsigned *ret_line, struct err *err)
{
	struct parser p = {.arena = arena, .err = err, .line = conditions->line};
	size_t count = node_count(conditions);
	struct rule_condition *to = NULL;
	int result = 0;

	if (count > RULE_CONDITIONS_MAX)
		result = fail_limit(&p, conditions, "conditions of one rule", RULE_CONDITIONS_MAX);
	if (result == 0)
		to = arena_alloc(arena, count * sizeof(*to));
	if (result == 0 && arena->failed)
		result = err_memory(err);
	if (result == 0) {
		memset(to, 0, count * sizeof(*to));
		result = read_all(&p, conditions, to);
	}
	*ret_line = p.line;
	ret->condition = to;
	ret->conditionc = count;
	return result;
}
