/* SPDX-License-Identifier: MIT
 *
 * See actions.h.
 */
#include "gate/actions.h"

#include "trust/ticket.h"

static const enum consequence consequences[ACTION_OTHER + 1] = {
	[ACTION_KILL_AGENT] = CONSEQUENCE_END,
	[ACTION_BLOCK_INPUT] = CONSEQUENCE_WITHHOLD,
	[ACTION_BLOCK_OUTPUT] = CONSEQUENCE_WITHHOLD,
	[ACTION_BLOCK_TOOL] = CONSEQUENCE_DENY,
	[ACTION_QUARANTINE_SESSION] = CONSEQUENCE_END,
	[ACTION_REDUCE_PERMISSIONS] = CONSEQUENCE_REVOKE,
	[ACTION_ESCALATE] = CONSEQUENCE_ASK,
	[ACTION_REQUIRE_HUMAN_REVIEW] = CONSEQUENCE_ASK,
};

enum consequence action_consequence(enum action action)
{
	return consequences[action];
}

const char *consequence_words(enum consequence consequence)
{
	static const char *const words[CONSEQUENCES] = {
		[CONSEQUENCE_RECORD] = "record the finding",
		[CONSEQUENCE_WITHHOLD] = "do not release the text",
		[CONSEQUENCE_DENY] = "do not run the code",
		[CONSEQUENCE_ASK] = "ask a person before the code runs",
		[CONSEQUENCE_END] = "end the conversation",
		[CONSEQUENCE_REVOKE] = "revoke the conversation's grants",
	};

	return words[consequence];
}

static bool has(unsigned actions, enum consequence consequence)
{
	for (unsigned a = 0; a < ACTION_OTHER; a++)
		if (actions & (1U << a) && consequences[a] == consequence)
			return true;
	return false;
}

bool actions_withhold(unsigned actions)
{
	return has(actions, CONSEQUENCE_WITHHOLD);
}

bool actions_only_ask(unsigned actions)
{
	return has(actions, CONSEQUENCE_ASK) && !has(actions, CONSEQUENCE_WITHHOLD) &&
	       !has(actions, CONSEQUENCE_DENY) && !has(actions, CONSEQUENCE_END) &&
	       !has(actions, CONSEQUENCE_REVOKE);
}

struct revocation {
	struct gate_state *state;
	const struct conversation *conversation;
	const char *why;
};

static int revoke(void *context, struct ticket *t, struct err *err)
{
	struct revocation *r = context;
	char hex[ID_HEX];

	if (!t->has_conversation || !id_is_same(&t->conversation, &r->conversation->id))
		return 0;
	return ticket_revoke(&r->state->keeper, id_hex(&t->id, hex), r->why, err);
}

int actions_carry_out(struct gate_state *s, struct conversation *c, unsigned actions,
		      const char *why, struct err *err)
{
	struct revocation r = {s, c, why};
	struct id id = c->id;

	if (!c->version)
		return 0;
	if (has(actions, CONSEQUENCE_REVOKE) &&
	    ticket_each(&s->keeper, s->keeper.now_us(), revoke, &r, err) < 0)
		return -1;
	return has(actions, CONSEQUENCE_END) ? conversation_end(&s->keeper, &id, why, c, err) : 0;
}
