/* SPDX-License-Identifier: MIT
 *
 * The gate: the supervisor's side of the seccomp listener. It answers the filter's self-test, lets
 * exactly one exec through (while only our own code is in the box), and then refuses and records
 * everything. It never lets a call continue on the strength of memory the program can change.
 */
#ifndef CORDON_BOX_GATE_H
#define CORDON_BOX_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "box/box.h"
#include "box/local.h"

enum gate_phase {
	GATE_SETUP, /* waiting for the first call, which is ours */
	GATE_RUN,   /* untrusted code runs: refuse all */
};

struct gate {
	int listener; /* -1: not yet, or no longer heard */
	int spent;    /* the listener that nobody is left to ask; -1 */
	enum gate_phase phase;
	bool kill;  /* a call on the kill list was made */
	bool cut;   /* more was refused than is in the list */
	bool blind; /* never read the program's memory: there is no gate_answer_local */
	uint64_t started_ns;
	unsigned events, count;
	struct local local[LOCAL_MAX];
	struct wire_denial denials[CORDON_DENIALS_MAX]; /* last: see gate_init */
};
/* What stands behind the list would never be set. */
_Static_assert(offsetof(struct gate, denials) + sizeof(((struct gate *)NULL)->denials) +
			       _Alignof(struct gate) >
		       sizeof(struct gate),
	       "denials are the last of a gate");

void gate_init(struct gate *g);
/* One notification. -1: the box must not go on. */
int gate_answer(struct gate *g, struct box *b, struct err *err);
/* Answers calls that have been looked at in the meantime. */
void gate_answer_local(struct gate *g, bool net);
/* Everybody the filter held is gone. Closing the listener frees the filter, which keeps this core
 * busy while the caller waits for the result: gate_close does it when nobody does. */
void gate_retire(struct gate *g, bool net);
void gate_close(struct gate *g);
/* So many datagrams had nowhere to go. */
void gate_note_lost(struct gate *g, uint64_t count);

#endif
