/* SPDX-License-Identifier: MIT
 *
 * The strings of a document as one text, as they read and not as they are escaped: what stands
 * apart in a document is often put together by whoever uses it, such as a command's arguments.
 */
#ifndef CORDON_DETECT_GATHER_H
#define CORDON_DETECT_GATHER_H

#include "detect/event.h"

/* A file has its strings at most twice (a call's command), each with a sign behind it. */
#define GATHER_MAX (4 * EVENT_BYTES_MAX)
enum {
	GATHER_SKIP_MAX = 16,
	GATHER_CALLS_MAX = 64, /* of a command with arguments, in one map */
};

/* Zeroed at first. */
struct gather {
	char *s;
	size_t len, room;
	bool failed;   /* no memory, or: */
	bool too_long; /* more than GATHER_MAX */
	bool too_many; /* calls in a map: more than GATHER_CALLS_MAX; those are not in it */
	size_t skipc;  /* parts of the document that are left out */
	const struct node *skip[GATHER_SKIP_MAX];
};

void gather_put(struct gather *g, const char *s, size_t len);
/* Strings have a line each; those of a list have one together, as arguments have. A map that is a call
 * (a command and a list of arguments, under any of the names that programs know) begins with both
 * on one line, as a shell would get them. */
void gather_node(struct gather *g, const struct node *n);
void gather_pair(struct gather *g, const struct node_pair *p);
/* A map that begins so whatever it has of both. */
void gather_call(struct gather *g, const struct node *map);
/* Is there a call anywhere? */
bool gather_has_calls(const struct node *n);
/* Every call below N in which there may be code, as a line of a shell script, its words in quotes. */
void gather_script(struct gather *g, const struct node *n);
/* Why it failed. */
void gather_error(const struct gather *g, struct err *ret);
void gather_done(struct gather *g);

#endif
