/* SPDX-License-Identifier: MIT
 *
 * A ticket says which effects exposed code may have. A plan is made while its conversation is clean, for one
 * exact program. A grant is an act of a person, or a line of the policy, for a conversation or a directory.
 * Both are rows of the store; an approval is signed and lives in src/approval.
 */
#ifndef CORDON_TRUST_TICKET_H
#define CORDON_TRUST_TICKET_H

#include "model/gate.h"
#include "trust/directory.h"

enum {
	TICKET_LIST_MAX = 32,	   /* paths, hosts or secrets of one ticket */
	TICKET_TEXT_MAX = 1024,	   /* bytes of one of them */
	TICKET_RUNS_MAX = 1000000, /* runs that a ticket may be for */
};
#define TICKET_TIME_MAX_US ((uint64_t)30 * 24 * 3600 * 1000000) /* thirty days */
#define TICKET_SENT_DEFAULT ((uint64_t)10 << 20)		/* bytes that a run may send */

enum ticket_giver { TICKET_PLAN, TICKET_GRANT, TICKET_POLICY, TICKET_GIVERS };
const char *ticket_giver_name(enum ticket_giver giver);

struct ticket {
	struct id id;
	enum ticket_giver giver;
	const char *by; /* a person, an account or the policy's file */
	/* What it is for: everything that is set must be the run's. */
	bool has_conversation, has_directory, has_program;
	struct id conversation;
	const char *directory;
	struct directory_identity identity;
	uint8_t program[KEEPER_SHA256];
	/* What it gives, by effect (CAP_WRITE, CAP_NET, CAP_SECRET): paths below the directory ("." is all
	 * of it), HOST:PORT, secrets: a plan has names, a grant the texts of policy_use_parse. */
	size_t count[CAP_COUNT];
	const char *list[CAP_COUNT][TICKET_LIST_MAX];
	uint64_t sent_max; /* bytes that one run may send */
	uint64_t from_us, to_us;
	uint32_t runs, used; /* RUNS 0: any number */
	uint64_t revoked_us; /* 0: it holds */
	uint64_t version;
	bool is_due;   /* this run gets an effect by it */
	bool is_spent; /* and has been counted */
	struct arena arena;
};
void ticket_done(struct ticket *t);
#define AUTO_TICKET __attribute__((cleanup(ticket_done)))

/* What is about to happen. */
struct ticket_use {
	const struct id *conversation;
	const struct directory_place *directory; /* NULL: the run is given none */
	bool given_is_trusted;			 /* directory, input, programs; and unmarked */
	const uint8_t *program;			 /* hash of all that is fixed about it; or NULL */
	uint64_t now_us;
};
enum ticket_answer {
	TICKET_GOOD,
	TICKET_REVOKED,
	TICKET_EARLY,
	TICKET_LATE,
	TICKET_SPENT,
	TICKET_OTHER_CONVERSATION,
	TICKET_OTHER_DIRECTORY,
	TICKET_OTHER_PROGRAM,
	TICKET_NOT_TRUSTED, /* a plan gives nothing while its directory is untrusted or marked */
	TICKET_ANSWERS,
};
const char *ticket_answer_words(enum ticket_answer answer);
/* Pure: does it hold for this run? */
enum ticket_answer ticket_check(const struct ticket *t, const struct ticket_use *use);
/* Pure: does a ticket that holds give this? OBJECT is a path, HOST:PORT or the name of a secret, which is
 * given whole: what a grant says of it is read with the policy (policy_use_is_of). A path that is
 * run or obeyed outside the box (IS_SELF_EXECUTING) must be named itself. */
bool ticket_covers(const struct ticket *t, enum cap effect, const char *object,
		   bool is_self_executing);

/* Is it within its bounds? ticket_give refuses one that is not. */
int ticket_check_bounds(const struct ticket *t, struct err *err);
/* Makes a row of it and a record, in TX, which it commits: TX may expect something. */
int ticket_give(struct keeper *k, struct ticket *t, struct store_tx *tx, struct err *err);
int ticket_load(struct keeper *k, const char *hex, struct ticket *ret, struct err *err);
int ticket_revoke(struct keeper *k, const char *hex, const char *by, struct err *err);
/* It was revoked, its time is over, or other runs have used it up. */
bool ticket_is_over(const struct ticket *t, uint64_t now_us);
/* In the transaction that decides on an effect: the ticket must not have changed. If it is due, one use less
 * is left; ticket_spent says so when TX is committed. */
void ticket_spend(const struct ticket *t, struct store_tx *tx);
void ticket_spent(struct ticket *t, uint64_t version);
/* Of every ticket that is not over at NOW_US; FN's ticket lives during the call. */
typedef int ticket_fn(void *context, struct ticket *t, struct err *err);
int ticket_each(struct keeper *k, uint64_t now_us, ticket_fn *fn, void *context, struct err *err);

#endif
