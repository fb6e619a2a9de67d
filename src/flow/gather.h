/* SPDX-License-Identifier: MIT
 *
 * The strings of a document as one text, as they read and not as they are escaped: what stands
 * apart in a document is often put together by whoever uses it, such as a command's arguments.
 */
#ifndef CORDON_FLOW_GATHER_H
#define CORDON_FLOW_GATHER_H

#include "detect/event.h"

/* A file has its strings at most twice (a server's command), each with a sign behind it. */
#define GATHER_MAX (4 * EVENT_BYTES_MAX)
enum { GATHER_SKIP_MAX = 64 };

/* Zeroed at first. */
struct gather {
	char *s;
	size_t len, room;
	bool failed;   /* no memory, or: */
	bool too_long; /* more than GATHER_MAX */
	size_t skipc;  /* parts of the document that are left out */
	const struct node *skip[GATHER_SKIP_MAX];
};

void gather_put(struct gather *g, const char *s, size_t len);
/* Strings have a line each; those of a list have one together, as arguments have. */
void gather_node(struct gather *g, const struct node *n);
void gather_pair(struct gather *g, const struct node_pair *p);
/* The last line and the next one become one. */
void gather_join(struct gather *g);
/* Why it failed. */
void gather_error(const struct gather *g, struct err *ret);
void gather_done(struct gather *g);

#endif
