/* SPDX-License-Identifier: MIT
 *
 * A connection that goes through cordon-egress: relay.c makes it, relay_check.c checks its first bytes,
 * relay_move.c transfers the rest and ends it.
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
	bool ended, end_sent; /* no more data comes; the other side has received the end */
	uint64_t moved;
};

enum { INNER, OUTER, SIDES };

struct relay {
	struct watch side[SIDES]; /* the program, the host */
	struct flow from[SIDES];  /* data from that side */
	bool gone[SIDES];	  /* it is closed: it takes no data, and sends no more */
	bool broken[SIDES];	  /* it was reset */
	bool checked;
	uint64_t id, until_ns;
	int fd;	     /* the program's, until it is connected */
	bool called; /* its call waits for an answer */
	bool own;    /* UNTIL_NS is the program's own timeout: only the call ends then */
	bool let;    /* the handshake of FD may complete */
	int error;   /* why FD is refused */
	bool watched;
	struct attempt *attempt;
	const struct egress_secret *secret; /* or NULL: then TLS is NULL too */
	struct ssl_st *tls;
	struct relay *next; /* of those that the clock checks */
};

/* relay_move.c: closes both sides. */
void relay_end(struct egress *e, struct relay *r);
/* The clock checks it, or no longer. */
void relay_watch(struct egress *e, struct relay *r);
void relay_unwatch(struct egress *e, struct relay *r);
/* Both sides are connected: starts the transfer. */
void relay_move(struct egress *e, struct relay *r);
/* One side was reset: resets the other one once it has received all earlier data. */
void relay_fade(struct egress *e, struct relay *r);

/* relay_check.c. False: the relay must end, and the attempt has the reason. */
bool relay_check(struct relay *r);
bool relay_refuse(struct relay *r, const char *why);

#endif
