/* SPDX-License-Identifier: MIT
 *
 * What making a linear form (linear_make.c), moving it (linear_step.c), remembering how it moved
 * (linear_move.c, linear_pool.c) and asking it (linear.c) share. A state is a bit. A character moves
 * every state that takes it to the next bit; where that is a way out of a part, the states that can
 * follow are added. States that stand for a test (a word's edge, a lookahead) come last but one; they
 * take no character.
 */
#ifndef CORDON_SCAN_LINEAR_PRIVATE_H
#define CORDON_SCAN_LINEAR_PRIVATE_H

#include "base/arena.h"
#include "scan/linear.h"

enum {
	LINEAR_ASCII = 128,
	LINEAR_KINDS_MAX = 255, /* of characters, all that nobody tells apart being one kind */
	LINEAR_FAR_KINDS = 96,	/* of those beyond ASCII */
	LINEAR_FAR = 256,	/* characters beyond ASCII whose kind is kept */
	LINEAR_LIVE = LINEAR_STATES_MAX / 64 / 64,
	LINEAR_STRIDE_MAX = 512,
	LINEAR_ASKED_MAX = 8,		   /* lookarounds asked at one place */
	LINEAR_SKIP_BYTES = 8,		   /* that nothing can begin with, for one step */
	LINEAR_NO_CHAR = JS_POINT_MAX + 1, /* what is before and behind a text */
};

/* What tests ask of the characters on both sides of a place. */
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

/* Whoever is in one of the states of MASK can go on with those of THEN. */
struct linear_exit {
	uint64_t mask;
	struct linear_list then;
};

/* States that have taken enough of a run, more and more of it. Whoever is in an earlier one can do
 * all that who is in a later one can, and longer: only the earliest need be kept. Of a group that
 * repeats the same is true of each of its states, which come again every STRIDE. */
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
	struct linear_list states; /* that take its characters */
	struct linear *look;	   /* if not NULL: only where this one says yes */
	bool negative;		   /* or no */
};

/* A character beyond ASCII and its kind. */
struct linear_far {
	uint32_t value;
	uint8_t kind;
};

/* A lookaround that was asked at the place where somebody stands, and what it said. */
struct linear_asked {
	uint32_t look; /* of top->look */
	bool next;     /* asked at the next place */
	bool answer;
};

struct linear {
	uint32_t words;
	uint32_t accept; /* a state */
	/* By kind of character: the states that take it, its side, and whether a match can begin
	 * with it. The first kind is no character; what is behind the last is for one more kind
	 * than there is room for. */
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
	/* States that stay; that are ways out; that are tests; in which a match can begin. */
	uint64_t *self, *exits, *tests, *first;
	uint32_t *exit_at; /* by word, and one more: its first one in EXIT */
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
	/* Of a lookbehind: how many bytes back it can begin, the place it has been asked about and
	 * the one it is at, behind it. Of a lookahead: two places and the answers. Of one without a
	 * longest length, which reads backwards from the text's end: the place it is at, and a bit
	 * for each place at which it says yes. */
	bool behind, backwards, answer, last_answer;
	size_t back, at, last;
	uint8_t *map; /* not the arena's */
	size_t map_room;
	/* A run: where it stands, in NOW or as one of the pool's states. */
	uint64_t *now, *next;
	uint64_t live[LINEAR_LIVE]; /* words of NOW in which somebody may be, a bit each */
	uint64_t next_live[LINEAR_LIVE];
	struct linear_state *state; /* NULL: in NOW */
	bool adding;		    /* a match may begin here */
	bool empty;		    /* it stands nowhere */
	bool *made;		    /* by test, at this place */
	struct linear_asked asked[LINEAR_ASKED_MAX];
	uint32_t askedc;
	/* In the pool: its number, and the states in which it begins, by the side before. */
	uint64_t serial, generation;
	uint64_t known, taken; /* states made there, and characters taken in earlier runs */
	struct linear_state *begin[LINEAR_SIDES];
	/* Only of a whole expression; INDEX is a lookaround's own in it. */
	struct linear *look[LINEAR_LOOKS_MAX];
	uint32_t look_id[LINEAR_LOOKS_MAX], looks, index;
	struct arena arena; /* owns it all, the lookarounds too */
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

/* Where somebody is in a text: a place, and the character that comes next in the direction of
 * reading, with the place behind it. */
struct linear_place {
	size_t at, next;
	uint32_t c;
};

/* What tests can know of a character. */
unsigned linear_side(const struct linear *l, uint32_t c);
/* The kind of a character beyond ASCII; one more than there are when there is no room for it: its
 * row is then in that place. */
uint32_t linear_far_kind(struct linear *l, uint32_t c);

/* Moves NOW over one character; true: a match ends (or, for who reads backwards, begins) at the
 * place. Fills ASKED; ASKEDC is more than the most when they were too many. */
bool linear_step(struct linear *l, struct linear_walk *w, const struct linear_place *p,
		 uint32_t kind);
/* Says whether a lookaround holds at a place. */
bool linear_look(struct linear *l, struct linear_walk *w, size_t at);
/* The character before AT, or behind it. */
uint32_t linear_char_before(const struct linear_walk *w, size_t at);
uint32_t linear_char_behind(const struct linear_walk *w, size_t at);

/* The same as linear_step, by what the pool knows, if it does; EMPTY says whether anybody is left. */
bool linear_move(struct linear *l, struct linear_walk *w, const struct linear_place *p);
/* As far as everything is known and nothing happens, over ASCII characters up to STOP, each at COST. */
size_t linear_hurry(struct linear *l, struct linear_walk *w, size_t at, size_t stop, uint64_t cost);
/* The same backwards, up to the text's beginning. */
size_t linear_hurry_back(struct linear *l, struct linear_walk *w, size_t at, uint64_t cost);
/* L stands where a run begins, with a character of SIDE before it. */
void linear_begin(struct linear *l, struct linear_walk *w, unsigned side);
/* No match begins from here on. */
void linear_stop_adding(struct linear *l, struct linear_walk *w);
/* A run begins, or is between two characters: is there room, and is it of use to remember more? */
void linear_pool_start(struct linear_pool *pool, struct linear_walk *w);
void linear_pool_look(struct linear_pool *pool, struct linear_walk *w);

static inline void linear_set(struct linear *l, uint32_t word, uint64_t bits)
{
	l->now[word] |= bits;
	l->live[word / 64] |= (uint64_t)1 << word % 64;
}

/* The first live word from WORD on; LINEAR_NO_WORD: there is none. */
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

/* Nobody is anywhere. */
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
