/* SPDX-License-Identifier: MIT
 *
 * Prints the events of a run as they happen: one JSON object per line of standard output. The
 * program's output is data in these objects, so the program cannot begin or end a line.
 */
#ifndef CORDON_SHOW_EVENTS_H
#define CORDON_SHOW_EVENTS_H

#include "base/utf8.h"
#include "live/sink.h"
#include "model/layer.h"
#include "show/jsonval.h"

/* One output stream of the program. */
struct events_stream {
	size_t room;		  /* bytes that may still be printed at once */
	char held[UTF8_CHAR_MAX]; /* the beginning of a character */
	unsigned heldc;
};

struct events {
	uint64_t begun_ns;
	struct events_stream out[2];
};

/* ROOM: bytes of each stream that are printed at once. events_finish prints the end that was
 * kept. */
void events_init(struct events *e, size_t room);
struct launch_sink events_sink(struct events *e);
/* Prints the rest of the output, the limit that was reached, and the result. */
void events_finish(struct events *e, const struct result *r, enum tier tier);
/* Prints the result alone: nothing ran. */
void events_print_result(const struct result *r, enum tier tier, uint64_t ms);

/* For the manual page. */
extern const struct json_doc run_event_docs[];

#endif
