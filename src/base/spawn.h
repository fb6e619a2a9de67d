/* SPDX-License-Identifier: MIT
 *
 * Starts one of Cordon's programs with the descriptors that it expects.
 */
#ifndef CORDON_BASE_SPAWN_H
#define CORDON_BASE_SPAWN_H

#include <stddef.h>
#include <sys/types.h>

/* Source descriptors are first duplicated to this number or above, so that no dup2 overwrites one
 * that is still needed. */
enum { SPAWN_HIGH_FD = 16 };

struct spawn_fd {
	int source, place;
};

/* NAME is its argv[0]. 0 if execve succeeded; else -1 with errno. */
int spawn_program(const char *path, char *name, char *const *env, const struct spawn_fd *fds,
		  size_t count, pid_t *ret);

/* Sets the error for a failed start of WHAT, with the limit on processes if that is the reason; -1. */
struct err;
int spawn_explain(struct err *err, const char *what);

#endif
