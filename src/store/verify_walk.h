/* SPDX-License-Identifier: MIT
 *
 * The state of verify_log's pass over the records. Functions return 0; or 1 for a problem, which is
 * in the report and ends the pass; or -1 if the log cannot be read.
 */
#ifndef CORDON_STORE_VERIFY_WALK_H
#define CORDON_STORE_VERIFY_WALK_H

#include <sodium.h>

#include "store/chain_heads.h"
#include "store/note.h"
#include "store/rotate.h"
#include "store/verify.h"

/* Compares the lines of one file of heads with the log. */
struct verify_heads {
	bool is_there, has_next;
	struct heads_reader reader;
	struct heads_line next;
	uint64_t met, newest, gaps;
	uint64_t agreed, fork; /* sizes: the last match before FORK, and the first mismatch */
	struct accept_lost lost;
};

/* Compares the names in the records with the index. Each name has a keyed hash: SUM adds those of
 * the records and subtracts those of the index, in any order. */
struct verify_names {
	uint64_t sum, size;
	uint64_t last; /* the last record in the index, if it was added meanwhile */
	/* Random, so that no set of names can be made to give the same sum. */
	uint8_t key[crypto_shorthash_KEYBYTES];
};

struct verify_walk {
	struct store *store;
	struct verify_report *report;
	struct note_list notes;
	size_t next_note; /* the next one to compare */
	int dir, file;	  /* the state directory and the file heads in it; or -1 */
	struct verify_heads heads, elsewhere;
	struct accepted accepted;
	uint64_t writes; /* transactions, according to the head */
	struct merkle tree;
	uint8_t last[RECORD_HASH];
	char origin[NOTE_ORIGIN_MAX + 1];
	uint8_t public[KEY_PUBLIC];  /* the log's key at this record */
	uint8_t trusted[KEY_PUBLIC]; /* must be one of the log's keys, if HAS_KEY */
	bool has_key, met_key;
	struct rotate_keys keys;
	bool is_unbegun;    /* there has never been a log */
	bool has_tip;	    /* the head was read */
	bool is_changing;   /* the key was changed: a checkpoint must follow */
	uint64_t signed_to; /* the size of the tree at the last good signature */
	char boot[RECORD_BOOT + 1];
	uint64_t time, mono;
	struct verify_names names;
	struct archive_spans spans; /* archived according to the log */
	const struct archive_set *archives;
};

/* Reports a problem; 1. */
int verify_fail(struct verify_walk *w, enum verify_problem problem, uint64_t first, uint64_t last,
		const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* verify_signed.c, in the order of a pass */
int verify_choose_key(struct verify_walk *w, const struct verify_options *o, struct err *err);
bool verify_may_have_key(const struct verify_walk *w);
int verify_check_notes(struct verify_walk *w);
int verify_new_key_is_silent(struct verify_walk *w, uint64_t seq);
int verify_change_key(struct verify_walk *w, const struct record *r);
int verify_checkpoint(struct verify_walk *w, const struct record *r);
int verify_check_signed(struct verify_walk *w, const struct record *r);
int verify_compare_notes(struct verify_walk *w);

/* verify_heads.c, likewise */
int verify_heads_begin(struct verify_walk *w, const struct verify_options *o, struct err *err);
int verify_heads_compare(struct verify_walk *w, struct err *err);
int verify_heads_end(struct verify_walk *w, struct err *err);
int verify_heads_exist(struct verify_walk *w, struct err *err);

#endif
