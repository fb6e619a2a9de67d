/* SPDX-License-Identifier: MIT
 *
 * Which parts of a text are, byte for byte, in another one. Forms and layers of a text are mostly
 * equal to it: a pattern that was asked about the bytes of one need not be asked again about the
 * same bytes of the other. The result may leave out equal parts, never add one.
 */
#ifndef CORDON_SCAN_SAME_H
#define CORDON_SCAN_SAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SAME_MIN = 64,	 /* bytes of the shortest part */
	SAME_MAX = 4096, /* parts */
	SAME_FAR = 8,	 /* times that the whole rest of the other text is searched, */
	SAME_FAILED =
		4, /* and times that such a search may fail: noise would be searched again and again */
	SAME_CONTEXT = 4, /* bytes before a place that belong to it: one character */
};

/* FROM to TO of the text equals the other text from AT on. */
struct same_part {
	uint32_t from, to, at;
};

struct same {
	size_t count;
	size_t len, other_len;
	struct same_part part[SAME_MAX];
};

/* Both texts are shorter than 2^31 bytes. */
void same_find(struct same *s, const char *text, size_t len, const char *other, size_t other_len);
/* Is FROM to TO in the other text, with the same character or the same beginning before it? If TO
 * is the text's end, it must be the other's end. */
bool same_has(const struct same *s, size_t from, size_t to);

#endif
