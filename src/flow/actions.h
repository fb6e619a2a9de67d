/* SPDX-License-Identifier: MIT
 *
 * What Cordon does for each response action of a rule. Only findings of the deny grade have consequences
 * beyond the record: the policy can raise or lower a rule.
 */
#ifndef CORDON_FLOW_ACTIONS_H
#define CORDON_FLOW_ACTIONS_H

#include "flow/state.h"
#include "rule/vocab.h"
#include "trust/conversation.h"

enum consequence {
	CONSEQUENCE_RECORD,   /* it stands in the record, as every finding does */
	CONSEQUENCE_WITHHOLD, /* a text that an agent reads is not released */
	CONSEQUENCE_DENY,     /* code does not run */
	CONSEQUENCE_ASK,      /* code waits for a person, if its rule has no stronger action */
	CONSEQUENCE_END,      /* the conversation ends */
	CONSEQUENCE_REVOKE,   /* the conversation's grants are revoked */
	CONSEQUENCES,
};
enum consequence action_consequence(enum action action);
const char *consequence_words(enum consequence consequence);

/* ACTIONS: bits of enum action. Ends C or revokes its grants, if an action says so. WHY names the rule. */
int actions_carry_out(struct gate_state *s, struct conversation *c, unsigned actions,
		      const char *why, struct err *err);
bool actions_withhold(unsigned actions);
bool actions_only_ask(unsigned actions);

#endif
