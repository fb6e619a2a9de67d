/* SPDX-License-Identifier: MIT
 *
 * One function for each kind of node; characters and classes are js_write.c's. The switch (?i) is
 * followed as PCRE2 follows it: a group ends it, a | does not. A large group repeated many times
 * would be copied by PCRE2 and its 64 KB overflow: it is written once, behind the pattern, and
 * called. Before every repeat that can make a match slow there is a callout, the toll, whose number
 * says how far it may read.
 */
#include "scan/js_emit.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/scope.h"
#include "scan/js_write.h"

enum { SUB_COST = 12000, CLASS_COST = 36, COST_MAX = 1 << 30 };

enum life { UNKNOWN, ALIVE, DEAD };

static enum life find_life(struct emitter *e, uint32_t id);

static enum life seq_life(struct emitter *e, const struct js_node *n)
{
	for (uint32_t i = 0; i < n->count; i++)
		if (find_life(e, js_kid(e->ast, n, i)) == DEAD)
			return DEAD;
	return ALIVE;
}

static enum life alt_life(struct emitter *e, const struct js_node *n)
{
	enum life life = DEAD;

	for (uint32_t i = 0; i < n->count; i++)
		if (find_life(e, js_kid(e->ast, n, i)) == ALIVE)
			life = ALIVE;
	return life;
}

/* Can the node match anything in a text of this form? */
static enum life find_life(struct emitter *e, uint32_t id)
{
	const struct js_node *n = js_node_at(e->ast, id);
	struct js_range set[JS_CASE_MAX];
	enum life life = ALIVE;

	if (e->life[id] != UNKNOWN)
		return e->life[id];
	if (n->kind == JS_CHAR)
		life = n->value <= JS_ASCII_MAX || js_literal_set(e, n->value, set) ? ALIVE : DEAD;
	else if (n->kind == JS_CLASS)
		life = n->count && (e->form == JS_WIDE ||
				    e->ast->range[n->first].low <= JS_ASCII_MAX)
			       ? ALIVE
			       : DEAD;
	else if (n->kind == JS_SEQ)
		life = seq_life(e, n);
	else if (n->kind == JS_ALT)
		life = alt_life(e, n);
	else if (n->count)
		life = find_life(e, js_kid(e->ast, n, 0));
	if ((n->kind == JS_LOOK && n->negative) || (n->kind == JS_REPEAT && !n->min))
		life = ALIVE;
	return e->life[id] = (uint8_t)life;
}

static void emit(struct emitter *e, uint32_t id);

/* Branches of an alternation, or the one thing there is. Numbers of groups must stay, so nothing
 * is left out when something refers to them. */
static void emit_branches(struct emitter *e, uint32_t id)
{
	const struct js_node *n = js_node_at(e->ast, id);
	uint32_t ways = e->ways, most = e->ways;
	enum js_before before = e->before == JS_AFTER_EDGE ? JS_AFTER_EDGE : JS_AFTER_ANY;
	bool first = true, edge = true;

	if (n->kind != JS_ALT) {
		emit(e, id);
		return;
	}
	for (uint32_t i = 0; i < n->count; i++) {
		uint32_t kid = js_kid(e->ast, n, i);
		if (!e->ast->has_backref && find_life(e, kid) == DEAD)
			continue;
		if (!first)
			js_put(e, "|");
		first = false;
		e->before = before;
		e->ways = ways;
		emit(e, kid);
		edge &= e->before == JS_AFTER_EDGE;
		most = e->ways > most ? e->ways : most;
	}
	e->ways = most;
	if (e->before == JS_AFTER_EDGE && !edge)
		e->before = JS_AFTER_ANY;
	if (first)
		js_put(e, "(?!)");
}

static void emit_in(struct emitter *e, const char *open, uint32_t id)
{
	bool folding = e->folding;

	js_put(e, open);
	emit_branches(e, id);
	js_put(e, ")");
	e->folding = folding;
}

static void emit_seq(struct emitter *e, const struct js_node *n)
{
	for (uint32_t i = 0; i < n->count; i++) {
		e->branches = js_toll_branches(e->ast, n, i + 1);
		emit(e, js_kid(e->ast, n, i));
	}
}

static void emit_group(struct emitter *e, const struct js_node *n)
{
	emit_in(e, e->ast->has_backref ? "(" : "(?:", js_kid(e->ast, n, 0));
}

/* About how many bytes PCRE2 compiles it to. */
static uint64_t cost(const struct emitter *e, uint32_t id)
{
	const struct js_node *n = js_node_at(e->ast, id);
	uint64_t sum = 8;

	if (n->kind == JS_CHAR)
		return (n->value | 32) == 's' || (n->value | 32) == 'k' ? CLASS_COST : 4;
	if (n->kind == JS_CLASS)
		return CLASS_COST + 6 * (uint64_t)n->count;
	for (uint32_t i = 0; i < n->count && sum < COST_MAX; i++)
		sum += cost(e, js_kid(e->ast, n, i)) + 3;
	if (n->kind == JS_REPEAT) {
		const struct js_node *kid = js_node_at(e->ast, js_kid(e->ast, n, 0));
		bool one = kid->kind == JS_CHAR || kid->kind == JS_CLASS;
		sum *= one ? 2 : n->max != JS_UNBOUNDED ? n->max : n->min + 1;
	}
	return sum < COST_MAX ? sum : COST_MAX;
}

/* The number of the group behind the pattern that holds ID, or 0. */
static unsigned find_sub(struct emitter *e, const struct js_node *n, uint32_t id)
{
	uint32_t kid = js_kid(e->ast, n, 0);
	unsigned i = 0, base = e->ast->has_backref ? e->ast->groups : 0;

	if (e->in_behind || e->ast->has_backref || n->max < 2 || cost(e, id) < SUB_COST)
		return 0;
	while (i < e->subs && e->sub[i] != kid)
		i++;
	if (i == JS_SUBS_MAX)
		return 0;
	if (i == e->subs)
		e->sub[e->subs++] = kid;
	return base + i + 1;
}

static void put_times(struct emitter *e, const struct js_node *n)
{
	char buf[40];

	if (n->min == 1 && n->max == 1)
		return;
	if (n->max == JS_UNBOUNDED && n->min <= 1)
		snprintf(buf, sizeof(buf), "%s", n->min ? "+" : "*");
	else if (n->max == JS_UNBOUNDED)
		snprintf(buf, sizeof(buf), "{%u,}", n->min);
	else if (n->min == 0 && n->max == 1)
		snprintf(buf, sizeof(buf), "?");
	else
		snprintf(buf, sizeof(buf), n->min == n->max ? "{%u}" : "{%u,%u}", n->min, n->max);
	js_put(e, buf);
	if (n->lazy)
		js_put(e, "?");
}

static void put_toll(struct emitter *e, unsigned toll)
{
	char buf[16];

	if (e->in_behind || toll == JS_TOLL_NONE)
		return;
	snprintf(buf, sizeof(buf), "(?C%u)", toll);
	js_put(e, buf);
}

static bool ends_at_edge(const struct js_ast *ast, uint32_t id)
{
	const struct js_node *n = js_node_at(ast, id);

	while (n->kind == JS_SEQ && n->count)
		n = js_node_at(ast, js_kid(ast, n, n->count - 1));
	return n->kind == JS_WORD && !n->negative;
}

/* What repeats, each time with its toll. Its begin is also behind its end. */
static void emit_loop(struct emitter *e, const struct js_node *n, uint32_t kid)
{
	if (e->before == JS_AFTER_EDGE && !ends_at_edge(e->ast, kid))
		e->before = JS_AFTER_ANY;
	js_put(e, "(?:");
	put_toll(e, js_toll_of_loop(n));
	emit_in(e, "", kid);
}

static void emit_repeat(struct emitter *e, const struct js_node *n, uint32_t id)
{
	uint32_t kid = js_kid(e->ast, n, 0);
	enum js_kind kind = js_node_at(e->ast, kid)->kind;
	unsigned sub;
	char buf[24];

	if (!e->ast->has_backref && (n->max == 0 || find_life(e, kid) == DEAD))
		return; /* alive itself, so its minimum is 0 */
	if (kind == JS_CHAR || kind == JS_CLASS) {
		put_toll(e, js_toll_of_run(e->ast, n, e->branches, e->before, &e->ways));
		emit(e, kid);
	} else if ((sub = find_sub(e, n, id))) {
		snprintf(buf, sizeof(buf), "(?%u)", sub);
		js_put(e, buf);
	} else {
		emit_loop(e, n, kid);
	}
	put_times(e, n);
	e->before = JS_AFTER_ANY;
}

static void emit_look(struct emitter *e, const struct js_node *n)
{
	static const char *const open[2][2] = {{"(?=", "(?!"}, {"(?<=", "(?<!"}};
	uint32_t kid = js_kid(e->ast, n, 0);
	enum js_before before = e->before;
	bool was = e->in_behind;

	if (!e->ast->has_backref && find_life(e, kid) == DEAD)
		return; /* alive itself, so it is negative */
	if (n->behind)
		put_toll(e, js_toll_of_behind(e->ast, n));
	e->in_behind |= n->behind;
	emit_in(e, open[n->behind][n->negative], kid);
	e->in_behind = was;
	e->before = before;
}

static void emit_line_edge(struct emitter *e, bool start)
{
	if (!(e->ast->flags & JS_MULTILINE))
		js_put(e, start ? "\\A" : "\\z");
	else if (e->form == JS_ASCII)
		js_put(e, start ? "(?<![^\\n\\r])" : "(?![^\\n\\r])");
	else
		js_put(e, start ? "(?<![^\\n\\r\\x{2028}\\x{2029}])"
				: "(?![^\\n\\r\\x{2028}\\x{2029}])");
}

/* With i and u together the long s and the Kelvin sign are letters of words, too. */
static void emit_word(struct emitter *e, const struct js_node *n)
{
	bool both = js_ignores_case(e) && e->ast->flags & JS_UNICODE && e->form == JS_WIDE;

	js_put_fold(e, false);
	if (!both)
		js_put(e, n->negative ? "\\B" : "\\b");
	else if (n->negative)
		js_put(e, "(?:(?<=[\\w\\x{17f}\\x{212a}])(?=[\\w\\x{17f}\\x{212a}])|"
			  "(?<![\\w\\x{17f}\\x{212a}])(?![\\w\\x{17f}\\x{212a}]))");
	else
		js_put(e, "(?:(?<=[\\w\\x{17f}\\x{212a}])(?![\\w\\x{17f}\\x{212a}])|"
			  "(?<![\\w\\x{17f}\\x{212a}])(?=[\\w\\x{17f}\\x{212a}]))");
}

static void emit_backref(struct emitter *e, const struct js_node *n)
{
	char buf[24];

	js_put_fold(e, true);
	put_toll(e, JS_TOLL_BACK);
	snprintf(buf, sizeof(buf), "\\g{%u}", n->value);
	js_put(e, buf);
	e->before = JS_AFTER_ANY;
}

static void emit(struct emitter *e, uint32_t id)
{
	const struct js_node *n = js_node_at(e->ast, id);

	switch (n->kind) {
	case JS_SEQ:
		emit_seq(e, n);
		break;
	case JS_ALT:
		emit_in(e, "(?:", id);
		break;
	case JS_CHAR:
		js_put_literal(e, n);
		e->before = JS_AFTER_CHAR;
		break;
	case JS_CLASS:
		js_put_class(e, n);
		e->before = JS_AFTER_ANY;
		break;
	case JS_GROUP:
		emit_group(e, n);
		break;
	case JS_REPEAT:
		emit_repeat(e, n, id);
		break;
	case JS_LOOK:
		emit_look(e, n);
		break;
	case JS_START:
	case JS_END:
		emit_line_edge(e, n->kind == JS_START);
		break;
	case JS_WORD:
		emit_word(e, n);
		if (!n->negative && e->before == JS_AFTER_ANY)
			e->before = JS_AFTER_EDGE;
		break;
	case JS_BACKREF:
	case JS_KINDS:
		emit_backref(e, n);
		break;
	}
}

int js_emit(const struct js_ast *ast, enum js_form form, struct js_pattern *ret, struct err *err)
{
	AUTO_FREE uint8_t *life = calloc(ast->nodes ? ast->nodes : 1, 1);
	struct emitter e = {.ast = ast, .form = form, .life = life, .ways = 1};

	*ret = (struct js_pattern){0};
	if (!life)
		return err_memory(err);
	ret->never = find_life(&e, ast->root) == DEAD;
	if (ret->never)
		return 0;
	js_put(&e, "");
	emit_branches(&e, ast->root);
	for (unsigned i = 0; i < e.subs; i++) {
		e.before = JS_AFTER_ANY;
		js_put(&e, "(?(DEFINE)(");
		put_toll(&e, JS_TOLL_CALL);
		emit_in(&e, "", e.sub[i]);
		js_put(&e, ")");
	}
	if (e.failed) {
		free(e.text);
		return err_set(err, ERR_LIMIT, "regular expression: too large for PCRE2");
	}
	ret->text = e.text;
	ret->len = e.len;
	return 0;
}
