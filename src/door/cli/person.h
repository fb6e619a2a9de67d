/* SPDX-License-Identifier: MIT
 *
 * An act of a person: to trust a directory, to grant effects, to enrol a person. If the policy
 * allows it, the caller confirms at a terminal. Otherwise the act becomes a request for approval,
 * and the same command takes effect once after it is approved.
 */
#ifndef CORDON_CLI_PERSON_H
#define CORDON_CLI_PERSON_H

#include "approval/act.h"
#include "door/cli/cli.h"
#include "gate/gate_state.h"

enum { PERSON_BY_MAX = 150, PERSON_WAITS = 75 };

struct person_act {
	struct approval_act act;    /* its name, words, arguments, effects, conversation */
	bool signed_only;	    /* a confirmation is not enough, whatever the policy says */
	char by[PERSON_BY_MAX + 1]; /* result: "anna, ben (signed)", "uid:1000 (confirmation)" */
	bool has_agreed;	    /* result: approved by answers to this request */
	struct approval agreed;
	char id[APPROVAL_ID + 1]; /* result: the id of the pending request; or "" */
};
#define AUTO_ACT __attribute__((cleanup(person_act_done)))
void person_act_done(struct person_act *act);

/* Returns 0 if the act is approved. Returns 1 if it is pending: that is reported, and the exit
 * status is PERSON_WAITS. */
int person_agree(const struct cli_call *call, struct gate_state *s, struct person_act *act,
		 struct err *err);
/* Asks only at a terminal, whatever the policy says: for a store that accepts no requests. */
int person_confirm(struct gate_state *s, struct person_act *act, struct err *err);
/* Adds to TX that the approval is used. TX fails if the approval is no longer valid. */
void person_take(const struct person_act *act, struct gate_state *s, struct store_tx *tx);
/* Writes the people and their answers as the member "answers" of a record. */
void person_put_answers(const struct person_act *act, struct jcs *j);

#endif
