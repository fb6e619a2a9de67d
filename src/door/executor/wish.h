/* SPDX-License-Identifier: MIT
 *
 * What the agent's own sandbox takes away from a call. It can only narrow: without it, or with one that
 * allows everything, the call gets what the options and the gate allow, and nothing else.
 */
#ifndef CORDON_EXECUTOR_WISH_H
#define CORDON_EXECUTOR_WISH_H

#include <jansson.h>

#include "base/err.h"

enum {
	WISH_NO_WRITE = 1, /* to the workspace */
	WISH_NO_NET = 2,
	WISHES = 4, /* bits, so boxes of a conversation */
};

/* SANDBOX: the member of that name, or NULL. -1: it hides a path of the workspace, which a box cannot do
 * afterwards. */
int wish_read(const json_t *sandbox, const char *workspace, unsigned *ret, struct err *err);

#endif
