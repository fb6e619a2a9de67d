/* SPDX-License-Identifier: MIT
 *
 * A text while linear forms read it: characters, places, and remaining steps. All of it is used in
 * the innermost loops.
 */
#ifndef CORDON_SCAN_LINEAR_TEXT_H
#define CORDON_SCAN_LINEAR_TEXT_H

#include "scan/regex/linear_private.h"

enum {
	LINEAR_CHAR_STEPS = 8, /* steps for a character, in addition to its words */
};

/* A character and its length. The text is UTF-8 except for halves of surrogate pairs. */
static inline uint32_t linear_char_at(const struct linear_walk *w, size_t at, size_t *ret_len)
{
	const uint8_t *p = w->data + at;
	size_t left = w->end - at;

	*ret_len = 1;
	if (p[0] < 0xc0 || left < 2)
		return p[0];
	*ret_len = 2;
	if (p[0] < 0xe0 || left < 3)
		return (p[0] & 0x1fu) << 6 | (p[1] & 0x3f);
	*ret_len = 3;
	if (p[0] < 0xf0 || left < 4)
		return (p[0] & 0xfu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3f);
	*ret_len = 4;
	return (p[0] & 7u) << 18 | (p[1] & 0x3fu) << 12 | (p[2] & 0x3fu) << 6 | (p[3] & 0x3f);
}

/* The end is not inside a character, and must not be read. */
static inline size_t linear_char_begin(const struct linear_walk *w, size_t at)
{
	while (at && at < w->end && (w->data[at] & 0xc0) == 0x80)
		at--;
	return at;
}

static inline uint32_t linear_char_before(const struct linear_walk *w, size_t at)
{
	size_t len;

	return at ? linear_char_at(w, linear_char_begin(w, at - 1), &len) : LINEAR_NO_CHAR;
}

static inline uint32_t linear_char_behind(const struct linear_walk *w, size_t at)
{
	size_t len;

	return at < w->end ? linear_char_at(w, at, &len) : LINEAR_NO_CHAR;
}

/* At the end the next place is one that is never reached. */
static inline struct linear_place linear_ahead_of(const struct linear_walk *w, size_t at)
{
	size_t len;

	if (at >= w->end)
		return (struct linear_place){at, LINEAR_NOWHERE, LINEAR_NO_CHAR};
	uint32_t c = linear_char_at(w, at, &len);
	return (struct linear_place){at, at + len, c};
}

static inline struct linear_place linear_back_from(const struct linear_walk *w, size_t at)
{
	size_t len;

	if (!at)
		return (struct linear_place){at, LINEAR_NOWHERE, LINEAR_NO_CHAR};
	size_t next = linear_char_begin(w, at - 1);
	return (struct linear_place){at, next, linear_char_at(w, next, &len)};
}

static inline uint64_t linear_char_cost(const struct linear *l)
{
	return l->words + LINEAR_CHAR_STEPS;
}

static inline bool linear_spend(struct linear_walk *w, uint64_t cost)
{
	w->spent |= w->left < cost;
	w->left -= w->spent ? w->left : cost;
	return !w->spent;
}

#endif
