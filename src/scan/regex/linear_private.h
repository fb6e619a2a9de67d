/* SPDX-License-Identifier: MIT
 *
 * What making a linear form (linear_make.c), moving it (linear_move.c), remembering its moves
 * (linear_pool.c) and running it (linear.c) share. A state is a bit. A character moves every state
 * that takes it to the next bit; where that is a way out of a part, the states that can follow are
 * added. States that stand for a test (a word's edge, a lookahead) are last but one and take no
 * character.
 */
#ifndef CORDON_SCAN_LINEAR_PRIVATE_H
#define CORDON_SCAN_LINEAR_PRIVATE_H

#include "base/arena.h"
#include "scan/regex/linear.h"

enum {
	LINEAR_ASCII = 128,
	LINEAR_KINDS_MAX = 255, /* of characters; characters that behave alike are one kind */
	LINEAR_FAR_KINDS = 96,	/* of those beyond ASCII */
	LINEAR_FAR = 256,	/* characters beyond ASCII whose kind is cached */
	LINEAR_LIVE = LINEAR_STATES_MAX / 64 / 64,
	LINEAR_STRIDE_MAX = 512,
	LINEAR_ASKED_MAX = 8,		   /* lookarounds asked at one place */
	LINEAR_SKIP_BYTES = 8,		   /* bytes that no match can begin with, for one step */
	LINEAR_NO_CHAR = JS_POINT_MAX + 1, /* the character before and after a text */
};

/* What tests can ask about the characters beside a place. */
enum { LINEAR_WORD = 1, LINEAR_EDGE = 2, LINEAR_SIDES = 4 };

#define LINEAR_NOWHERE SIZE_MAX

/* Some states of one word. */
struct linear_bits {
	uint64_t bits;
	uint32_t word;
};

/* Of linear->bits. */
struct linear_list {
	uint32_t first, count;
};

/* A run in one of the states of MASK can continue with those of THEN. */
struct linear_exit {
	uint64_t mask;
	struct linear_list then;
};

/* States that have taken more and more characters of a run. An earlier one can do everything that
 * a later one can, and more, so only the earliest is kept. In a repeated group this holds for each
 * of its states, which recur every STRIDE. */
struct linear_span {
	uint32_t from, to, stride;
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
	struct linear_list states; /* the states that take its characters */
	struct linear *look;	   /* if not NULL: only where this lookaround holds */
	bool negative;		   /* or no */
};

/* A character beyond ASCII and its kind. */
struct linear_far {
	uint32_t value;
	uint8_t kind;
};

/* A lookaround that was asked at the current place, and its answer. */
struct linear_asked {
	uint32_t look; /* of top->look */
	bool next;     /* asked at the next place */
	bool answer;
};

struct linear {
	uint32_t words;
	uint32_t accept; /* a state */
	/* By kind of character: the states that take it, its side, and whether a match can begin
	 * with it. The first kind is for no character; the one after the last has room for a kind
	 * that is not kept. */
	uint64_t *row;
	uint8_t *side;
	bool *opens;
	uint32_t kinds, kinds_room;
	uint8_t kind_of[LINEAR_ASCII];
	struct linear_far *far;
	struct linear_class *class;
	uint32_t classes;
	uint32_t *guard; /* classes that have a lookaround */
	uint32_t guards;
	/* States that may repeat, ways out, tests, and states in which a match can begin. */
	uint64_t *self, *exits, *tests, *first;
	uint32_t *exit_at; /* by word, and one more: the first way out in EXIT */
	struct linear_exit *exit;
	struct linear_span *span; /* of runs; then those of groups */
	uint32_t spans, runs;
	struct linear_bits *bits;
	struct linear_list start;
	struct linear_test *test;
	uint32_t testc, first_test;
	bool can_begin[256]; /* with this byte */
	bool can_be_empty;   /* if its tests say so */
	bool multiline, wide_words, has_sides;
	/* Lookbehind: how many bytes back it can begin, the place it was asked about, and the
	 * place after it that it has read to. Lookahead: two places and the answers. Without a
	 * maximum length it reads backwards from the text's end: the place it has read to, and a
	 * bit for each place where it holds. */
	bool behind, backwards, answer, last_answer;
	size_t back, at, last;
	uint8_t *map; /* not the arena's */
	size_t map_room;
	/* A run: its active states, in NOW or as a state of the pool. */
	uint64_t *now, *next;
	uint64_t live[LINEAR_LIVE]; /* the words of NOW that may have active states, a bit each */
	uint64_t next_live[LINEAR_LIVE];
	struct linear_state *state; /* NULL: in NOW */
	bool adding;		    /* a match may begin here */
	bool empty;		    /* it stands nowhere */
	bool *made;		    /* by test, at this place */
	struct linear_asked asked[LINEAR_ASKED_MAX];
	uint32_t askedc;
	/* In the pool: its number, and its first states, by the side before. */
	uint64_t serial, generation;
	uint64_t known, taken; /* states made in the pool, and characters read in earlier runs */
	struct linear_state *begin[LINEAR_SIDES];
	/* Only of a whole expression. INDEX: a lookaround's own. */
	struct linear *look[LINEAR_LOOKS_MAX];
	uint32_t look_id[LINEAR_LOOKS_MAX], looks, index;
	struct arena arena; /* owns all memory, including that of lookarounds */
};

/* A text while it is read. */
struct linear_walk {
	const uint8_t *data;
	size_t end;
	struct linear *top;
	struct linear_pool *pool; /* may be NULL */
	uint64_t left;		  /* steps */
	uint64_t taken;		  /* characters */
	bool spent;
};

/* A place in a text, the next character in the direction of reading, and the place after it. */
struct linear_place {
	size_t at, next;
	uint32_t c;
};

/* The properties of a character that tests can ask for. */
unsigned linear_side(const struct linear *l, uint32_t c);
/* The kind of a character beyond ASCII. Without room for it, the number of kinds: its row is then
 * in that place. */
uint32_t linear_far_kind(struct linear *l, uint32_t c);

/* Moves over one character, by the pool or by NOW. True: a match ends (or begins, when reading
 * backwards) at the place. EMPTY: no active state is left. */
bool linear_move(struct linear *l, struct linear_walk *w, const struct linear_place *p);
/* Sets L to the beginning of a run, with a character of SIDE before it. */
void linear_begin(struct linear *l, struct linear_walk *w, unsigned side);
/* No match begins from here on. */
void linear_stop_adding(struct linear *l, struct linear_walk *w);
/* At the start of a run, or between two characters: decides whether the pool has room and is worth
 * filling. */
void linear_pool_start(struct linear_pool *pool, struct linear_walk *w);
void linear_pool_check(struct linear_pool *pool, struct linear_walk *w);

static inline void linear_set(struct linear *l, uint32_t word, uint64_t bits)
{
	l->now[word] |= bits;
	l->live[word / 64] |= (uint64_t)1 << word % 64;
}

/* The first live word from WORD on, or LINEAR_NO_WORD. */
#define LINEAR_NO_WORD UINT32_MAX

static inline uint32_t linear_live(const struct linear *l, uint32_t word)
{
	for (uint32_t i = word / 64; i < LINEAR_LIVE; i++) {
		uint64_t here = l->live[i];
		if (i == word / 64)
			here &= ~(uint64_t)0 << word % 64;
		if (here)
			return i * 64 + (uint32_t)__builtin_ctzll(here);
	}
	return LINEAR_NO_WORD;
}

/* Removes all active states. */
static inline void linear_clear(struct linear *l)
{
	for (uint32_t w = linear_live(l, 0); w != LINEAR_NO_WORD; w = linear_live(l, w + 1))
		l->now[w] = 0;
	for (uint32_t i = 0; i < LINEAR_LIVE; i++)
		l->live[i] = 0;
}

static inline void linear_add(struct linear *l, struct linear_list list)
{
	const struct linear_bits *b = l->bits + list.first;

	for (uint32_t i = 0; i < list.count; i++)
		linear_set(l, b[i].word, b[i].bits);
}

static inline uint32_t linear_kind(struct linear *l, uint32_t c)
{
	if (c < LINEAR_ASCII)
		return l->kind_of[c];
	return c == LINEAR_NO_CHAR ? 0 : linear_far_kind(l, c);
}

#endif
