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
/* Forms that were scanned for the text whose layers come one after another: without what nobody
 * sees, a layer is often what the text, or another layer, is when it is normalised. Only long
 * layers are kept, the last of them, and none that is very long. */
enum { HITS_KEPT = 8, HITS_KEPT_MIN = 1024, HITS_KEPT_MAX = 1 << 20 };

struct hits_known {
	struct prepared whole;
	struct prepared kept[HITS_KEPT];
	size_t next; /* counts all that were */
};

/* Scans the N-th text, in all its forms, and notes who asked for what matched. With KNOWN, the text
 * is another layer of what stood there: what matched before stays noted, and a form that was scanned
 * is not scanned again. */
int hits_scan(struct engine_thread *t, const struct event *event, size_t n,
	      const struct hits_known *known, struct err *err);
/* Takes a layer that was scanned. */
void hits_keep(struct hits_known *known, struct prepared *layer);
/* All but the whole, which is somebody else's. */
void hits_known_done(struct hits_known *known);
void hits_done(struct engine_thread *t);
/* Forgets which rules have a hit, not the hits. */
void hits_next_round(struct engine_thread *t);

#endif
