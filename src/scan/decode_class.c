/* SPDX-License-Identifier: MIT
 *
 * The search that every text pays for, so it is done sixteen characters at a time: a run of sixteen
 * covers a whole block of eight wherever it begins, and a block of eight that is in the class is
 * rare in text. The compiler makes the machine's vector instructions of it; there are none that
 * both architectures do not have.
 */
#include <string.h>

#include "scan/decode.h"
#include "scan/decode_part.h"

enum { BLOCK = 8, CHUNK = 2 * BLOCK };
_Static_assert(DECODE_RUN_MIN >= 2 * BLOCK - 1, "a run covers a block");

typedef uint8_t lanes __attribute__((vector_size(CHUNK)));

/* Which of the two blocks at P are in the class throughout: bits. */
static unsigned full_blocks(const struct decode_class *class, const uint8_t *p)
{
	lanes text, in = {0};
	uint64_t half[2];

	memcpy(&text, p, CHUNK);
	for (size_t i = 0; i < class->ranges; i++) {
		uint8_t low = class->range[i].low, span = (uint8_t)(class->range[i].high - low);
		in |= (lanes)(((text | class->range[i].fold) - low) <= span);
	}
	memcpy(half, &in, CHUNK);
	return (half[0] == UINT64_MAX) | (unsigned)(half[1] == UINT64_MAX) << 1;
}

/* At the end of the text, where no chunk fits: by looking at every sixteenth character. */
static size_t next_in_rest(const uint8_t *ask, const uint8_t *s, size_t len, size_t at)
{
	size_t seen = at; /* all of AT..SEEN is in */

	for (size_t probe = at + DECODE_RUN_MIN - 1; probe < len;) {
		size_t i = probe + 1;
		while (i > seen && ask[s[i - 1]])
			i--;
		if (i == seen)
			return at;
		at = i;
		seen = probe + 1;
		probe = at + DECODE_RUN_MIN - 1;
	}
	return len;
}

static size_t begin_of(const uint8_t *ask, const uint8_t *s, size_t first, size_t at)
{
	while (at > first && ask[s[at - 1]])
		at--;
	return at;
}

size_t decode_next_run(const struct decode_class *class, const char *data, size_t len, size_t at)
{
	const uint8_t *s = (const uint8_t *)data, *ask = class->ask;
	size_t first = at;

	while (len - at >= CHUNK) {
		unsigned full = full_blocks(class, s + at);
		if (!full) {
			at += CHUNK;
			continue;
		}
		at += full & 1 ? 0 : BLOCK;
		first = begin_of(ask, s, first, at);
		for (at += BLOCK; at < len && ask[s[at]];)
			if (++at - first >= DECODE_RUN_MIN)
				return first;
		first = at;
	}
	return next_in_rest(ask, s, len, begin_of(ask, s, first, at));
}
