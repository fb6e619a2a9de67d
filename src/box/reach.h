/* SPDX-License-Identifier: MIT
 *
 * Reaching what a program of the box means by a number or a path, from outside the box.
 */
#ifndef CORDON_BOX_REACH_H
#define CORDON_BOX_REACH_H

#include <stdint.h>
#include <sys/types.h>

/* A pidfd of the process that thread TID belongs to; or -1. */
int reach_process(pid_t tid);
/* Connects the program's own local socket FD to where ADDRESS leads in the box. Returns an errno. */
int reach_unix(pid_t tid, int fd, const uint8_t *address, size_t len);

#endif
