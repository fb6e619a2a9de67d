/* SPDX-License-Identifier: MIT
 *
 * All literals of a database for one form of text, and their meanings. The arrays refer to each
 * other by number, so they can be written to a file and used in place. A literal is found by a
 * hash of its first bytes and then letter by letter (literal_search.c).
 */
#ifndef CORDON_SCAN_LITERAL_TABLE_H
#define CORDON_SCAN_LITERAL_TABLE_H

#include "scan/find/guard.h"
#include "scan/find/match_reach.h"
#include "scan/find/strs.h"

enum {
	TABLE_ENTRIES_MAX = 1 << 22,
	TABLE_NODES_MAX = 1 << 24,
	TABLE_TIERS = 7,
	TABLE_LONG_BITS = 17,
	TABLE_GUARDS_MAX = 1 << 16,
};

enum table_stage {
	TABLE_ONLY,  /* the slot has only this literal */
	TABLE_FIRST, /* opens the slot */
	TABLE_LAST,  /* and this one must follow */
};

/* One way to match a pattern: literals with the same distances. */
struct table_slot {
	uint32_t pattern;
	uint32_t reach; /* from the first literal back to the beginning of the match */
	uint32_t gap;	/* from the last literal back to the first; of TABLE_LAST only */
	uint32_t span;	/* maximum bytes between the two, UINT32_MAX: any */
};

/* What a literal means. */
struct table_entry {
	uint32_t slot;
	uint16_t guard; /* 0: none */
	uint8_t stage;	/* enum table_stage */
	uint8_t edge;	/* enum str_edge */
};

/* A guard, see guard.h. */
struct table_guard {
	int8_t at[GUARD_MAX];
	uint16_t set[GUARD_MAX]; /* 0: no more tests */
};

/* Literals that begin alike. The first child is the next node, so a literal that shares no
 * beginning is read in one go. A node's entries end where the next node's begin. */
struct table_node {
	uint32_t next_byte; /* the next sibling (0: none) << 8 | the letter */
	uint32_t entry_kid; /* the first entry << 1 | has a child */
};

/* An open hash table by a literal's first bytes, as many as its tier has. Node 0: empty. */
struct table_root {
	uint64_t bytes;
	uint32_t tier, node;
};

/* Properties of a pattern in this form. */
struct table_pattern {
	uint32_t extent;  /* how far a match and its lookaheads extend, read forwards */
	uint16_t control; /* a text without control characters does not match */
	uint16_t behind;  /* it looks more than one character behind its own beginning */
	/* a text without one of these bits of fold.h does not match; 0: no such condition */
	uint32_t point, points;
	uint8_t anchored, never, unicode;
	uint8_t equal;	    /* a text without this many equal words in a row does not match, */
	uint32_t equal_len; /* each of this many bytes or more */
};

enum table_section {
	TABLE_MAP8, /* bits by hashes of the first eight bytes of literals, ... */
	TABLE_MAP6,
	TABLE_MAP5,
	TABLE_MAP4,
	TABLE_MAP3,
	TABLE_MAP2,  /* of the first two bytes, and of a single one */
	TABLE_LONG,  /* of the first four bytes of all literals that have them */
	TABLE_SHORT, /* the first two bytes of the others, not hashed */
	TABLE_ROOTS,
	TABLE_NODES,
	TABLE_ENTRIES,
	TABLE_SLOTS,
	TABLE_REACHES,
	TABLE_SETS,
	TABLE_GUARDS,
	TABLE_GUARD_SETS,
	TABLE_ALWAYS, /* numbers of patterns without a literal */
	TABLE_POINTS, /* numbers of bits */
	TABLE_ABOUT,  /* struct table_pattern, by number */
	TABLE_SECTIONS,
};

struct table_array {
	void *data;
	size_t count;
};

struct table {
	struct table_array array[TABLE_SECTIONS];
};

extern const size_t table_item_size[TABLE_SECTIONS];
void table_done(struct table *t);

/* A literal and its meaning while a table is made. */
struct table_word {
	struct str str;
	struct table_entry entry;
};

struct table_maker {
	struct table_word *word;
	size_t words, words_room;
	struct table_array slots, reaches, always, about, points;
	size_t slots_room, reaches_room, always_room, points_room;
	uint32_t *reach_index; /* a hash table of reaches */
	struct reach_sets sets, guard_sets;
	struct table_array guards;
	size_t guards_room;
	bool failed;
};

int table_maker_init(struct table_maker *m, size_t patterns, struct err *err);
void table_maker_done(struct table_maker *m);
uint32_t table_add_reach(struct table_maker *m, const struct reach *r);
/* Returns 0, which is always correct, when there are too many. */
uint16_t table_add_guard(struct table_maker *m, const struct table_guard *guard);
uint32_t table_add_slot(struct table_maker *m, struct table_slot slot);
void table_add_word(struct table_maker *m, const struct str *str, struct table_entry entry);
void table_add_always(struct table_maker *m, uint32_t pattern);
void table_add_point(struct table_maker *m, uint16_t point);
struct table_pattern *table_about(struct table_maker *m, uint32_t pattern);
/* Makes the table; the maker is empty afterwards. */
int table_make(struct table_maker *m, struct table *ret, struct err *err);

/* The first bytes at P, of which eight can be read. */
static inline uint64_t table_bytes(const uint8_t *p)
{
	uint64_t w;

	__builtin_memcpy(&w, p, sizeof(w));
	return w;
}

/* A literal is found by the hash of its first 8, 6, 5, 4, 3, 2 bytes or 1: the largest number that
 * it has. Products of 32 bits, because those of 64 take three times as long on some processors. */
struct table_tier {
	uint8_t bytes, bits;
	uint32_t salt;
	uint64_t mask;
};

#define TABLE_TIER_LIST                                                                            \
	{                                                                                          \
		{8, 18, 0, UINT64_MAX}, {6, 17, 0x11111111, 0xffffffffffff},                       \
			{5, 16, 0x66666666, 0xffffffffff}, {4, 16, 0x22222222, 0xffffffff},        \
			{3, 15, 0x33333333, 0xffffff}, {2, 16, 0x44444444, 0xffff},                \
			{1, 0, 0x55555555, 0xff},                                                  \
	}

static inline uint32_t table_hash(uint64_t w)
{
	return (uint32_t)w * 0x9e3779b1u + (uint32_t)(w >> 32) * 0x85ebca77u;
}

/* From a hash to a place among roots. */
static inline uint32_t table_mix(uint32_t hash)
{
	hash = (hash ^ hash >> 15) * 0x2c1b3c6du;
	return hash ^ hash >> 12;
}

#endif
