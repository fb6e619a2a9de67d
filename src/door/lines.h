/* SPDX-License-Identifier: MIT
 *
 * Messages of doors that speak JSON: one object a line. Reading and writing never block, and what a
 * client can send is bounded. The door ignores SIGPIPE. Nothing here knows what a message means.
 */
#ifndef CORDON_DOOR_LINES_H
#define CORDON_DOOR_LINES_H

#include <jansson.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum {
	LINES_DEPTH_MAX = 64,	    /* of lists and objects in one message */
	LINES_VALUES_MAX = 1000000, /* in one message */
};

struct lines_in {
	int fd;	    /* stays the caller's; -1 when it has ended */
	size_t max; /* bytes of one line */
	char *data;
	size_t at, len, size, seen; /* the bytes from AT to SEEN have no newline */
	bool skips;		    /* the rest of a line that was too long */
};

enum lines_event {
	LINES_NONE,	/* no whole line has come */
	LINES_LINE,	/* *RET, valid until the next call of lines_read */
	LINES_TOO_LONG, /* reported once; the line is dropped */
	LINES_HALF,	/* the input ended within a line, which is *RET */
	LINES_END,
};

struct lines_text {
	const char *data; /* without the newline */
	size_t len;
};

/* Reads once; call it when poll says that FD is ready. */
int lines_read(struct lines_in *in, struct err *err);
enum lines_event lines_next(struct lines_in *in, struct lines_text *ret);
void lines_in_done(struct lines_in *in);

struct lines_out {
	int fd; /* stays the caller's; -1 after the reader has closed its end */
	char *data;
	size_t at, len, size;
};

/* Bytes that wait. A door that has much to send stops reading while they are many. */
size_t lines_waiting(const struct lines_out *out);
/* Adds a line, and writes what can be written now. -1: out of memory. A reader that has gone is no
 * error: OUT->fd is -1 then. */
int lines_put(struct lines_out *out, const char *data, size_t len, struct err *err);
/* The same without a newline. */
int lines_bytes(struct lines_out *out, const char *data, size_t len, struct err *err);
/* Adds a message as a line, and frees it. */
int lines_send(struct lines_out *out, json_t *message, struct err *err);
/* The event to wait for; its descriptor is -1 when nothing waits. */
struct pollfd lines_wants(const struct lines_out *out);
/* Call it after that event. */
void lines_flush(struct lines_out *out);
void lines_out_done(struct lines_out *out);

/* One message, which must be an object. NULL: *ERR says what is wrong. */
json_t *lines_parse(struct lines_text line, struct err *err);

#endif
