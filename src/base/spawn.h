/* SPDX-License-Identifier: MIT
 *
 * Starts a program of ours with the descriptors it expects.
 */
#ifndef CORDON_BASE_SPAWN_H
#define CORDON_BASE_SPAWN_H

#include <stddef.h>
#include <sys/types.h>

/* Sources have been lifted to here, above every place they go to: none is overwritten before its turn. */
enum { SPAWN_HIGH_FD = 16 };

struct spawn_fd {
	int source, place;
};

/* NAME is what it sees as its own. 0 only if it is that program now; else errno says why not. */
int spawn_program(const char *path, char *name, char *const *env, const struct spawn_fd *fds,
		  size_t count, pid_t *ret);

/* After WHAT could not be started: errno's words, and where there are too many processes, who allows no
 * more. -1. */
struct err;
int spawn_explain(struct err *err, const char *what);

#endif
