/* SPDX-License-Identifier: MIT
 *
 * A ticket names the effects that exposed code may have. A plan is made while its conversation is
 * clean, for one exact program. A grant is an act of a person or a line of the policy, for a
 * conversation or a directory. Both are rows of the store. Approvals, which people sign, are in
 * src/approval.
 */
#ifndef CORDON_TRUST_TICKET_H
#define CORDON_TRUST_TICKET_H

#include "model/gate_terms.h"
#include "trust/directory.h"

enum {
	TICKET_LIST_MAX = 32,	   /* paths, hosts or secrets of a ticket */
	TICKET_TEXT_MAX = 1024,	   /* bytes of one of them */
	TICKET_RUNS_MAX = 1000000, /* runs of a ticket */
};
#define TICKET_TIME_MAX_US ((uint64_t)30 * 24 * 3600 * 1000000) /* thirty days */
#define TICKET_SENT_DEFAULT ((uint64_t)10 << 20)		/* bytes sent by one run */

#define TICKET_SIGNED "(signed)"
enum ticket_giver { TICKET_PLAN, TICKET_GRANT, TICKET_POLICY, TICKET_GIVERS };
const char *ticket_giver_name(enum ticket_giver giver);

struct ticket {
	struct id id;
	enum ticket_giver giver;
	const char *by; /* an account, the policy's file, or people: each with TICKET_SIGNED */
	/* The run must match each of these that is set. */
	bool has_conversation, has_directory, has_program;
	struct id conversation;
	const char *directory;
	struct directory_identity identity;
	uint8_t program[KEEPER_SHA256];
	/* The effects given, by CAP_WRITE, CAP_NET and CAP_SECRET: paths below the directory ("." is
	 * all of it), HOST:PORT, and secrets, which are names in a plan and texts of policy_use_parse
	 * in a grant. */
	size_t count[CAP_COUNT];
	const char *list[CAP_COUNT][TICKET_LIST_MAX];
	uint64_t sent_max; /* bytes that one run may send */
	uint64_t from_us, to_us;
	uint32_t runs, used; /* RUNS 0: no limit */
	uint64_t revoked_us; /* 0: not revoked */
	uint64_t version;
	bool is_due;   /* this run gets an effect from it */
	bool is_spent; /* this run has been counted */
	uint32_t
		holds_for; /* the gate: bits of the directories of this run; see gate_find_ticket */
	struct arena arena;
};
void ticket_done(struct ticket *t);
#define AUTO_TICKET __attribute__((cleanup(ticket_done)))

/* The run that wants effects. */
struct ticket_use {
	const struct id *conversation;
	const struct directory_place *directory; /* or NULL */
	bool inputs_are_trusted; /* directory, input and programs, and none is marked */
	const uint8_t *program;	 /* hash of everything that a plan fixes; or NULL */
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
	TICKET_NOT_TRUSTED, /* a plan needs a trusted, unmarked directory */
	TICKET_ANSWERS,
};
const char *ticket_answer_words(enum ticket_answer answer);
/* Pure. Does the ticket hold for this run? */
enum ticket_answer ticket_check(const struct ticket *t, const struct ticket_use *use);
/* Pure. Does a ticket that holds give OBJECT? OBJECT is a path, HOST:PORT, or a secret in the same
 * form as in the ticket; policy_use_is_of compares a grant's secrets. A self-executing path must be
 * named itself. */
bool ticket_covers(const struct ticket *t, enum cap effect, const char *object,
		   bool is_self_executing);

/* Was this grant confirmed at a terminal, and not signed? */
bool ticket_is_confirmed(const struct ticket *t);

/* Fails if the ticket exceeds its bounds, as ticket_give does. */
int ticket_check_bounds(const struct ticket *t, struct err *err);
/* Adds row and record to TX. */
int ticket_add(struct ticket *t, struct store_tx *tx, struct err *err);
/* As ticket_add, and commits TX, which may have expectations. */
int ticket_give(struct keeper *k, struct ticket *t, struct store_tx *tx, struct err *err);
int ticket_load(struct keeper *k, const char *hex, struct ticket *ret, struct err *err);
int ticket_revoke(struct keeper *k, const char *hex, const char *by, struct err *err);
/* Is it revoked, expired, or used up by other runs? */
bool ticket_is_over(const struct ticket *t, uint64_t now_us);
/* In the transaction that decides on an effect: the ticket must be unchanged. A ticket that is due
 * loses one use; call ticket_spent after the commit. */
void ticket_spend(const struct ticket *t, struct store_tx *tx);
void ticket_spent(struct ticket *t, uint64_t version);
/* Calls FN for each ticket that is not over at NOW_US. The ticket is freed after the call. */
typedef int ticket_fn(void *context, struct ticket *t, struct err *err);
int ticket_each(struct keeper *k, uint64_t now_us, ticket_fn *fn, void *context, struct err *err);

#endif
