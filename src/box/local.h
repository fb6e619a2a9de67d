/* SPDX-License-Identifier: MIT
 *
 * Local connections of a box with a network. connect() to a full queue waits, and whether it does is
 * a flag of the open socket, which the program shares and may change at any moment. So the thread that
 * keeps the clock never makes the call: a process of its own does, and its exit status is the answer.
 */
#ifndef CORDON_BOX_LOCAL_H
#define CORDON_BOX_LOCAL_H

#include <linux/seccomp.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { LOCAL_MAX = 64 }; /* that wait at the same time */

struct local {
	pid_t pid; /* 0: free */
	int pidfd;
	bool quiet; /* its failure is nothing to tell of */
	struct seccomp_notif req;
};

/* The program's socket FD is connected to ADDRESS. Returns an errno when it is not even tried. */
int local_start(struct local *l, int listener, const struct seccomp_notif *req, int fd,
		const uint8_t *address, size_t len);
/* What to wait for: FDS has room for LOCAL_MAX, in the order of L. */
void local_wait(const struct local *l, struct pollfd *fds);
/* True: this one has ended, its place is free again, and *RET has its request and *RET_ERROR the answer. */
bool local_take(struct local *l, struct local *ret, int *ret_error);
/* Whoever still waits waits for nobody. */
void local_end(struct local *l);

#endif
