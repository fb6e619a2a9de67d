/* SPDX-License-Identifier: MIT
 *
 * Which hosts a box may connect to: the lists of rules, and the check. Pure.
 */
#ifndef CORDON_EGRESS_RULES_H
#define CORDON_EGRESS_RULES_H

#include "egress/address.h"
#include "model/egress_message.h"
#include "model/request.h"
#include "policy/net.h"

#define RULES_MAX (POLICY_NET_MAX + REQUEST_LIST_MAX) /* of one list */

struct rules {
	size_t count[EGRESS_LISTS];
	struct policy_net list[EGRESS_LISTS][RULES_MAX];
	struct arena arena;
};

void rules_done(struct rules *r);
int rules_add(struct rules *r, enum egress_list list, const char *text, struct err *err);

/* May the name be looked up: is some port of it allowed? If not, *RET_RULE says why. */
bool rules_allow_name(const struct rules *r, const char *name, char ret_rule[EGRESS_RULE_MAX]);

/* NAME: what the program connects to, in lower case; "" for an address. ADDRESS: its real address. */
struct rules_ask {
	const char *name;
	struct address address;
	uint16_t port;
	bool own; /* ADDRESS is this host's */
};
bool rules_allow(const struct rules *r, const struct rules_ask *ask,
		 char ret_rule[EGRESS_RULE_MAX]);

#endif
