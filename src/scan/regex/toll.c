/* SPDX-License-Identifier: MIT
 *
 * Decides which parts have a toll. Most repeats are small and have none, because PCRE2's own limit
 * is enough. But that limit counts at each place separately, and several small repeats in a row
 * are as slow as a large one: .{0,5} six times has fifty thousand ways at every place (00097#30 of
 * the public pack: 237 ms for 100 KB).
 */
#include "scan/regex/toll.h"

enum { TIMES_MIN = 12, WAYS_MIN = 24, BEHIND_MIN = 64 };

static bool class_has(const struct js_ast *ast, const struct js_node *n, uint32_t c)
{
	if (n->kind == JS_CHAR)
		return n->value == c;
	for (uint32_t i = 0; i < n->count; i++)
		if (ast->range[n->first + i].low <= c && c <= ast->range[n->first + i].high)
			return true;
	return false;
}

/* The work at each character read: 1, 4, 16 or 64 times that of one character. */
static unsigned weight_of(uint32_t branches)
{
	return branches < 4 ? 0 : branches < 13 ? 1 : branches < 49 ? 2 : 3;
}

static void multiply(uint32_t *ways, const struct js_node *repeat)
{
	uint64_t by = (uint64_t)repeat->max - repeat->min + 1, product = *ways * by;

	*ways = product < JS_TOLL_WAYS_MAX ? (uint32_t)product : JS_TOLL_WAYS_MAX;
}

/* Are all of its characters word characters, or none? Then it has one begin between two edges. */
static bool is_of_words_or_not(const struct js_ast *ast, const struct js_node *n)
{
	bool word = false, other = n->kind == JS_CHAR && n->value > 'z';

	for (uint32_t i = 0; n->kind == JS_CLASS && i < n->count; i++)
		other |= ast->range[n->first + i].high > 'z';
	for (uint32_t c = 0; c <= 'z'; c++) {
		bool letter = c - '0' < 10 || (c | 32) - 'a' < 26 || c == '_';
		if (class_has(ast, n, c))
			*(letter ? &word : &other) = true;
	}
	return word != other;
}

/* A run within a word, or of spaces, after a character is read once for each occurrence of that
 * character, which cannot explode. Neither can a part before a word's edge. */
static bool is_read_once(const struct js_ast *ast, const struct js_node *kid, enum js_before before)
{
	return before == JS_AFTER_CHAR || (before == JS_AFTER_EDGE && is_of_words_or_not(ast, kid));
}

unsigned js_toll_of_run(const struct js_ast *ast, const struct js_node *repeat, uint32_t branches,
			enum js_before before, uint32_t *ways)
{
	const struct js_node *kid = js_node_at(ast, js_kid(ast, repeat, 0));
	bool wide = class_has(ast, kid, ' ') && class_has(ast, kid, 'e');
	unsigned weight = weight_of(branches);
	uint64_t most = ((uint64_t)repeat->max << 2 * weight) / JS_TOLL_BYTES / JS_TOLL_FIXED;

	if (wide)
		multiply(ways, repeat);
	bool small = repeat->max < TIMES_MIN && (!wide || *ways < WAYS_MIN);
	if (small || repeat->min == repeat->max || (!wide && is_read_once(ast, kid, before)))
		return JS_TOLL_NONE;
	if (!wide)
		return JS_TOLL_RUN + weight;
	if (repeat->max != JS_UNBOUNDED)
		return most < JS_TOLL_FIXED_MAX ? (unsigned)most + 1 : JS_TOLL_FIXED_MAX;
	return weight + (class_has(ast, kid, '\n') ? JS_TOLL_ANY : JS_TOLL_LINE);
}

unsigned js_toll_of_loop(const struct js_node *repeat)
{
	return repeat->max < TIMES_MIN ? JS_TOLL_NONE : JS_TOLL_LOOP;
}

unsigned js_toll_of_behind(const struct js_ast *ast, const struct js_node *look)
{
	const struct js_node *kid = js_node_at(ast, js_kid(ast, look, 0));

	return kid->kind == JS_ALT && kid->count > BEHIND_MIN ? JS_TOLL_BEHIND : JS_TOLL_NONE;
}

uint32_t js_toll_branches(const struct js_ast *ast, const struct js_node *seq, uint32_t at)
{
	const struct js_node *n = at < seq->count ? js_node_at(ast, js_kid(ast, seq, at)) : NULL;

	while (n && (n->kind == JS_GROUP || (n->kind == JS_SEQ && n->count == 1)))
		n = js_node_at(ast, js_kid(ast, n, 0));
	return n && n->kind == JS_ALT ? n->count : 1;
}
