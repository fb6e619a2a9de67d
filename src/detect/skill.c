/* SPDX-License-Identifier: MIT
 *
 * Runs of base64 characters, decoded as Node.js does, and kept when most of the result is
 * printable. Bug not copied: after five blocks, the reference starts the next document in the
 * middle.
 */
#include "detect/skill.h"

#include <string.h>

#include "base/utf8.h"
#include "scan/text/normal.h"

enum { TEXT_MIN = 10, TEXT_MAX = 100000 }; /* UTF-16 units */

static int value_of(char c)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* The next run from *AT on; its length is 0 when there is none. */
static struct text next_run(struct text content, size_t *at)
{
	for (size_t i = *at; i < content.len; i++) {
		size_t start = i;
		while (i < content.len && value_of(content.s[i]) >= 0)
			i++;
		if (i - start >= SKILL_BLOCK_MIN) {
			*at = i;
			return (struct text){content.s + start, i - start};
		}
	}
	*at = content.len;
	return (struct text){NULL, 0};
}

static struct text decode(struct text run, struct arena *arena)
{
	char *out = arena_alloc(arena, run.len);
	unsigned bits = 0, left = 0;
	size_t len = 0;

	for (size_t i = 0; i < run.len && !arena->failed; i++) {
		bits = bits << 6 | (unsigned)value_of(run.s[i]);
		left += 6;
		if (left >= 8) {
			left -= 8;
			out[len++] = (char)(bits >> left);
		}
	}
	return (struct text){out, len};
}

/* The part of the text that the reference keeps. */
static size_t cut(const struct scan_text *t)
{
	size_t at = 0;

	if (t->utf16 <= TEXT_MAX)
		return t->len;
	for (size_t units = 0; at < t->len;) {
		struct utf8_char c = utf8_next(t->data, t->len, at);
		units += 1 + (c.value > 0xffff);
		if (units > TEXT_MAX)
			break;
		at += c.len;
	}
	return at;
}

static bool is_text(const struct scan_text *t)
{
	size_t printable = 0;

	for (size_t i = 0; i < t->len; i++)
		printable += t->data[i] >= 32 && t->data[i] < 127;
	return t->utf16 >= TEXT_MIN && (double)printable / (double)t->utf16 > 0.7;
}

int skill_blocks(struct text content, struct arena *arena, struct text *ret, size_t *ret_count,
		 struct err *err)
{
	size_t at = 0;

	*ret_count = 0;
	while (*ret_count < SKILL_BLOCKS_MAX) {
		struct text run = next_run(content, &at);
		struct scan_text t;
		if (!run.len)
			return arena->failed ? err_memory(err) : 0;
		struct text bytes = decode(run, arena);
		if (arena->failed)
			return err_memory(err);
		if (normal_decode(bytes.s, bytes.len, &t, err) < 0)
			return -1;
		if (is_text(&t)) {
			size_t len = cut(&t);
			char *copy = arena_alloc(arena, len);
			if (!arena->failed)
				memcpy(copy, t.data, len);
			ret[(*ret_count)++] = (struct text){copy, len};
		}
		normal_done(&t);
	}
	return arena->failed ? err_memory(err) : 0;
}
