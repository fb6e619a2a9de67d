/* SPDX-License-Identifier: MIT
 *
 * libutf8proc decomposes and composes. Between the two, combining marks are sorted here: the
 * library's exchange sort takes quadratic time, and an attacker can write a million marks.
 * Characters newer than the library's Unicode that stand for Latin letters are in a table.
 */
#include "scan/text/nfkc.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base/scope.h"
#include "base/utf8.h"

enum { DECOMPOSED_MAX = 32, INSERTION_MAX = 24, CLASSES = 256 };

/* clang-format off */
static const struct { uint32_t from; char to; uint8_t count; } young[] = {
	{0xa7f1, 'S', 1}, {0x1ccd6, 'A', 26}, {0x1ccf0, '0', 10},
};
/* clang-format on */

static uint32_t aged(uint32_t c)
{
	for (size_t i = 0; i < ARRAY_SIZE(young); i++)
		if (c - young[i].from < young[i].count)
			return c - young[i].from + (uint32_t)young[i].to;
	return c;
}

static int class_of(int32_t c)
{
	return utf8proc_get_property(c)->combining_class;
}

/* Hangul is composed by arithmetic, which its properties do not show. */
bool nfkc_is_inert(uint32_t c)
{
	if (c == UTF8_REPLACEMENT) /* most characters of binary data */
		return true;
	const utf8proc_property_t *p = utf8proc_get_property((utf8proc_int32_t)c);
	if ((c >= 0x1100 && c <= 0x11ff) || (c >= 0xac00 && c <= 0xd7a3))
		return false;
	return p->decomp_seqindex == UINT16_MAX && p->comb_index == UINT16_MAX &&
	       !p->combining_class && aged(c) == c;
}

static bool reserve(struct nfkc *n, size_t more)
{
	if (n->count + more > n->room) {
		size_t room = n->room ? n->room * 2 : 256;
		int32_t *grown = realloc(n->point, room * sizeof(*grown));
		if (!grown) {
			n->failed = true;
			return false;
		}
		n->point = grown;
		n->room = room;
	}
	return true;
}

void nfkc_add(struct nfkc *n, uint32_t c)
{
	int last = 0;

	if (!reserve(n, DECOMPOSED_MAX))
		return;
	utf8proc_ssize_t got = utf8proc_decompose_char(
		(utf8proc_int32_t)aged(c), n->point + n->count, DECOMPOSED_MAX,
		UTF8PROC_COMPAT | UTF8PROC_COMPOSE | UTF8PROC_STABLE, &last);
	if (got < 0 || got > DECOMPOSED_MAX)
		n->failed = true;
	else
		n->count += (size_t)got;
}

static void sort_short(int32_t *p, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		int32_t c = p[i];
		size_t k = i;
		for (; k && class_of(p[k - 1]) > class_of(c); k--)
			p[k] = p[k - 1];
		p[k] = c;
	}
}

/* A counting sort keeps the order of marks of one class. */
static bool sort_long(int32_t *p, size_t count)
{
	AUTO_FREE int32_t *out = malloc(count * sizeof(*out));
	size_t at[CLASSES + 1] = {0};

	if (!out)
		return false;
	for (size_t i = 0; i < count; i++)
		at[class_of(p[i]) + 1]++;
	for (size_t i = 0; i < CLASSES; i++)
		at[i + 1] += at[i];
	for (size_t i = 0; i < count; i++)
		out[at[class_of(p[i])]++] = p[i];
	memcpy(p, out, count * sizeof(*p));
	return true;
}

static void order(struct nfkc *n)
{
	for (size_t i = 0; i < n->count;) {
		size_t start = i;
		while (i < n->count && class_of(n->point[i]))
			i++;
		if (i - start <= INSERTION_MAX)
			sort_short(n->point + start, i - start);
		else if (!sort_long(n->point + start, i - start))
			n->failed = true;
		i += i == start;
	}
}

bool nfkc_is_full(const struct nfkc *n, uint32_t c)
{
	int32_t point[DECOMPOSED_MAX];
	int last = 0;

	if (n->count < NFKC_PIECE)
		return false;
	utf8proc_ssize_t got = utf8proc_decompose_char(
		(utf8proc_int32_t)aged(c), point, DECOMPOSED_MAX,
		UTF8PROC_COMPAT | UTF8PROC_COMPOSE | UTF8PROC_STABLE, &last);
	return got > 0 && !class_of(point[0]);
}

void nfkc_compose(struct nfkc *n)
{
	order(n);
	utf8proc_ssize_t got = utf8proc_normalize_utf32(n->point, (utf8proc_ssize_t)n->count,
							UTF8PROC_COMPOSE | UTF8PROC_STABLE);
	if (got < 0)
		n->failed = true;
	else
		n->count = (size_t)got;
}

void nfkc_done(struct nfkc *n)
{
	free(n->point);
	*n = (struct nfkc){0};
}
