/* SPDX-License-Identifier: MIT
 *
 * Finds the patterns that match in the texts of an event.
 */
#ifndef CORDON_DETECT_HITS_H
#define CORDON_DETECT_HITS_H

#include "detect/thread.h"

/* Collects the texts of all fields of EVENT that rules name. With INSTEAD, fields that have the
 * event's content get that text. Equal texts are one. After success the caller calls hits_done. */
int hits_begin(struct engine_thread *t, const struct event *event, const struct text *instead,
	       struct err *err);
/* Forms that were scanned for a text and its layers. A layer without its invisible characters is
 * often equal to the normalised text or to another layer. Only long layers are kept, the last few
 * of them, and no very long one. */
enum { HITS_KEPT = 8, HITS_KEPT_MIN = 1024, HITS_KEPT_MAX = 1 << 20 };

struct hits_scanned {
	struct prepared whole;
	struct prepared kept[HITS_KEPT];
	size_t next; /* counts all that were */
};

/* Scans all forms of the N-th text and records the matches. With KNOWN, the text is another layer:
 * matches so far stay recorded, and a form that was scanned is not scanned again. */
int hits_scan(struct engine_thread *t, const struct event *event, size_t n,
	      const struct hits_scanned *known, struct err *err);
/* Takes ownership of a layer that was scanned. */
void hits_keep(struct hits_scanned *known, struct prepared *layer);
/* Frees all but WHOLE, which the caller owns. */
void hits_scanned_done(struct hits_scanned *known);
void hits_done(struct engine_thread *t);
/* Clears which rules have a hit, but not the hits. */
void hits_next_round(struct engine_thread *t);

#endif
