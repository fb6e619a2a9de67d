/* SPDX-License-Identifier: MIT
 *
 * Reads both texts in parallel. Where they differ, the text that follows is searched a few bytes
 * ahead in both, which finds an inserted, deleted or replaced character; then in the whole rest of
 * the other text, a limited number of times. An equal part extends as far as the bytes are equal.
 * Apart from these searches the time is linear.
 */
#include "scan/text/same.h"

#include <string.h>

enum { WORD = sizeof(uint64_t), NEAR = 16, SURE = 24 };

struct pair {
	const char *text, *other;
	size_t len, other_len;
	size_t at, other_at; /* how far both have been read */
	unsigned far, failed;
};

static uint64_t word_at(const char *p)
{
	uint64_t w;

	memcpy(&w, p, sizeof(w));
	return w;
}

/* The number of equal bytes from A and B on. */
static size_t equal_bytes(const struct pair *p, size_t a, size_t b)
{
	size_t n = 0, most = p->len - a < p->other_len - b ? p->len - a : p->other_len - b;

	while (n + WORD <= most && word_at(p->text + a + n) == word_at(p->other + b + n))
		n += WORD;
	while (n < most && p->text[a + n] == p->other[b + n])
		n++;
	return n;
}

/* Searches for the rest of the text, SKIP bytes ahead, near the same place of the other. */
static bool find_near(struct pair *p, size_t skip)
{
	size_t a = p->at + skip, low = p->other_at, high = low + skip + NEAR;

	if (a + SURE > p->len)
		return false;
	for (size_t b = low; b <= high && b + SURE <= p->other_len; b++) {
		if (word_at(p->text + a) != word_at(p->other + b) ||
		    memcmp(p->text + a, p->other + b, SURE) != 0)
			continue;
		p->at = a;
		p->other_at = b;
		return true;
	}
	return false;
}

/* Searches for the text that follows these bytes anywhere in the rest of the other. */
static bool find_far(struct pair *p)
{
	size_t a = p->at + NEAR;
	const char *found;

	if (a + SURE > p->len || p->far++ >= SAME_FAR || p->failed >= SAME_FAILED)
		return false;
	found = memmem(p->other + p->other_at, p->other_len - p->other_at, p->text + a, SURE);
	p->at = a;
	if (found)
		p->other_at = (size_t)(found - p->other);
	else
		p->failed++;
	return true;
}

/* False: no further equal part. */
static bool find_next(struct pair *p)
{
	for (size_t skip = 0; skip <= NEAR; skip++)
		if (find_near(p, skip))
			return true;
	return find_far(p);
}

void same_find(struct same *s, const char *text, size_t len, const char *other, size_t other_len)
{
	struct pair p = {.text = text, .other = other, .len = len, .other_len = other_len};

	s->count = 0;
	s->len = len;
	s->other_len = other_len;
	do {
		size_t n = equal_bytes(&p, p.at, p.other_at);

		if (n >= SAME_MIN || (n && p.at + n == len))
			s->part[s->count++] = (struct same_part){
				(uint32_t)p.at, (uint32_t)(p.at + n), (uint32_t)p.other_at};
		p.at += n;
		p.other_at += n;
	} while (s->count < SAME_MAX && p.at < len && find_next(&p));
}

/* The last part that begins at or before AT, or NULL. */
static const struct same_part *part_of(const struct same *s, size_t at)
{
	size_t low = 0, high = s->count;

	while (low < high) {
		size_t mid = (low + high) / 2;
		if (s->part[mid].from <= at)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? &s->part[low - 1] : NULL;
}

bool same_has(const struct same *s, size_t from, size_t to)
{
	const struct same_part *p = part_of(s, from);

	if (!p || p->to < to)
		return false;
	if (from < (size_t)p->from + SAME_CONTEXT && (p->from || p->at))
		return false;
	return to < s->len || p->at + (to - p->from) == s->other_len;
}
