/* SPDX-License-Identifier: MIT
 *
 * The events of a document: one object, a list of them, or one a line (JSON lines).
 */
#ifndef CORDON_DETECT_READER_H
#define CORDON_DETECT_READER_H

#include "detect/event.h"

struct event_reader {
	const char *data;
	size_t len, at;
	unsigned line;		  /* of AT */
	const struct node *whole; /* the document, unless it is lines */
	size_t count;		  /* events so far */
	struct arena arena;
};

/* DATA must stay. event_reader_done is always due. */
int event_reader_open(struct event_reader *r, const char *data, size_t len, struct err *err);
/* 1 and an event that is good until the next call; 0 at the end; -1. After a failure in one of many
 * the next call goes on behind it. */
int event_reader_next(struct event_reader *r, struct event *ret, struct err *err);
void event_reader_done(struct event_reader *r);

#endif
