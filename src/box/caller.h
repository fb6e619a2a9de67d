/* SPDX-License-Identifier: MIT
 *
 * The process in the box that made a system call and waits for its answer: resolves, from outside the
 * box, the numbers and paths in its arguments.
 */
#ifndef CORDON_BOX_CALLER_H
#define CORDON_BOX_CALLER_H

#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Does the caller still wait? Only then does its pid still name it: check this after using the pid. */
bool caller_waits(int listener, const struct seccomp_notif *req);
/* A pidfd of the process that thread TID belongs to; or -1. */
int caller_pidfd(pid_t tid);
/* Connects the program's AF_UNIX socket FD to what ADDRESS names in the box. Returns an errno. May block
 * for as long as the program likes. */
int caller_connect_unix(int listener, const struct seccomp_notif *req, int fd,
			const uint8_t *address, size_t len);

#endif
