/* SPDX-License-Identifier: MIT
 *
 * One pass of verify_log over the records. Functions return 0, 1 when a problem was found (the report
 * has it, and the pass ends), or -1 when it could not be looked at.
 */
#ifndef CORDON_STORE_VERIFY_WALK_H
#define CORDON_STORE_VERIFY_WALK_H

#include "store/kept_notes.h"
#include "store/rotate.h"
#include "store/verify.h"
#include "store/verify_names.h"

struct verify_walk {
	struct verify_report *report;
	struct kept_notes notes;
	size_t next_note; /* that was not met yet */
	int dir;	  /* where they are kept; or -1 */
	bool last_unkept; /* the last checkpoint of the log was not among them */
	struct merkle tree;
	uint8_t last[RECORD_HASH];
	char origin[NOTE_ORIGIN_MAX + 1];
	uint8_t public[KEY_PUBLIC];  /* the log's key at this record */
	uint8_t trusted[KEY_PUBLIC]; /* the one that must be among them, if HAS_KEY */
	bool has_key, met_key;
	struct rotate_keys keys;
	bool is_unbegun;    /* there is no log, and there never was */
	bool has_tip;	    /* the head could be read */
	bool is_changing;   /* the key: the next record is a checkpoint */
	uint64_t signed_to; /* the tree up to here was signed and is the same */
	char boot[RECORD_BOOT + 1];
	uint64_t time, mono;
	struct verify_names names;
};

/* Ends the pass: 1. */
int verify_found(struct verify_walk *w, enum verify_problem problem, uint64_t first, uint64_t last,
		 const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* verify_signed.c, in the order of a pass */
int verify_choose_key(struct verify_walk *w, const struct verify_options *o, struct err *err);
bool verify_may_have_key(const struct verify_walk *w);
int verify_check_notes(struct verify_walk *w);
int verify_new_key_is_silent(struct verify_walk *w, uint64_t seq);
int verify_change_key(struct verify_walk *w, const struct record *r);
int verify_checkpoint(struct verify_walk *w, const struct record *r);
int verify_check_signed(struct verify_walk *w, const struct record *r);
int verify_meet_notes(struct verify_walk *w);
int verify_check_kept(struct verify_walk *w, struct err *err);

#endif
