/* SPDX-License-Identifier: MIT
 *
 * The file format of backups and archives. A magic line, then frames: a kind (1 byte), a length (4
 * bytes, big-endian), and data. The last frame, E, has the SHA-256 of everything before it. The
 * reader trusts nothing in the file.
 */
#ifndef CORDON_STORE_FRAMES_H
#define CORDON_STORE_FRAMES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/digest.h"
#include "base/err.h"
#include "store/buf.h"

enum { FRAMES_NUMBER = 8, FRAMES_MAX = (64 << 20) + 4096 };

struct frames_out {
	FILE *file;
	struct digest sum;
	struct buf frame; /* the next frame's data */
	uint8_t sha256[DIGEST_BYTES];
};

int frames_create(struct frames_out *o, int fd, const char *magic, struct err *err);
struct buf *frames_begin(struct frames_out *o);
void frames_add_number(struct buf *b, uint64_t n);
int frames_put(struct frames_out *o, char kind, struct err *err);
/* Writes the last frame. The file is durable when it returns 0. */
int frames_finish(struct frames_out *o, struct err *err);
void frames_out_done(struct frames_out *o);

/* Makes the new file NAME of DIR, whole and durable, or no file. WRITE writes it to a descriptor. */
typedef int frames_fn(void *context, int fd, struct err *err);
int frames_write_file(int dir, const char *name, frames_fn *write, void *context, struct err *err);

struct frames_in {
	FILE *file;
	struct digest sum;
	struct buf frame;
	char kind;
	bool has_end;
	uint8_t sha256[DIGEST_BYTES]; /* valid with HAS_END */
};

int frames_open(struct frames_in *in, int fd, const char *magic, struct err *err);
int frames_next(struct frames_in *in, struct err *err);
uint64_t frames_number(const uint8_t *p);
void frames_in_done(struct frames_in *in);
int frames_damaged(struct err *err);

#endif
