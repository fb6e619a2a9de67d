/* SPDX-License-Identifier: MIT
 *
 * Recursive descent over decoded characters. The depth is checked before each recursion; the tree
 * limits the number of nodes.
 */
#include "scan/regex/parse.h"

#include <stdlib.h>

#include "base/scope.h"

static uint32_t alternatives(struct js_parser *p);

/* Moves the kids stacked since BASE into a node; a single kid needs none. */
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
		return js_refuse(p, "unknown kind of group");
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

/* {n} {n,} {n,m}; otherwise consumes nothing. */
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
		return js_refuse(p, "the numbers of a repeat are out of order");
	if (node.min > JS_REPEAT_MAX || (node.max != JS_UNBOUNDED && node.max > JS_REPEAT_MAX))
		return js_refuse(p, "a repeat count is above 65535");
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

/* A literal character, or an error. */
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

int js_parse(const char *source, size_t len, unsigned flags, struct js_ast *ret, struct err *err)
{
	struct js_parser p = {.ast = ret, .err = err};

	*ret = (struct js_ast){.flags = flags};
	if (len > JS_SOURCE_MAX)
		return err_set(err, ERR_LIMIT, "regular expression: longer than %d bytes",
			       JS_SOURCE_MAX);
	AUTO_FREE uint32_t *src = calloc(len + 1, sizeof(*src));
	/* Each character stacks at most one kid, each | and ( one more. */
	AUTO_FREE uint32_t *stack = calloc(2 * len + 2, sizeof(*stack));
	if (!src || !stack)
		return err_memory(err);
	if (!js_decode(source, len, flags & JS_UNICODE, src, &p.len))
		return err_set(err, ERR_INPUT, "regular expression: not UTF-8");
	p.src = src;
	p.stack = stack;
	if (!js_count_groups(&p))
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
