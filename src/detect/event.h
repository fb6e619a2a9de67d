/* SPDX-License-Identifier: MIT
 *
 * Something an agent read, wrote or did, as rules look at it. Plain data that borrows everything;
 * the maps are trees of nodes, whatever they were read from.
 */
#ifndef CORDON_DETECT_EVENT_H
#define CORDON_DETECT_EVENT_H

#include "base/arena.h"
#include "base/err.h"
#include "rule/vocab.h"
#include "yaml/node.h"

#define EVENT_BYTES_MAX ((size_t)64 << 20) /* of one event's texts together */
#define EVENT_LIST_MAX 1000000		   /* events of one document */
#define EVENT_DEPTH_MAX 64
#define EVENT_SPANS_MAX 10000 /* of one trace */
#define EVENT_TIME_NONE INT64_MIN

struct event {
	enum event_type type; /* EVENT_OTHER: rules of every source are evaluated */
	bool skill;	      /* a SKILL.md: see the reference's skill path */
	bool program;	      /* strict mode: nothing in it is quoted, whatever it looks like */
	/* A text without fields of its own: whichever of the text fields a rule names, it gets the
	 * content, and rules of every source are evaluated. A tool's name is no text. */
	bool plain;
	struct text content;					/* any bytes; s == NULL: none */
	const struct node *fields, *metadata, *metrics, *trace; /* or NULL */
	const char *session, *agent;				/* or NULL */
	int64_t time_ms;					/* since 1970, or EVENT_TIME_NONE */
};

/* Is KEY one of those that an event is made of? */
bool event_has_key(struct text key);
/* One event out of a JSON object, which must stay. Everything has one type: a field that is no
 * string is an error that names it. */
int event_from_node(const struct node *object, struct event *ret, struct err *err);

#endif
