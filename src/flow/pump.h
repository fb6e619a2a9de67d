/* SPDX-License-Identifier: MIT
 *
 * Moves the caller's standard input into a pipe of the program's own.
 */
#ifndef CORDON_FLOW_PUMP_H
#define CORDON_FLOW_PUMP_H

#include <poll.h>
#include <stddef.h>

struct pump {
	int from, to; /* -1: no more; TO is ours and does not block */
	size_t at, len;
	char data[16384];
};

/* What to wait for; its descriptor is -1 when there is nothing to move any more. */
struct pollfd pump_wants(const struct pump *p);
/* After that has come. */
void pump_move(struct pump *p);

#endif
