/* SPDX-License-Identifier: MIT
 *
 * Workers: processes that examine the program for the supervisor. Reading the program's memory may block on a
 * disk that does not answer. connect() may block on a full queue, on the lock of a socket and on slow
 * directories, and close() on all of these. So the supervisor, which keeps the clock, never reads the
 * program's memory and never holds its descriptors. Workers do, one call of the program at a time.
 */
#ifndef CORDON_BOX_WORKER_H
#define CORDON_BOX_WORKER_H

#include <linux/seccomp.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "box/box.h"

enum { WORKER_MAX = 64 }; /* calls at the same time */

/* What to do with a call. */
enum worker_verdict {
	WORKER_REFUSE, /* refuse and record it, like any other */
	WORKER_ANSWER, /* answer it with ERROR */
	WORKER_ASKED,  /* nothing: cordon-egress will answer it */
};

struct worker_answer {
	enum worker_verdict verdict;
	int error;
	bool quiet; /* do not record its failure */
	char target[CORDON_TARGET_MAX];
};

/* Examines a call that came in on LISTENER; *RET is zeroed. May block. */
typedef void worker_fn(const struct box *b, int listener, const struct seccomp_notif *req,
		       struct worker_answer *ret);

/* A worker, and the call that it works on. */
struct worker {
	pid_t pid; /* 0: not started */
	int pidfd, sock;
	bool busy;
	_Atomic bool *asked; /* memory shared with the worker, which sets it: see WORKER_ASKED */
	struct seccomp_notif req;
};

/* Gives REQ to a worker, which calls WORK. -1: all are busy. */
int worker_start(struct worker *l, worker_fn *work, const struct box *b, int listener,
		 const struct seccomp_notif *req);
/* Fills FDS, which has room for WORKER_MAX, with what to wait for. Returns how many. */
size_t worker_wait(const struct worker *l, struct pollfd *fds);
/* True: this worker has finished the call *RET_REQ. */
bool worker_take(struct worker *l, struct seccomp_notif *ret_req, struct worker_answer *ret);
/* CPU time of the living workers; that of the others is in RUSAGE_CHILDREN. */
uint64_t worker_cpu_ns(const struct worker *l);
/* Kills all workers; their answers are not needed. */
void worker_kill(struct worker *l);
/* Kills all workers and reaps those that end at once. */
void worker_end(struct worker *l);

#endif
