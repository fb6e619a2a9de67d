/* SPDX-License-Identifier: MIT
 *
 * A connection that goes through cordon-egress: relay.c makes it, relay_check.c looks at its first
 * bytes, relay_move.c moves the rest.
 */
#ifndef CORDON_EGRESS_RELAY_H
#define CORDON_EGRESS_RELAY_H

#include <sys/types.h>

#include "egress/egress.h"

enum { RELAY_ROOM = 65536 };

/* One direction. */
struct flow {
	uint8_t data[RELAY_ROOM];
	size_t at, len;
	bool ended, told; /* nothing more comes; and the other side knows */
	uint64_t moved;
};

enum { INNER, OUTER, SIDES };

struct relay {
	struct watch side[SIDES]; /* the program, the host */
	struct flow from[SIDES];  /* what comes from it */
	bool gone[SIDES];	  /* it takes nothing more, and what it has said is all */
	bool broken[SIDES];	  /* it was reset */
	bool checked;
	uint64_t id, until_ns;
	int fd;	     /* the program's, until it is connected */
	bool called; /* its call waits for an answer */
	bool own;    /* UNTIL_NS is the program's own: the call ends then, and nothing else */
	bool let;    /* FD may arrive */
	int error;   /* what FD is refused with */
	bool watched;
	struct attempt *attempt;
	const struct egress_secret *secret; /* or NULL, and then TLS is too */
	struct ssl_st *tls;
	struct relay *next; /* of those that the clock looks at */
};

void relay_end(struct egress *e, struct relay *r);
/* The same, by a reset of both sides. */
void relay_break(struct egress *e, struct relay *r);
/* The clock looks at it. */
void relay_watch(struct egress *e, struct relay *r);

/* The socket of that name calls again: what was made for its last call is over, and its state is none of
 * that call's any more. */
void relay_supersede(struct egress *e, uint64_t cookie);

/* Both ends are there. */
void relay_move(struct egress *e, struct relay *r);
/* One was reset: the other is, when it has got all that was said before. */
void relay_fade(struct egress *e, struct relay *r);

/* False: it must not go on, and the attempt says why. */
bool relay_check(struct relay *r);
bool relay_refuse(struct relay *r, const char *why);

#endif
