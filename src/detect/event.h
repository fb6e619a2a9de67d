/* SPDX-License-Identifier: MIT
 *
 * An event: what an agent read, wrote or did, as rules see it. The struct is plain data and
 * borrows all memory. Its maps are trees of nodes, from JSON or YAML.
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
	bool skill;	      /* a SKILL.md: see skill.h */
	bool program;	      /* strict mode: nothing in it counts as quoted code */
	/* A text without fields of its own. It is the value of every text field that a rule names,
	 * except a tool's name, and rules of every source are evaluated. */
	bool plain;
	struct text content;					/* any bytes; s == NULL: none */
	const struct node *fields, *metadata, *metrics, *trace; /* or NULL */
	const char *session, *agent;				/* or NULL */
	int64_t time_ms;					/* since 1970, or EVENT_TIME_NONE */
};

/* Is KEY a key of an event? */
bool event_has_key(struct text key);
/* Reads an event from a JSON object, which must stay. Each field has one type: a value of another
 * type is an error that names the field. */
int event_from_node(const struct node *object, struct event *ret, struct err *err);

/* The text of a field. RET->s is NULL when the field is absent, or an empty text: both make a
 * condition false. Fails on a value that is not a string. NAME is the field's name, also when
 * FIELD is FIELD_OTHER. */
int field_resolve(const struct event *event, enum field field, const char *name, struct text *ret,
		  struct err *err);

#endif
