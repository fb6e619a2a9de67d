/* SPDX-License-Identifier: MIT
 *
 * Kinds of characters: those that no state and no test of a linear form tells apart. ASCII has its
 * kinds when the form is made; others get theirs when they are first read, up to a number: there
 * are a million of them. Which kind a character is must never change what it does.
 */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "scan/linear_graph.h"

static bool has_char(const struct linear_class *c, uint32_t value)
{
	size_t low = 0, high = c->count;

	while (low < high) {
		size_t mid = (low + high) / 2;
		if (c->range[mid].high < value)
			low = mid + 1;
		else
			high = mid;
	}
	return low < c->count && c->range[low].low <= value;
}

/* The states that take character VALUE. */
static void fill_row(const struct linear *l, uint32_t value, uint64_t *row)
{
	memset(row, 0, l->words * sizeof(*row));
	for (uint32_t i = 0; i < l->classes; i++) {
		const struct linear_list *list = &l->class[i].states;
		if (!has_char(&l->class[i], value))
			continue;
		for (uint32_t k = list->first; k < list->first + list->count; k++)
			row[l->bits[k].word] |= l->bits[k].bits;
	}
}

unsigned linear_side(const struct linear *l, uint32_t c)
{
	bool word = (c | 32) - 'a' < 26 || c - '0' < 10 || c == '_' ||
		    (l->wide_words && (c == 0x17f || c == 0x212a));
	bool edge = c == LINEAR_NO_CHAR ||
		    (l->multiline && (c == '\n' || c == '\r' || c == 0x2028 || c == 0x2029));

	return l->has_sides ? (word ? LINEAR_WORD : 0) | (edge ? LINEAR_EDGE : 0) : 0;
}

static bool opens(const struct linear *l, const uint64_t *row)
{
	uint64_t any = l->can_be_empty;

	for (uint32_t i = 0; i < l->words; i++)
		any |= row[i] & l->first[i];
	return any;
}

/* The kind of C, whose row is in the place behind the last; a new one if nobody was like it. */
static uint32_t find_kind(struct linear *l, uint32_t c)
{
	const uint64_t *row = l->row + (size_t)l->kinds * l->words;
	uint8_t side = (uint8_t)linear_side(l, c);
	uint32_t kind = 1;

	while (kind < l->kinds &&
	       (l->side[kind] != side ||
		memcmp(l->row + (size_t)kind * l->words, row, l->words * sizeof(*row)) != 0))
		kind++;
	if (kind < l->kinds)
		return kind;
	l->side[kind] = side;
	l->opens[kind] = opens(l, row);
	l->kinds += l->kinds < l->kinds_room;
	return kind;
}

uint32_t linear_far_kind(struct linear *l, uint32_t c)
{
	struct linear_far *far = &l->far[c % LINEAR_FAR];

	if (far->value == c)
		return far->kind;
	fill_row(l, c, l->row + (size_t)l->kinds * l->words);
	uint32_t kind = find_kind(l, c);
	if (kind < l->kinds)
		*far = (struct linear_far){c, (uint8_t)kind};
	return kind;
}

/* Kinds beyond ASCII at most: where ranges of a class begin or end, characters change. */
static uint32_t far_kinds(const struct linear_graph *g)
{
	uint32_t most = 2;

	for (uint32_t i = 0; i < g->classes; i++)
		for (size_t k = 0; k < g->class[i].count && most < LINEAR_FAR_KINDS; k++)
			most += g->class[i].range[k].high >= LINEAR_ASCII ? 2 : 0;
	return most < LINEAR_FAR_KINDS ? most : LINEAR_FAR_KINDS;
}

/* Characters that nobody tells apart are of one kind. */
void linear_finish_kinds(struct linear_graph *g)
{
	struct linear *l = g->l;
	uint32_t far = far_kinds(g);

	for (uint32_t i = 0; i < g->tests; i++)
		l->has_sides |= g->test[i].kind != JS_LOOK;
	l->kinds = 1;
	l->kinds_room = LINEAR_ASCII + 1 + far;
	l->far = linear_zeroed(g->arena, LINEAR_FAR, sizeof(*l->far));
	l->side = linear_zeroed(g->arena, l->kinds_room + 1, sizeof(*l->side));
	l->opens = linear_zeroed(g->arena, l->kinds_room + 1, sizeof(*l->opens));
	size_t size = l->words * sizeof(*l->row);
	AUTO_FREE uint64_t *all = calloc(l->kinds_room + 1, size);
	if (!all || g->arena->failed) {
		g->failed = true;
		return;
	}
	l->row = all;
	l->opens[0] = true;
	l->side[0] = (uint8_t)linear_side(l, LINEAR_NO_CHAR);
	for (uint32_t c = 0; c < LINEAR_ASCII; c++) {
		fill_row(l, c, all + (size_t)l->kinds * l->words);
		l->kind_of[c] = (uint8_t)find_kind(l, c);
	}
	memset(l->can_begin, true, sizeof(l->can_begin));
	for (uint32_t c = 0; c < LINEAR_ASCII; c++)
		l->can_begin[c] = l->opens[l->kind_of[c]];
	l->kinds_room = l->kinds + far;
	l->row = arena_alloc(g->arena, (l->kinds_room + 1) * size);
	if (!g->arena->failed)
		memcpy(l->row, all, (l->kinds + 1) * size);
}
