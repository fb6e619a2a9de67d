/* SPDX-License-Identifier: MIT
 *
 * Makes one text of the strings of a document, without their escapes. Programs join strings that
 * are separate in a document, such as a command and its arguments, so rules must see them together.
 */
#ifndef CORDON_DETECT_GATHER_H
#define CORDON_DETECT_GATHER_H

#include "detect/event.h"

/* A file has its strings at most twice (a call's command), each with a sign behind it. */
#define GATHER_MAX (4 * EVENT_BYTES_MAX)
enum {
	GATHER_SKIP_MAX = 16,
	GATHER_CALLS_MAX = 64, /* combinations of a command and its arguments in one map */
};

/* Zeroed at first. */
struct gather {
	char *s;
	size_t len, room;
	bool failed;   /* out of memory, or TOO_LONG */
	bool too_long; /* more than GATHER_MAX */
	bool too_many; /* a map has over GATHER_CALLS_MAX calls; they are left out */
	size_t skipc;  /* parts of the document that are left out */
	const struct node *skip[GATHER_SKIP_MAX];
};

void gather_put(struct gather *g, const char *s, size_t len);
/* Adds all strings of N: each on its own line, those of a list on one line. For a call (a map with a
 * command and a list of arguments, under any name that programs use) the first line is the whole
 * command line. */
void gather_node(struct gather *g, const struct node *n);
void gather_pair(struct gather *g, const struct node_pair *p);
/* The same for a map, which counts as a call even if it has only one of the two. */
void gather_call(struct gather *g, const struct node *map);
/* Does the document contain a call? */
bool gather_has_calls(const struct node *n);
/* Adds each call below N that may contain code, as a line of a shell script with quoted words. */
void gather_script(struct gather *g, const struct node *n);
/* Sets the reason of a failure. */
void gather_error(const struct gather *g, struct err *ret);
void gather_done(struct gather *g);

#endif
