/* SPDX-License-Identifier: MIT
 *
 * Files that a program keeps for itself, to be faster the next time. Whoever reads one must be able
 * to say: only I, or root, can have written it, and it is all there. What the bytes mean, and that
 * they belong to what is asked for now, is the caller's to check.
 */
#ifndef CORDON_BASE_KEPT_H
#define CORDON_BASE_KEPT_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/stamp.h"

/* Opens a regular file of the caller's or root's that nobody else may write; never follows a link,
 * never waits. Its length is from LEAST to MOST. Returns the descriptor or -1. */
int kept_open(const char *path, size_t least, size_t most, size_t *ret_len, struct err *err);
/* Such a file as memory that cannot be written to. It must not be shortened while it is used: who
 * does that to a file of his own ends his own programs. We never do, see kept_write(). */
struct kept_map {
	const uint8_t *bytes; /* NULL: none */
	size_t len;
	struct stamp stamp;
};
int kept_map(const char *path, size_t least, size_t most, struct kept_map *ret, struct err *err);
void kept_unmap(struct kept_map *map);
/* Under another name first, so that nobody sees half of it. */
int kept_write(const char *path, const void *data, size_t len, struct err *err);
/* Finds accidents (a crash of the machine, a bad disk), not intent: who may write the file may do
 * anything in its owner's name anyway. A change within one word is always found. */
uint64_t kept_sum(const void *data, size_t len);

#endif
