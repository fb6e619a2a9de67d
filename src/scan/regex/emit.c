/* SPDX-License-Identifier: MIT
 *
 * One function for each kind of node. The switch (?i) is followed as PCRE2 follows it: a group ends
 * it, a | does not. Case in the wide form is written out ([sS]) wherever PCRE2 takes more characters
 * for equal than JavaScript does; elsewhere (?i) is switched on and off in place. The ASCII form has
 * no character beyond ASCII. PCRE2 would copy a large group that is repeated many times, and overflow
 * its 64 KB: such a group is written once, behind the pattern, and called. Before every repeat that
 * can make a match slow there is a callout, the toll, whose number says how far it may read.
 */
#include "scan/regex/emit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "scan/regex/char_set.h"
#include "scan/regex/toll.h"

enum { ASCII_MAX = 0x7f };

struct emitter {
	const struct js_ast *ast;
	enum js_form form;
	char *text;
	size_t len, room;
	bool failed;
	bool folding;	       /* (?i) is on here; wide form only */
	enum js_before before; /* what was written last */
	uint32_t branches;     /* of the part that follows the node being written */
	uint32_t ways;	       /* see js_toll_of_run */
	bool in_behind;
	uint8_t *life;
	uint32_t sub[JS_SUBS_MAX];
	unsigned subs;
};

static void put_bytes(struct emitter *e, const char *s, size_t len)
{
	if (e->len + len + 1 > e->room) {
		size_t room = e->room ? e->room : 256;
		while (room < e->len + len + 1)
			room *= 2;
		char *grown = room <= JS_PATTERN_MAX ? realloc(e->text, room) : NULL;
		if (!grown) {
			e->failed = true;
			return;
		}
		e->text = grown;
		e->room = room;
	}
	memcpy(e->text + e->len, s, len);
	e->len += len;
	e->text[e->len] = '\0';
}

static void put(struct emitter *e, const char *s)
{
	put_bytes(e, s, strlen(s));
}

static void put_char(struct emitter *e, uint32_t c)
{
	char buf[16];
	bool alnum = c - '0' < 10 || (c | 32) - 'a' < 26;

	snprintf(buf, sizeof(buf), alnum || c == ' ' ? "%c" : "\\x{%x}", c);
	put(e, buf);
}

static bool ignores_case(const struct emitter *e)
{
	return e->ast->flags & JS_IGNORE_CASE;
}

static void put_fold(struct emitter *e, bool on)
{
	if (e->form != JS_WIDE || e->folding == on || !ignores_case(e))
		return;
	put(e, on ? "(?i)" : "(?-i)");
	e->folding = on;
}

static void put_ranges(struct emitter *e, const struct js_range *r, size_t count, bool negative)
{
	put(e, negative ? "[^" : "[");
	for (size_t i = 0; i < count; i++) {
		put_char(e, r[i].low);
		if (r[i].high > r[i].low + 1)
			put(e, "-");
		if (r[i].high > r[i].low)
			put_char(e, r[i].high);
	}
	put(e, "]");
}

/* Writes a class that matches exactly these characters. */
static void put_set(struct emitter *e, const struct js_range *r, size_t count)
{
	uint32_t max = e->form == JS_ASCII ? ASCII_MAX : js_char_max(e->ast);
	struct js_set not = {0};

	put_fold(e, false);
	for (size_t i = 0; i < count; i++)
		js_set_add(&not, r[i].low, r[i].high);
	js_set_negate(&not, max);
	e->failed |= not .failed;
	bool open = count && r[count - 1].high == max;
	if (!count)
		put(e, "(?:(?!))");
	else if (!not .count)
		put(e, ".");
	else if (open && not .count <= count)
		put_ranges(e, not .range, not .count, true);
	else if (count == 1 && r[0].low == r[0].high)
		put_char(e, r[0].low);
	else
		put_ranges(e, r, count, false);
	js_set_done(&not );
}

/* Copies the ranges up to 0x7f; OUT has room for all. */
static size_t clip(const struct js_range *r, size_t count, struct js_range *out)
{
	size_t n = 0;

	for (size_t i = 0; i < count && r[i].low <= ASCII_MAX; i++)
		out[n++] =
			(struct js_range){r[i].low, r[i].high < ASCII_MAX ? r[i].high : ASCII_MAX};
	return n;
}

static void put_class(struct emitter *e, const struct js_node *n)
{
	struct js_range ascii[ASCII_MAX + 1];
	const struct js_range *r = n->count ? e->ast->range + n->first : NULL;
	size_t count = n->count;

	if (e->form == JS_ASCII) {
		count = clip(r, count, ascii);
		r = ascii;
	}
	/* Under PCRE2_CASELESS, [sS] can be written as s. */
	if (e->form == JS_ASCII && ignores_case(e) && count == 2 && r[0].low == r[0].high &&
	    r[1].low == r[1].high && (r[0].low | 32) == r[1].low && r[1].low - 'a' < 26)
		put_char(e, r[1].low);
	else
		put_set(e, r, count);
}

/* All characters that a literal matches, as closed ranges. */
static size_t literal_set(const struct emitter *e, uint32_t c, struct js_range out[JS_CASE_MAX])
{
	uint32_t all[JS_CASE_MAX] = {c};
	size_t n = ignores_case(e) ? js_case_all(c, e->ast->flags & JS_UNICODE, all) : 1;
	struct js_set set = {0};

	for (size_t i = 0; i < n; i++)
		if (e->form == JS_WIDE || all[i] <= ASCII_MAX)
			js_set_add(&set, all[i], all[i]);
	js_set_close(&set);
	n = set.count;
	for (size_t i = 0; i < n; i++)
		out[i] = set.range[i];
	js_set_done(&set);
	return n;
}

static void put_literal(struct emitter *e, const struct js_node *n)
{
	struct js_range set[JS_CASE_MAX];
	uint32_t letter = n->value | 32;
	bool ascii = n->value <= ASCII_MAX;

	if (ascii && letter - 'a' >= 26) {
		put_char(e, n->value);
		return;
	}
	/* In UTF mode PCRE2 takes the long s for an s and the Kelvin sign for a k. */
	if (ascii && ignores_case(e) && (e->form == JS_ASCII || (letter != 's' && letter != 'k'))) {
		put_fold(e, true);
		put_char(e, letter);
		return;
	}
	put_set(e, set, literal_set(e, n->value, set));
}

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
		life = n->value <= ASCII_MAX || literal_set(e, n->value, set) ? ALIVE : DEAD;
	else if (n->kind == JS_CLASS)
		life = n->count && (e->form == JS_WIDE || e->ast->range[n->first].low <= ASCII_MAX)
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

/* Writes the branches of an alternation, or a single part. When a back-reference exists, no branch
 * is left out, because group numbers must stay. */
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
			put(e, "|");
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
		put(e, "(?!)");
}

static void emit_in(struct emitter *e, const char *open, uint32_t id)
{
	bool folding = e->folding;

	put(e, open);
	emit_branches(e, id);
	put(e, ")");
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

/* An estimate of the bytes that PCRE2 compiles it to. */
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

/* The number of the group after the pattern that holds ID, or 0. */
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
	put(e, buf);
	if (n->lazy)
		put(e, "?");
}

static void put_toll(struct emitter *e, unsigned toll)
{
	char buf[16];

	if (e->in_behind || toll == JS_TOLL_NONE)
		return;
	snprintf(buf, sizeof(buf), "(?C%u)", toll);
	put(e, buf);
}

static bool ends_at_edge(const struct js_ast *ast, uint32_t id)
{
	const struct js_node *n = js_node_at(ast, id);

	while (n->kind == JS_SEQ && n->count)
		n = js_node_at(ast, js_kid(ast, n, n->count - 1));
	return n->kind == JS_WORD && !n->negative;
}

/* Writes a repeated part with a toll for each iteration. */
static void emit_loop(struct emitter *e, const struct js_node *n, uint32_t kid)
{
	if (e->before == JS_AFTER_EDGE && !ends_at_edge(e->ast, kid))
		e->before = JS_AFTER_ANY;
	put(e, "(?:");
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
		return; /* ALIVE itself, so its minimum is 0 */
	if (kind == JS_CHAR || kind == JS_CLASS) {
		put_toll(e, js_toll_of_run(e->ast, n, e->branches, e->before, &e->ways));
		emit(e, kid);
	} else if ((sub = find_sub(e, n, id))) {
		snprintf(buf, sizeof(buf), "(?%u)", sub);
		put(e, buf);
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
		return; /* ALIVE itself, so it is negative */
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
		put(e, start ? "\\A" : "\\z");
	else if (e->form == JS_ASCII)
		put(e, start ? "(?<![^\\n\\r])" : "(?![^\\n\\r])");
	else
		put(e,
		    start ? "(?<![^\\n\\r\\x{2028}\\x{2029}])" : "(?![^\\n\\r\\x{2028}\\x{2029}])");
}

/* With i and u together the long s and the Kelvin sign are word characters too. */
static void emit_word(struct emitter *e, const struct js_node *n)
{
	bool both = ignores_case(e) && e->ast->flags & JS_UNICODE && e->form == JS_WIDE;

	put_fold(e, false);
	if (!both)
		put(e, n->negative ? "\\B" : "\\b");
	else if (n->negative)
		put(e, "(?:(?<=[\\w\\x{17f}\\x{212a}])(?=[\\w\\x{17f}\\x{212a}])|"
		       "(?<![\\w\\x{17f}\\x{212a}])(?![\\w\\x{17f}\\x{212a}]))");
	else
		put(e, "(?:(?<=[\\w\\x{17f}\\x{212a}])(?![\\w\\x{17f}\\x{212a}])|"
		       "(?<![\\w\\x{17f}\\x{212a}])(?=[\\w\\x{17f}\\x{212a}]))");
}

static void emit_backref(struct emitter *e, const struct js_node *n)
{
	char buf[24];

	put_fold(e, true);
	put_toll(e, JS_TOLL_BACK);
	snprintf(buf, sizeof(buf), "\\g{%u}", n->value);
	put(e, buf);
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
		put_literal(e, n);
		e->before = JS_AFTER_CHAR;
		break;
	case JS_CLASS:
		put_class(e, n);
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
	put(&e, "");
	emit_branches(&e, ast->root);
	for (unsigned i = 0; i < e.subs; i++) {
		e.before = JS_AFTER_ANY;
		put(&e, "(?(DEFINE)(");
		put_toll(&e, JS_TOLL_CALL);
		emit_in(&e, "", e.sub[i]);
		put(&e, ")");
	}
	if (e.failed) {
		free(e.text);
		return err_set(err, ERR_LIMIT, "regular expression: too large for PCRE2");
	}
	ret->text = e.text;
	ret->len = e.len;
	return 0;
}
