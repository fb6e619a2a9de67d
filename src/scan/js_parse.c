/* SPDX-License-Identifier: MIT
 *
 * Recursive descent over decoded characters. Depth is limited before it recurses, the number of
 * nodes by the tree itself. Groups are counted before reading, because what \2 means depends on
 * groups that come later.
 */
#include "scan/js_parse.h"

#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "base/utf8.h"
#include "scan/js_parser.h"

uint32_t js_refuse(struct js_parser *p, const char *why)
{
	err_set(p->err, ERR_INPUT, "regular expression, character %zu: %s", p->pos, why);
	return JS_NONE;
}

uint32_t js_made(struct js_parser *p, uint32_t node)
{
	if (node == JS_NONE)
		err_set(p->err, ERR_LIMIT, "regular expression, character %zu: it is too large",
			p->pos);
	return node;
}

bool js_decimal(struct js_parser *p, uint32_t *ret)
{
	uint64_t value = 0;
	size_t start = p->pos;

	for (uint32_t c; (c = js_peek(p, 0)) - '0' < 10; p->pos++)
		value = value < UINT32_MAX ? value * 10 + (c - '0') : value;
	*ret = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX - 1;
	return p->pos > start;
}

static bool is_name_char(uint32_t c, bool first)
{
	return c - 'a' < 26 || c - 'A' < 26 || c == '_' || c == '$' || (c >= 128 && c != JS_EOF) ||
	       (!first && c - '0' < 10);
}

bool js_group_name(struct js_parser *p, struct js_name *ret)
{
	ret->start = p->pos;
	while (is_name_char(js_peek(p, 0), p->pos == ret->start))
		p->pos++;
	ret->len = p->pos - ret->start;
	return ret->len > 0 && js_eat(p, '>');
}

static bool same_name(const struct js_parser *p, const struct js_name *a, const struct js_name *b)
{
	return a->len == b->len &&
	       !memcmp(p->src + a->start, p->src + b->start, a->len * sizeof(*p->src));
}

/* Remembers the name of the group that is being counted. */
static bool note_name(struct js_parser *p)
{
	struct js_name name = {.group = p->groups_total};

	if (!js_group_name(p, &name))
		return js_refuse(p, "a group's name is not one"), false;
	for (size_t i = 0; i < p->names; i++)
		if (same_name(p, &p->name[i], &name))
			return js_refuse(p, "two groups have the same name"), false;
	if (p->names == JS_NAME_MAX)
		return js_refuse(p, "too many named groups"), false;
	p->name[p->names++] = name;
	return true;
}

static bool count_group(struct js_parser *p)
{
	bool named = js_peek(p, 0) == '?' && js_peek(p, 1) == '<' && js_peek(p, 2) != '=' &&
		     js_peek(p, 2) != '!';

	if (js_peek(p, 0) == '?' && !named)
		return true;
	p->groups_total++;
	if (!named)
		return true;
	p->pos += 2;
	return note_name(p);
}

static bool count_groups(struct js_parser *p)
{
	bool in_class = false;

	for (uint32_t c; (c = js_peek(p, 0)) != JS_EOF;) {
		p->pos++;
		if (c == '\\')
			p->pos++;
		else if (c == '[' || c == ']')
			in_class = c == '[';
		else if (c == '(' && !in_class && !count_group(p))
			return false;
	}
	p->pos = 0;
	if (p->groups_total > JS_GROUPS_MAX)
		return js_refuse(p, "too many groups"), false;
	return true;
}

static uint32_t alternatives(struct js_parser *p);

/* Moves what was stacked since BASE into a node; a single kid needs none. */
static uint32_t gather(struct js_parser *p, size_t base, enum js_kind kind)
{
	size_t count = p->stacked - base;
	uint32_t only = count == 1 ? p->stack[base] : JS_NONE;

	p->stacked = base;
	if (only != JS_NONE)
		return only;
	return js_made(p, js_node_add_kids(p->ast, (struct js_node){.kind = kind}, p->stack + base,
					   count));
}

static uint32_t around(struct js_parser *p, struct js_node node)
{
	uint32_t kid = alternatives(p);

	if (kid == JS_NONE)
		return JS_NONE;
	if (!js_eat(p, ')'))
		return js_refuse(p, "a group is not closed");
	return js_made(p, js_node_add_kids(p->ast, node, &kid, 1));
}

/* Behind "(?". */
static uint32_t special_group(struct js_parser *p, bool *quantifiable)
{
	struct js_node look = {.kind = JS_LOOK, .behind = js_eat(p, '<')};
	struct js_name name;

	if (!look.behind && js_eat(p, ':')) {
		uint32_t kid = alternatives(p);
		if (kid != JS_NONE && !js_eat(p, ')'))
			return js_refuse(p, "a group is not closed");
		return kid;
	}
	if (js_peek(p, 0) == '=' || js_peek(p, 0) == '!') {
		look.negative = p->src[p->pos++] == '!';
		*quantifiable = !look.behind && !js_is_unicode(p);
		return around(p, look);
	}
	if (!look.behind || !js_group_name(p, &name))
		return js_refuse(p, "not a kind of group");
	return around(p, (struct js_node){.kind = JS_GROUP, .value = ++p->groups_seen});
}

static uint32_t group(struct js_parser *p, bool *quantifiable)
{
	uint32_t node;

	if (p->depth >= JS_DEPTH_MAX)
		return js_refuse(p, "groups are nested too deeply");
	p->depth++;
	if (js_eat(p, '?'))
		node = special_group(p, quantifiable);
	else
		node = around(p, (struct js_node){.kind = JS_GROUP, .value = ++p->groups_seen});
	p->depth--;
	return node;
}

/* {n} {n,} {n,m}; otherwise nothing is eaten. */
static bool braces(struct js_parser *p, uint32_t *min, uint32_t *max)
{
	size_t start = p->pos;

	if (js_eat(p, '{') && js_decimal(p, min)) {
		*max = *min;
		if (js_eat(p, ',') && !js_decimal(p, max))
			*max = JS_UNBOUNDED;
		if (js_eat(p, '}'))
			return true;
	}
	p->pos = start;
	return false;
}

static const struct {
	uint32_t sign, min, max;
} quantifiers[] = {{'*', 0, JS_UNBOUNDED}, {'+', 1, JS_UNBOUNDED}, {'?', 0, 1}};

static bool quantifier(struct js_parser *p, uint32_t *min, uint32_t *max)
{
	for (size_t i = 0; i < ARRAY_SIZE(quantifiers); i++) {
		if (js_eat(p, quantifiers[i].sign)) {
			*min = quantifiers[i].min;
			*max = quantifiers[i].max;
			return true;
		}
	}
	return braces(p, min, max);
}

static uint32_t repeat(struct js_parser *p, uint32_t kid, bool quantifiable)
{
	struct js_node node = {.kind = JS_REPEAT};

	if (kid == JS_NONE || !quantifier(p, &node.min, &node.max))
		return kid;
	if (!quantifiable)
		return js_refuse(p, "nothing to repeat");
	if (node.min > node.max)
		return js_refuse(p, "a repeat's numbers are out of order");
	if (node.min > JS_REPEAT_MAX || (node.max != JS_UNBOUNDED && node.max > JS_REPEAT_MAX))
		return js_refuse(p, "a repeat of more than 65535");
	node.lazy = js_eat(p, '?');
	return js_made(p, js_node_add_kids(p->ast, node, &kid, 1));
}

static uint32_t dot(struct js_parser *p)
{
	struct js_set set = {0};

	if (p->ast->flags & JS_DOT_ALL)
		js_set_add(&set, 0, js_char_max(p->ast));
	else
		js_set_add_named(&set, JS_LINES, true, false, js_char_max(p->ast));
	return js_class_node(p, &set, false);
}

/* A character that stands for itself, or not at all. */
static uint32_t plain(struct js_parser *p, uint32_t c)
{
	uint32_t min, max;

	if (c == '*' || c == '+' || c == '?')
		return js_refuse(p, "nothing to repeat");
	if (js_is_unicode(p) && (c == '{' || c == '}' || c == ']'))
		return js_refuse(p, "a lone bracket");
	p->pos--;
	if (braces(p, &min, &max))
		return js_refuse(p, "nothing to repeat");
	p->pos++;
	return js_made(p, js_node_add(p->ast, (struct js_node){.kind = JS_CHAR, .value = c}));
}

static uint32_t atom(struct js_parser *p, bool *quantifiable)
{
	uint32_t c = p->src[p->pos++];

	*quantifiable = true;
	switch (c) {
	case '^':
	case '$':
		*quantifiable = false;
		return js_made(p, js_node_add(p->ast, (struct js_node){.kind = c == '^' ? JS_START
											: JS_END}));
	case '(':
		return group(p, quantifiable);
	case '[':
		return js_class(p);
	case '.':
		return dot(p);
	case '\\':
		*quantifiable = js_peek(p, 0) != 'b' && js_peek(p, 0) != 'B';
		return js_escape(p);
	default:
		return plain(p, c);
	}
}

static uint32_t sequence(struct js_parser *p)
{
	size_t base = p->stacked;

	for (uint32_t c; (c = js_peek(p, 0)) != JS_EOF && c != '|' && c != ')';) {
		bool quantifiable;
		uint32_t node = atom(p, &quantifiable);
		node = repeat(p, node, quantifiable);
		if (node == JS_NONE)
			return JS_NONE;
		p->stack[p->stacked++] = node;
	}
	return gather(p, base, JS_SEQ);
}

static uint32_t alternatives(struct js_parser *p)
{
	size_t base = p->stacked;

	do {
		uint32_t node = sequence(p);
		if (node == JS_NONE)
			return JS_NONE;
		p->stack[p->stacked++] = node;
	} while (js_eat(p, '|'));
	return gather(p, base, JS_ALT);
}

/* UTF-8 to what JavaScript would look at; every character at least one byte, so LEN is room. */
static bool decode(const char *source, size_t len, bool unicode, uint32_t *out, size_t *ret)
{
	size_t n = 0;

	for (size_t at = 0; at < len;) {
		struct utf8_char c = utf8_next(source, len, at);
		if (c.broken)
			return false;
		at += c.len;
		if (c.value > JS_UNIT_MAX && !unicode) {
			out[n++] = utf8_high(c.value);
			out[n++] = utf8_low(c.value);
		} else {
			out[n++] = c.value;
		}
	}
	*ret = n;
	return true;
}

int js_parse(const char *source, size_t len, unsigned flags, struct js_ast *ret, struct err *err)
{
	struct js_parser p = {.ast = ret, .err = err};

	*ret = (struct js_ast){.flags = flags};
	if (len > JS_SOURCE_MAX)
		return err_set(err, ERR_LIMIT, "regular expression: longer than %d bytes",
			       JS_SOURCE_MAX);
	AUTO_FREE uint32_t *src = calloc(len + 1, sizeof(*src));
	/* Each character stacks at most itself, each | and ( one more. */
	AUTO_FREE uint32_t *stack = calloc(2 * len + 2, sizeof(*stack));
	if (!src || !stack)
		return err_memory(err);
	if (!decode(source, len, flags & JS_UNICODE, src, &p.len))
		return err_set(err, ERR_INPUT, "regular expression: not UTF-8");
	p.src = src;
	p.stack = stack;
	if (!count_groups(&p))
		goto out;
	ret->groups = p.groups_total;
	ret->root = alternatives(&p);
	if (ret->root != JS_NONE && p.pos < p.len)
		ret->root = js_refuse(&p, "a closing parenthesis without an opening one");
	if (ret->root != JS_NONE)
		return 0;
out:
	js_ast_done(ret);
	return -1;
}
