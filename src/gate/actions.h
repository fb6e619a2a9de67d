/* SPDX-License-Identifier: MIT
 *
 * What Cordon does for each response action of a rule. Findings below the deny grade are only
 * recorded. The policy can raise or lower the grade of a rule.
 */
#ifndef CORDON_GATE_ACTIONS_H
#define CORDON_GATE_ACTIONS_H

#include "gate/gate_state.h"
#include "rule/vocab.h"
#include "trust/conversation.h"

enum consequence {
	CONSEQUENCE_RECORD,   /* the finding is recorded, as every finding is */
	CONSEQUENCE_WITHHOLD, /* a text that an agent reads is not released */
	CONSEQUENCE_DENY,     /* code does not run */
	CONSEQUENCE_ASK,      /* code waits for a person, unless its rule has a stronger action */
	CONSEQUENCE_END,      /* the conversation ends */
	CONSEQUENCE_REVOKE,   /* the conversation's grants are revoked */
	CONSEQUENCES,
};
enum consequence action_consequence(enum action action);
const char *consequence_words(enum consequence consequence);

/* ACTIONS is a set of bits of enum action. Ends C or revokes its grants if an action requires it.
 * WHY names the rule. */
int actions_carry_out(struct gate_state *s, struct conversation *c, unsigned actions,
		      const char *why, struct err *err);
bool actions_withhold(unsigned actions);
bool actions_only_ask(unsigned actions);

#endif
