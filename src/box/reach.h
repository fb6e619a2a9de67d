/* SPDX-License-Identifier: MIT
 *
 * Reaching what a program of the box means by a number or a path, from outside the box.
 */
#ifndef CORDON_BOX_REACH_H
#define CORDON_BOX_REACH_H

#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Whoever asked is still there, so what has been fetched by its number is its own. */
bool reach_is_valid(int listener, const struct seccomp_notif *req);
/* A pidfd of the process that thread TID belongs to; or -1. */
int reach_process(pid_t tid);
/* Connects the program's own local socket FD to where ADDRESS leads in the box. Returns an errno. Waits
 * as long as the program wants. */
int reach_unix(int listener, const struct seccomp_notif *req, int fd, const uint8_t *address,
	       size_t len);

#endif
