/* SPDX-License-Identifier: MIT
 *
 * From an event to the patterns that matched in its texts.
 */
#ifndef CORDON_DETECT_HITS_H
#define CORDON_DETECT_HITS_H

#include "detect/thread.h"

/* Asks EVENT for every field that rules name. With INSTEAD, fields that hold the event's content
 * get that text. Equal texts become one. hits_done is due when it succeeds. */
int hits_begin(struct engine_thread *t, const struct event *event, const struct text *instead,
	       struct err *err);
/* Scans the N-th text, in all its forms, and notes who asked for what matched. With MORE, the text
 * is another layer of what stood there: what matched before stays noted. */
int hits_scan(struct engine_thread *t, const struct event *event, size_t n, bool more,
	      struct err *err);
void hits_done(struct engine_thread *t);
/* Forgets which rules have a hit, not the hits. */
void hits_next_round(struct engine_thread *t);

#endif
