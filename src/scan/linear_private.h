/* SPDX-License-Identifier: MIT
 *
 * What making a linear form (linear_make.c) and running it (linear.c) share. A state is a bit. A
 * character moves every state that takes it to the next bit; where that is a way out of a part,
 * the states that can follow are added. States that stand for a test (a word's edge, a lookahead)
 * come last but one; they take no character.
 */
#ifndef CORDON_SCAN_LINEAR_PRIVATE_H
#define CORDON_SCAN_LINEAR_PRIVATE_H

#include "base/arena.h"
#include "scan/linear.h"

enum { LINEAR_ASCII = 128, LINEAR_CACHED = 64 };

/* Some states of one word. */
struct linear_bits {
	uint64_t bits;
	uint32_t word;
};

/* Of linear->bits. */
struct linear_list {
	uint32_t first, count;
};

/* Whoever is in one of the states of MASK can go on with those of THEN. */
struct linear_exit {
	uint64_t mask;
	struct linear_list then;
};

struct linear_test {
	enum js_kind kind;
	bool negative;
	struct linear *look;
	struct linear_list then;
};

struct linear_class {
	const struct js_range *range;
	size_t count;
	struct linear_list states; /* that take its characters */
	struct linear *look;	   /* if not NULL: only where this one says yes */
	bool negative;		   /* or no */
};

struct linear {
	uint32_t words;
	uint32_t accept; /* a state */
	uint64_t *row;	 /* of each kind of ASCII character: the states that take it */
	uint8_t row_of[LINEAR_ASCII];
	struct linear_class *class;
	uint32_t classes;
	uint32_t *guard; /* classes that have a lookaround */
	uint32_t guards;
	uint64_t *self, *exits, *tests; /* states that stay; that are ways out; that are tests */
	uint32_t *exit_at;		/* by word, and one more: its first one in EXIT */
	struct linear_exit *exit;
	struct linear_bits *bits;
	struct linear_list start;
	struct linear_test *test;
	uint32_t testc, first_test;
	bool can_begin[256]; /* with this byte */
	bool can_be_empty;   /* if its tests say so */
	bool multiline, wide_words;
	/* Of a lookbehind: how many bytes back it can begin, and up to where it has read. Of a
	 * lookahead: the place that was last asked about, and the answer. Of one without a longest
	 * length, which reads backwards from the text's end: up to where, and a bit for each place
	 * at which it says yes. */
	bool behind, backwards, answer;
	size_t back, at;
	uint8_t *map; /* not the arena's */
	size_t map_room;
	/* A run. */
	uint64_t *now, *next;
	bool *made;	      /* by test, at this place */
	uint64_t *cached_row; /* LINEAR_CACHED of them, for characters beyond ASCII */
	uint32_t cached[LINEAR_CACHED];
	/* Only of a whole expression. */
	struct linear *look[LINEAR_LOOKS_MAX];
	uint32_t look_id[LINEAR_LOOKS_MAX], looks;
	struct arena arena; /* owns it all, the lookarounds too */
};

/* The states that take character VALUE. */
void linear_fill_row(const struct linear *l, uint32_t value, uint64_t *row);

#endif
