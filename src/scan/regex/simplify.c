/* SPDX-License-Identifier: MIT
 *
 * Rewrites, each for one weakness of PCRE2.
 * The tail: what may repeat at the end of an expression, or of a lookahead, is cut to its minimum;
 * back-references forbid it. A lookahead over the whole rest of the text needs to be tried only once.
 * Two repeats of one class in a row, which PCRE2 tries in every division, become one.
 * A lookbehind of several lengths, which PCRE2 takes only since 10.43, is spread into one alternative
 * for each length; back-references forbid it. One without a longest length may only be the first
 * thing in an expression, where it becomes part of the match. A lookbehind of many alternatives is
 * tried only where what follows it matches.
 */
#include "scan/regex/simplify.h"

#include <stdlib.h>
#include <string.h>

#include "base/scope.h"

enum { WIDE_MIN = 16, AHEAD_MAX = 8 };

static int32_t fixed_length(const struct js_ast *ast, uint32_t node);

static int32_t fixed_kids(const struct js_ast *ast, const struct js_node *n)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < n->count; i++) {
		int32_t len = fixed_length(ast, js_kid(ast, n, i));
		if (len < 0 || (n->kind == JS_ALT && i && len != sum))
			return -1;
		sum = n->kind == JS_ALT ? len : sum + len;
	}
	return sum <= JS_REPEAT_MAX ? (int32_t)sum : -1;
}

/* The number of characters that NODE matches if it is fixed, else -1. */
static int32_t fixed_length(const struct js_ast *ast, uint32_t node)
{
	const struct js_node *n = js_node_at(ast, node);
	int64_t len;

	switch (n->kind) {
	case JS_CHAR:
	case JS_CLASS:
		return 1;
	case JS_SEQ:
	case JS_ALT:
	case JS_GROUP:
		return fixed_kids(ast, n);
	case JS_REPEAT:
		len = fixed_length(ast, js_kid(ast, n, 0));
		if (n->min != n->max || len < 0 || len * n->min > JS_REPEAT_MAX)
			return -1;
		return (int32_t)(len * n->min);
	case JS_BACKREF:
		return -1;
	default:
		return 0;
	}
}

/* Alternatives of fixed length, each a node. */
struct forms {
	uint32_t id[JS_BEHIND_MAX];
	size_t count;
};

static bool push(struct forms *f, uint32_t id)
{
	if (f->count == JS_BEHIND_MAX || id == JS_NONE)
		return false;
	f->id[f->count++] = id;
	return true;
}

static uint32_t pair(struct js_ast *ast, uint32_t a, uint32_t b)
{
	uint32_t both[] = {a, b};

	if (js_is_empty(ast, a))
		return b;
	if (js_is_empty(ast, b))
		return a;
	return js_node_add_kids(ast, (struct js_node){.kind = JS_SEQ}, both, 2);
}

/* Each of F followed by each of NEXT. */
static bool multiply(struct js_ast *ast, struct forms *f, const struct forms *next)
{
	AUTO_FREE struct forms *out = calloc(1, sizeof(*out));

	if (!out)
		return false;
	for (size_t i = 0; i < f->count; i++)
		for (size_t k = 0; k < next->count; k++)
			if (!push(out, pair(ast, f->id[i], next->id[k])))
				return false;
	*f = *out;
	return true;
}

static bool spread(struct js_ast *ast, uint32_t id, struct forms *out);

/* The kids from FROM on that have a fixed length, as one node; FROM moves past them. */
static uint32_t fixed_run(struct js_ast *ast, uint32_t id, uint32_t *from)
{
	const struct js_node *n = js_node_at(ast, id);
	uint32_t first = *from;

	while (*from < n->count && fixed_length(ast, js_kid(ast, n, *from)) >= 0)
		++*from;
	struct js_node run = {.kind = JS_SEQ, .first = n->first + first, .count = *from - first};
	return js_node_add(ast, run);
}

static bool append(struct forms *out, const struct forms *more)
{
	for (size_t i = 0; i < more->count; i++)
		if (!push(out, more->id[i]))
			return false;
	return true;
}

static bool spread_seq(struct js_ast *ast, uint32_t id, struct forms *out)
{
	AUTO_FREE struct forms *next = calloc(1, sizeof(*next)), *now = calloc(1, sizeof(*now));

	if (!next || !now || !push(now, js_node_add(ast, (struct js_node){.kind = JS_SEQ})))
		return false;
	for (uint32_t i = 0; i < ast->node[id].count;) {
		next->count = 0;
		if (fixed_length(ast, js_kid(ast, &ast->node[id], i)) >= 0) {
			if (!push(next, fixed_run(ast, id, &i)))
				return false;
		} else if (!spread(ast, js_kid(ast, &ast->node[id], i++), next)) {
			return false;
		}
		if (!multiply(ast, now, next))
			return false;
	}
	return append(out, now);
}

static bool spread_repeat(struct js_ast *ast, uint32_t id, struct forms *out)
{
	AUTO_FREE struct forms *kid = calloc(1, sizeof(*kid)), *now = calloc(1, sizeof(*now));
	struct js_node n = ast->node[id];

	if (!kid || !now || n.max == JS_UNBOUNDED || !spread(ast, js_kid(ast, &n, 0), kid))
		return false;
	if (!push(now, js_node_add(ast, (struct js_node){.kind = JS_SEQ})))
		return false;
	for (uint32_t i = 0; i <= n.max; i++) {
		struct js_node times = {.kind = JS_REPEAT, .min = i, .max = i};
		if (kid->count == 1) {
			now->id[0] = js_node_add_kids(ast, times, kid->id, 1);
			now->count = 1;
		} else if (i && !multiply(ast, now, kid)) {
			return false;
		}
		if (i >= n.min && !append(out, now))
			return false;
	}
	return true;
}

static bool spread(struct js_ast *ast, uint32_t id, struct forms *out)
{
	struct js_node n = ast->node[id];

	if (fixed_length(ast, id) >= 0)
		return push(out, id);
	if (n.kind == JS_SEQ)
		return spread_seq(ast, id, out);
	if (n.kind == JS_REPEAT)
		return spread_repeat(ast, id, out);
	for (uint32_t i = 0; i < n.count; i++)
		if (!spread(ast, js_kid(ast, &n, i), out))
			return false;
	return n.kind == JS_ALT || n.kind == JS_GROUP;
}

/* Each alternative of a lookbehind may have a length of its own; a part of an alternative may
 * not. */
static bool needs_spread(const struct js_ast *ast, uint32_t id)
{
	const struct js_node *n = js_node_at(ast, id);

	if (n->kind != JS_ALT)
		return fixed_length(ast, id) < 0;
	for (uint32_t i = 0; i < n->count; i++)
		if (fixed_length(ast, js_kid(ast, n, i)) < 0)
			return true;
	return false;
}

/* If the lookbehind is the first part of the expression, makes it part of the match. */
static bool take_in(struct js_ast *ast, uint32_t look)
{
	const struct js_node *root = js_node_at(ast, ast->root), *n = js_node_at(ast, look);
	uint32_t kid = js_kid(ast, n, 0);

	if (n->negative)
		return false;
	if (ast->root == look)
		ast->root = kid;
	else if (root->kind == JS_SEQ && root->count && js_kid(ast, root, 0) == look)
		ast->kid[root->first] = kid;
	else
		return false;
	ast->start_moved = true;
	return true;
}

static int spread_look(struct js_ast *ast, uint32_t look, struct err *err)
{
	AUTO_FREE struct forms *forms = calloc(1, sizeof(*forms));
	uint32_t kid = js_kid(ast, &ast->node[look], 0), all;

	if (!needs_spread(ast, kid))
		return 0;
	if (ast->has_backref)
		return err_set(
			err, ERR_INPUT,
			"regular expression: a lookbehind of several lengths is not supported with "
			"back-references");
	if (forms && spread(ast, kid, forms)) {
		all = js_node_add_kids(ast, (struct js_node){.kind = JS_ALT}, forms->id,
				       forms->count);
		if (all != JS_NONE) {
			ast->kid[ast->node[look].first] = all;
			ast->node[look].value = kid + 1;
			return 0;
		}
	}
	if (take_in(ast, look))
		return 0;
	return err_set(
		err, ERR_INPUT,
		"regular expression: a lookbehind without a maximum length, or with too many "
		"lengths");
}

/* Does ID hold a lookbehind of so many alternatives that trying it everywhere is slow? */
static bool has_wide(const struct js_ast *ast, uint32_t id)
{
	const struct js_node *n = js_node_at(ast, id);

	if (n->kind == JS_CLASS)
		return false;
	if (n->kind == JS_LOOK && n->behind && ast->node[js_kid(ast, n, 0)].count > WIDE_MIN &&
	    ast->node[js_kid(ast, n, 0)].kind == JS_ALT)
		return true;
	for (uint32_t i = 0; i < n->count; i++)
		if (has_wide(ast, js_kid(ast, n, i)))
			return true;
	return false;
}

/* Characters, boundaries, and sequences of these. */
static bool is_plain(const struct js_ast *ast, uint32_t id)
{
	const struct js_node *n = js_node_at(ast, id);

	if (n->kind == JS_CHAR || n->kind == JS_CLASS || n->kind == JS_WORD)
		return true;
	if (n->kind != JS_SEQ && n->kind != JS_ALT)
		return false;
	for (uint32_t i = 0; i < n->count; i++)
		if (!is_plain(ast, js_kid(ast, n, i)))
			return false;
	return true;
}

/* Puts a lookahead for the node after kid AT of SEQ before that kid. */
static int look_first(struct js_ast *ast, uint32_t seq, uint32_t at)
{
	struct js_node n = ast->node[seq];
	uint32_t end = at + 1, kids[JS_SOURCE_MAX / 64];

	while (end < n.count && end - at <= AHEAD_MAX && is_plain(ast, js_kid(ast, &n, end)))
		end++;
	if (end == at + 1 || n.count + 1 > ARRAY_SIZE(kids))
		return 0;
	struct js_node run = {.kind = JS_SEQ, .first = n.first + at + 1, .count = end - at - 1};
	uint32_t body = js_node_add(ast, run);
	for (uint32_t i = 0; i < n.count; i++)
		kids[i + (i >= at)] = js_kid(ast, &n, i);
	kids[at] = body == JS_NONE
			   ? JS_NONE
			   : js_node_add_kids(ast, (struct js_node){.kind = JS_LOOK}, &body, 1);
	uint32_t made = kids[at] == JS_NONE ? JS_NONE : js_node_add_kids(ast, n, kids, n.count + 1);
	if (made == JS_NONE)
		return -1;
	ast->node[seq] = ast->node[made];
	return 0;
}

static int hurry(struct js_ast *ast)
{
	uint32_t nodes = ast->nodes;

	for (uint32_t id = 0; id < nodes; id++) {
		for (uint32_t i = 0; ast->node[id].kind == JS_SEQ && i < ast->node[id].count; i++) {
			uint32_t kid = js_kid(ast, &ast->node[id], i);
			if (fixed_length(ast, kid) != 0 || !has_wide(ast, kid))
				continue;
			if (look_first(ast, id, i) < 0)
				return -1;
			break;
		}
	}
	return 0;
}

static int simplify_behind(struct js_ast *ast, struct err *err)
{
	uint32_t nodes = ast->nodes;
	bool any = false;

	for (uint32_t id = 0; id < nodes; id++) {
		if (ast->node[id].kind != JS_LOOK || !ast->node[id].behind)
			continue;
		any = true;
		if (spread_look(ast, id, err) < 0)
			return -1;
	}
	if (any && hurry(ast) < 0)
		return err_set(err, ERR_LIMIT, "regular expression: too large");
	return 0;
}

/* ID without the parts that may be left out at its end: unchanged, changed, or a part of it. */
static uint32_t trim(struct js_ast *ast, uint32_t id)
{
	struct js_node *n = &ast->node[id];
	uint32_t *kid = n->kind != JS_CLASS && n->count ? ast->kid + n->first : NULL;

	if (!kid) /* a leaf */
		return id;
	switch (n->kind) {
	case JS_SEQ:
		while (n->count) {
			uint32_t last = trim(ast, kid[n->count - 1]);
			kid[n->count - 1] = last;
			if (!js_is_empty(ast, last))
				break;
			n->count--;
		}
		return id;
	case JS_ALT:
		for (uint32_t i = 0; i < n->count; i++) {
			kid[i] = trim(ast, kid[i]);
			if (js_is_empty(ast, kid[i]))
				return kid[i];
		}
		return id;
	case JS_REPEAT:
		n->max = n->min;
		n->lazy = false;
		if (n->min > 1)
			return id;
		if (n->min == 1)
			return trim(ast, kid[0]);
		*n = (struct js_node){.kind = JS_SEQ};
		return id;
	case JS_GROUP:
		return trim(ast, kid[0]);
	default:
		return id;
	}
}

static void trim_all(struct js_ast *ast)
{
	ast->root = trim(ast, ast->root);
	for (uint32_t i = 0; i < ast->nodes; i++) {
		const struct js_node *n = &ast->node[i];
		if (n->kind == JS_LOOK && !n->behind)
			ast->kid[n->first] = trim(ast, ast->kid[n->first]);
	}
}

static bool is_same_class(const struct js_ast *ast, uint32_t a, uint32_t b)
{
	const struct js_node *x = js_node_at(ast, a), *y = js_node_at(ast, b);

	return x->kind == JS_CLASS && y->kind == JS_CLASS && x->count == y->count && x->count &&
	       !memcmp(ast->range + x->first, ast->range + y->first,
		       x->count * sizeof(*ast->range));
}

static uint32_t add_times(uint32_t a, uint32_t b)
{
	return a == JS_UNBOUNDED || b == JS_UNBOUNDED ? JS_UNBOUNDED : a + b;
}

/* Makes kid AT + 1 part of kid AT; false when they differ or repeat too often. */
static bool merge(struct js_ast *ast, struct js_node *seq, uint32_t at)
{
	uint32_t *kid = ast->kid + seq->first;
	struct js_node *a = &ast->node[kid[at]], b = ast->node[kid[at + 1]];

	if (a->kind != JS_REPEAT || b.kind != JS_REPEAT || a->lazy != b.lazy ||
	    !is_same_class(ast, js_kid(ast, a, 0), js_kid(ast, &b, 0)))
		return false;
	struct js_node both = *a;
	both.min += b.min;
	both.max = add_times(a->max, b.max);
	if (both.min > JS_REPEAT_MAX || (both.max > JS_REPEAT_MAX && both.max != JS_UNBOUNDED))
		return false;
	*a = both;
	memmove(kid + at + 1, kid + at + 2, (seq->count - at - 2) * sizeof(*kid));
	seq->count--;
	return true;
}

/* X{a,b}X{c,d} becomes X{a+c,b+d}. Runs before other rewrites, while no node is shared. */
static void merge_all(struct js_ast *ast)
{
	for (uint32_t id = 0; id < ast->nodes; id++)
		for (uint32_t i = 0; ast->node[id].kind == JS_SEQ && i + 1 < ast->node[id].count;)
			i += !merge(ast, &ast->node[id], i);
}

/* (?=[^]*...): if it holds at a place, it holds at every place before. */
static bool looks_anywhere(const struct js_ast *ast, uint32_t id)
{
	const struct js_node *n = js_node_at(ast, id);

	if (n->kind != JS_LOOK || n->behind || n->negative)
		return false;
	n = js_node_at(ast, js_kid(ast, n, 0));
	if (n->kind != JS_SEQ || !n->count)
		return false;
	n = js_node_at(ast, js_kid(ast, n, 0));
	if (n->kind != JS_REPEAT || n->min || n->max != JS_UNBOUNDED)
		return false;
	n = js_node_at(ast, js_kid(ast, n, 0));
	return n->kind == JS_CLASS && n->count == 1 && ast->range[n->first].low == 0 &&
	       ast->range[n->first].high == js_char_max(ast);
}

/* An expression of only this matches at the start or not at all. */
static int anchor(struct js_ast *ast)
{
	const struct js_node *root = js_node_at(ast, ast->root);
	uint32_t count = root->kind == JS_SEQ ? root->count : 1, both[2];

	for (uint32_t i = 0; i < count; i++)
		if (!looks_anywhere(ast, root->kind == JS_SEQ ? js_kid(ast, root, i) : ast->root))
			return 0;
	if (!count || ast->flags & JS_MULTILINE)
		return 0;
	both[0] = js_node_add(ast, (struct js_node){.kind = JS_START});
	both[1] = ast->root;
	uint32_t all = js_node_add_kids(ast, (struct js_node){.kind = JS_SEQ}, both, 2);
	if (both[0] == JS_NONE || all == JS_NONE)
		return -1;
	ast->root = all;
	return 0;
}

int js_simplify(struct js_ast *ast, struct err *err)
{
	merge_all(ast);
	if (!ast->has_backref)
		trim_all(ast);
	if (anchor(ast) < 0)
		return err_set(err, ERR_LIMIT, "regular expression: too large");
	return simplify_behind(ast, err);
}
