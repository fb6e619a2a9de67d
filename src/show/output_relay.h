/* SPDX-License-Identifier: MIT
 *
 * Copies the program's output to Cordon's output. On a terminal, control characters are made
 * visible. A line that looks like a message of Cordon's is marked.
 */
#ifndef CORDON_SHOW_RELAY_H
#define CORDON_SHOW_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/result.h"
#include "show/glyph.h"

/* The state of the current line. Two streams on one terminal share it. */
struct relay_line {
	size_t matched; /* how many bytes of "cordon: " it has begun with */
	bool in_line;	/* it does not begin with "cordon: " */
};

struct relay {
	int fd;
	bool guard; /* Cordon's own messages may go to the same file */
	bool terminal;
	bool all;    /* no byte is left out */
	size_t room; /* bytes that may still be passed on at once */
	struct relay_line *line;
	unsigned char held[GLYPH_MAX]; /* the beginning of a character */
	unsigned heldc, need;
	bool lost; /* some output could not be written */
};

#define RELAY_ALL SIZE_MAX
/* Streams that go to the same file share LINE: see relay_is_shared. ROOM: RELAY_ALL, or how much is
 * passed on before the program has ended. */
void relay_init(struct relay *r, int fd, size_t room, struct relay_line *line);
/* Standard output and standard error go to the same file. */
bool relay_is_shared(void);
void relay_write(struct relay *r, const char *data, size_t len);
/* Reports how many bytes were omitted, and prints the end that was kept. */
void relay_finish(struct relay *r, const struct capture *c);

#endif
