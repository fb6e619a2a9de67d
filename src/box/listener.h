/* SPDX-License-Identifier: MIT
 *
 * The supervisor's side of the seccomp listener. It answers the filter's self-test, lets exactly one exec
 * through (while only Cordon's own code is in the box), and then refuses and records all calls. It must
 * never let a call continue because of memory that the program can change.
 */
#ifndef CORDON_BOX_LISTENER_H
#define CORDON_BOX_LISTENER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "box/box.h"
#include "box/worker.h"

enum listener_phase {
	LISTENER_SETUP, /* waits for the first call, which is Cordon's own */
	LISTENER_RUN,	/* untrusted code runs: refuse all calls */
};

struct listener {
	int fd;	     /* -1: none yet, or none any more */
	int retired; /* the listener of a filter without processes; -1 */
	enum listener_phase phase;
	bool kill;  /* a call on the kill list was made */
	bool cut;   /* more was refused than is in the list */
	bool blind; /* never read the program's memory: there is no listener_answer_examined */
	uint64_t started_ns;
	unsigned events, count;
	struct worker workers[WORKER_MAX];
	struct wire_denial denials[CORDON_DENIALS_MAX]; /* last: see listener_init */
};
/* listener_init would not clear a member after the list. */
_Static_assert(offsetof(struct listener, denials) + sizeof(((struct listener *)NULL)->denials) +
			       _Alignof(struct listener) >
		       sizeof(struct listener),
	       "denials are the last member");

void listener_init(struct listener *l);
/* One notification. -1: the box must not go on. */
int listener_answer(struct listener *l, struct box *b, struct err *err);
/* Answers the calls that a worker has examined. */
void listener_answer_examined(struct listener *l, bool net);
/* All processes of the filter are dead. Closing the listener frees the filter, which keeps this core busy, so
 * this only sets it aside: listener_close closes it once the caller has the result. */
void listener_retire(struct listener *l, bool net);
void listener_close(struct listener *l);
/* Records COUNT datagrams that had no route. */
void listener_note_lost(struct listener *l, uint64_t count);

#endif
