/* SPDX-License-Identifier: MIT
 *
 * cordon-postgres as a child: found beside cordon or where it is installed, started with a socket
 * as its only channel and an empty environment, ended with the store.
 */
#ifndef CORDON_STORE_HELPER_H
#define CORDON_STORE_HELPER_H

#include <sys/types.h>

#include "base/err.h"

struct helper {
	pid_t pid;
	int sock; /* -1: it is gone */
};

int helper_start(struct helper *h, struct err *err);
void helper_end(struct helper *h);

#endif
