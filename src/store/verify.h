/* SPDX-License-Identifier: MIT
 *
 * Verifies the log. Everything is computed again from the records and compared with their hashes of
 * each other, with the head, and with every kept head and checkpoint. It only reads, trusts nothing
 * in the database, and needs no network.
 */
#ifndef CORDON_STORE_VERIFY_H
#define CORDON_STORE_VERIFY_H

#include "store/accept.h"
#include "store/archive.h"
#include "store/note.h"
#include "store/store.h"

enum {
	VERIFY_WORDS_MAX = 320,
	/* The most records without a checkpoint: the largest transaction, begun one record before
	 * the next checkpoint is due. */
	VERIFY_UNSIGNED_MAX = STORE_CHECKPOINT_EVERY - 1 + STORE_RECORDS_MAX
};

enum verify_problem {
	VERIFY_GOOD,
	VERIFY_FORM,	  /* a record is not in the form that Cordon writes */
	VERIFY_EDITED,	  /* a record is not the one that the next is chained to */
	VERIFY_MISSING,	  /* records are missing */
	VERIFY_ORDER,	  /* a record is in the place of another */
	VERIFY_SIGNATURE, /* a checkpoint is missing, or not signed by the log's key */
	VERIFY_FORKED,	  /* the records are not those that were signed or whose heads were kept */
	VERIFY_TRUNCATED, /* more records were signed or kept than the log has */
	VERIFY_REPLACED,  /* it is another log, or has another key */
	VERIFY_HEAD,	  /* the head does not match the records */
	VERIFY_UNKEPT, /* the file heads is missing: nothing proves that the log's end is there */
	VERIFY_INDEX, /* the index of names does not match the records: a trace would be incomplete */
	VERIFY_PROBLEMS,
};
const char *verify_problem_name(enum verify_problem problem);

struct verify_options {
	int dir; /* the state directory, for its key and heads; -1: none */
	/* The public key that the caller trusts: the log's first or a later one. NULL: the key in
	 * DIR. */
	const char *vkey;
	const struct archive_set *archives; /* with archived bodies; or NULL */
	const char *notes;		    /* kept checkpoints, one file */
	size_t notes_len;
	const int *heads; /* a kept copy of the file heads, open for reading; or NULL */
};

struct verify_report {
	enum verify_problem problem; /* the first problem */
	bool has_record;
	uint64_t first_bad, last_bad; /* the first bad record is among these */
	char words[VERIFY_WORDS_MAX];
	uint64_t records, checkpoints; /* how many were verified */
	uint64_t kept;		       /* checkpoints from outside the log */
	uint64_t heads,
		heads_kept; /* lines of the file, and of the kept copy, that match the log */
	/* Transactions without a line in the file: it was truncated, or other machines write the
	 * log too, or a process was killed before it wrote its line. */
	uint64_t headless;
	uint64_t accepted;	 /* losses that a person accepted */
	struct accept_lost lost; /* what the log lacks and the file knows; TO is 0: nothing */
	uint64_t archived;	 /* records without their bodies, */
	uint64_t held;		 /* and how many of these are in the archives */
	uint64_t rotations;	 /* of the log's key */
	uint64_t clock_steps;	 /* how often the clock went back */
	uint64_t first_step;	 /* and at which record first */
	bool is_pinned;		 /* the key came from outside the log */
	uint8_t root[MERKLE_HASH];
};

/* 0: REPORT has the result. -1: the log cannot be read. */
int verify_log(struct store *s, const struct verify_options *options, struct verify_report *report,
	       struct err *err);

#endif
