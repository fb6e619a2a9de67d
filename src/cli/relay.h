/* SPDX-License-Identifier: MIT
 *
 * Passes the program's output on to ours, safely: on a terminal control characters are shown and
 * not obeyed, and a line that would look like one of ours is marked.
 */
#ifndef CORDON_CLI_RELAY_H
#define CORDON_CLI_RELAY_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/glyph.h"
#include "model/result.h"

/* Where the current line stands. Two streams on one terminal make one line together. */
struct relay_line {
	size_t matched; /* how much of "cordon: " it has begun with */
	bool in_line;	/* it can no longer begin with it */
};

struct relay {
	int fd;
	bool guard; /* our own lines may appear on the same file */
	bool terminal;
	size_t room; /* bytes that are still passed on as they come */
	struct relay_line *line;
	unsigned char held[GLYPH_MAX]; /* the beginning of a character */
	unsigned heldc, need;
	bool lost; /* some of it could not be written */
};

/* LINE is shared by streams that go to the same file, see relay_is_shared. */
void relay_init(struct relay *r, int fd, size_t room, struct relay_line *line);
/* Do our standard output and standard error go to the same file? */
bool relay_is_shared(void);
void relay_write(struct relay *r, const char *data, size_t len);
/* Says what was left out and shows the kept end. */
void relay_finish(struct relay *r, const struct capture *c);

#endif
