/* SPDX-License-Identifier: MIT
 *
 * What happens in a run, told as it happens: one JSON object a line on standard output, each written
 * whole. What the program prints is data in it, and nothing that it does can begin or end a line.
 */
#ifndef CORDON_CLI_EVENTS_H
#define CORDON_CLI_EVENTS_H

#include "base/utf8.h"
#include "cli/cli.h"
#include "flow/launch.h"

/* One stream of the program's. */
struct events_stream {
	size_t room;		  /* bytes that are still told as they come */
	char held[UTF8_CHAR_MAX]; /* the beginning of a character */
	unsigned heldc;
};

struct events {
	uint64_t begun_ns;
	struct events_stream out[2];
};

/* ROOM: as they come, bytes of each stream; the kept end is told at the end. */
void events_init(struct events *e, size_t room);
struct launch_sink events_sink(struct events *e);
/* The rest of the output, the limit that was touched, the result. */
void events_finish(struct events *e, const struct result *r, enum tier tier);
/* The last line alone: nothing ran. */
void events_print_result(const struct result *r, enum tier tier, uint64_t ms);

/* The I-th object's rows, for the manual page; NULL past the end. */
const struct cli_object *events_object_at(unsigned i);

#endif
