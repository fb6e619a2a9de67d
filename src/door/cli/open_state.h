/* SPDX-License-Identifier: MIT
 *
 * How commands open the state directory.
 */
#ifndef CORDON_CLI_OPEN_STATE_H
#define CORDON_CLI_OPEN_STATE_H

#include "door/cli/cli.h"
#include "gate/gate_state.h"

/* See store/store.h. STATE_RESTORES: only to restore it. STATE_UNOPENED: do not open it.
 * STATE_DIRECTORY: only the directory, without the store. */
enum state_access {
	STATE_READS,
	STATE_WRITES,
	STATE_ACCEPTS,
	STATE_RESTORES,
	STATE_UNOPENED,
	STATE_DIRECTORY
};
int cli_open_state(const struct cli_call *call, enum state_access access, struct gate_state *ret,
		   struct err *err);

#endif
