/* SPDX-License-Identifier: MIT
 *
 * An act of a person: to trust a directory, to grant effects. It is confirmed at a terminal, or signed with
 * an enrolled key. Without either it is refused, so that an agent cannot do it in passing.
 */
#ifndef CORDON_CLI_PERSON_H
#define CORDON_CLI_PERSON_H

#include "approval/approval.h"
#include "cli/cli.h"
#include "flow/state.h"

enum { PERSON_BY_MAX = 150 };

struct person_act {
	const char *words;	    /* one line: what is agreed to */
	char by[PERSON_BY_MAX + 1]; /* afterwards: "alice (signed)", "uid:1000 (confirmation)" */
	/* afterwards, where it is signed */
	bool is_signed;
	struct approval_word word;
};
/* Asks at the terminal or signs. TX fails if the key is no longer enrolled when it is committed. */
int person_agree(const struct cli_call *call, struct gate_state *s, struct person_act *act,
		 struct store_tx *tx, struct err *err);

#endif
