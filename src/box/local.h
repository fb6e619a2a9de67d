/* SPDX-License-Identifier: MIT
 *
 * Processes that look at the program for the supervisor. Memory of the program may lie in a file on a disk
 * that does not answer; connect() waits for a full queue, for a socket's lock and for slow directories;
 * close() may wait for all of these. So the supervisor, which keeps the clock, never reads the program's
 * memory and never holds a descriptor of it. These processes do, one call of the program at a time.
 */
#ifndef CORDON_BOX_LOCAL_H
#define CORDON_BOX_LOCAL_H

#include <linux/seccomp.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "box/box.h"

enum { LOCAL_MAX = 64 }; /* calls at the same time */

/* What is to be done with a call. */
enum local_verdict {
	LOCAL_REFUSE, /* refuse and record it, like any other */
	LOCAL_ANSWER, /* answer it with ERROR */
	LOCAL_ASKED,  /* nothing: cordon-egress will answer it */
};

struct local_answer {
	enum local_verdict verdict;
	int error;
	bool quiet; /* do not record its failure */
	char target[CORDON_TARGET_MAX];
};

/* Looks at a call that came in on LISTENER; *RET is zeroed. May wait. */
typedef void local_fn(const struct box *b, int listener, const struct seccomp_notif *req,
		      struct local_answer *ret);

/* A process, and the call that it works on. */
struct local {
	pid_t pid; /* 0: not started */
	int pidfd, sock;
	bool busy;
	_Atomic bool *asked; /* shared with it: LOCAL_ASKED, which we need not be woken for */
	struct seccomp_notif req;
};

/* One of them does WORK. -1: there are too many already. */
int local_start(struct local *l, local_fn *work, const struct box *b, int listener,
		const struct seccomp_notif *req);
/* What to wait for: FDS has room for LOCAL_MAX. Returns how many there are. */
size_t local_wait(const struct local *l, struct pollfd *fds);
/* True: this one has done its work, for the call *RET_REQ. */
bool local_take(struct local *l, struct seccomp_notif *ret_req, struct local_answer *ret);
/* Processor time of those that live; of the others it is in RUSAGE_CHILDREN. */
uint64_t local_cpu_ns(const struct local *l);
/* None of them is waited for any more. */
void local_kill(struct local *l);
/* Ends them all. */
void local_end(struct local *l);

#endif
