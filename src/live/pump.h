/* SPDX-License-Identifier: MIT
 *
 * Copies the caller's standard input into a pipe of the program's own.
 */
#ifndef CORDON_LIVE_PUMP_H
#define CORDON_LIVE_PUMP_H

#include <poll.h>
#include <stddef.h>

struct pump {
	int from, to; /* -1: at the end; TO does not block */
	size_t at, len;
	char data[16384];
};

/* The event to wait for; its descriptor is -1 when all is copied. */
struct pollfd pump_wants(const struct pump *p);
/* Call it after that event. */
void pump_move(struct pump *p);

#endif
