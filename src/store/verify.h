/* SPDX-License-Identifier: MIT
 *
 * Is the log what it was? Everything is made again from the records and held against what they say
 * of each other, against the head, and against every checkpoint that was kept. It reads only, trusts
 * nothing in the database, and needs no network.
 */
#ifndef CORDON_STORE_VERIFY_H
#define CORDON_STORE_VERIFY_H

#include "store/note.h"
#include "store/store.h"

enum {
	VERIFY_WORDS_MAX = 320,
	VERIFY_NOTES_MAX = 1 << 20,
	/* Records after a checkpoint: the largest transaction, begun one short of the next. */
	VERIFY_UNSIGNED_MAX = STORE_CHECKPOINT_EVERY - 1 + STORE_RECORDS_MAX
};

enum verify_problem {
	VERIFY_GOOD,
	VERIFY_FORM,	  /* a record is not as Cordon writes it */
	VERIFY_EDITED,	  /* a record is not the one that others were chained to */
	VERIFY_MISSING,	  /* records are gone */
	VERIFY_ORDER,	  /* a record stands in another's place */
	VERIFY_SIGNATURE, /* a checkpoint is missing, or not signed by the log's key */
	VERIFY_FORKED,	  /* the records are not those that were signed */
	VERIFY_TRUNCATED, /* more was signed than is there */
	VERIFY_REPLACED,  /* it is another log, or has another key */
	VERIFY_HEAD,	  /* the head does not fit to the records */
	VERIFY_UNKEPT,	  /* the file of checkpoints is gone: nothing says that the end is there */
	VERIFY_INDEX,	  /* records are not found by all their names: a trace would not be whole */
	VERIFY_PROBLEMS,
};
const char *verify_problem_name(enum verify_problem problem);

struct verify_options {
	int dir; /* the state directory, for its key and kept checkpoints; -1: none */
	/* The public key that the caller trusts, the first of the log or a later one; NULL: that of
	 * DIR. */
	const char *vkey;
	const char *notes; /* more checkpoints, kept elsewhere */
	size_t notes_len;
};

struct verify_report {
	enum verify_problem problem; /* the first that was found */
	bool has_record;
	uint64_t first_bad, last_bad; /* the first bad record is among these */
	char words[VERIFY_WORDS_MAX];
	uint64_t records, checkpoints; /* how many were looked at */
	uint64_t kept;		       /* checkpoints from outside the log */
	/* Checkpoints of the log that are nowhere else. One that is the last record is not counted:
	 * whoever is killed before it is in the file, or just writes it, leaves it in the log only. */
	uint64_t unkept;
	uint64_t rotations;   /* of the log's key */
	uint64_t clock_steps; /* how often the clock went back, */
	uint64_t first_step;  /* and at which record first */
	bool is_pinned;	      /* the key came from outside the log */
	uint8_t root[MERKLE_HASH];
};

/* -1: it could not be looked at. 0: REPORT tells. */
int verify_log(struct store *s, const struct verify_options *options, struct verify_report *report,
	       struct err *err);

#endif
