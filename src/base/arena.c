/* SPDX-License-Identifier: MIT
 *
 * Blocks in a list; an allocation that does not fit the last block starts a new one, twice as
 * large. Blocks of megabytes are mapped pages.
 */
#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"

enum { BLOCK_SIZE = 16384, BLOCK_MAX = 2 << 20, ALIGN = 16 };

struct arena_block {
	struct arena_block *before;
	size_t used, size;
	_Alignas(ALIGN) char data[];
};

static bool is_large(size_t size)
{
	return size >= BLOCK_MAX / 2;
}

static struct arena_block *grow(struct arena *a, size_t size)
{
	size_t want = a->last ? a->last->size * 2 : BLOCK_SIZE;

	want = want > BLOCK_MAX ? BLOCK_MAX : want;
	want = size > want ? size : want;
	struct arena_block *b =
		is_large(want) ? pages_new_large(sizeof(*b) + want) : malloc(sizeof(*b) + want);
	if (!b)
		return NULL;
	b->before = a->last;
	b->used = 0;
	b->size = want;
	a->last = b;
	return b;
}

void *arena_alloc(struct arena *a, size_t size)
{
	struct arena_block *b = a->last;

	a->failed = a->failed || size > SIZE_MAX / 2;
	if (a->failed)
		return NULL;
	size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if (!b || b->size - b->used < size)
		b = grow(a, size);
	a->failed = !b;
	if (!b)
		return NULL;
	void *p = b->data + b->used;
	b->used += size;
	return p;
}

char *arena_dup(struct arena *a, const char *s)
{
	size_t size = strlen(s) + 1;
	char *p = arena_alloc(a, size);

	return p ? memcpy(p, s, size) : (char *)"";
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	int len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	a->failed = a->failed || len < 0;
	size_t size = (size_t)len + 1;
	char *p = arena_alloc(a, size);
	if (!p)
		return (char *)"";
	va_start(ap, fmt);
	vsnprintf(p, size, fmt, ap);
	va_end(ap);
	return p;
}

char *arena_quote(struct arena *a, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "%+,-./:=@_";
	size_t len = strlen(word), size = len + 3;

	if (len && strspn(word, plain) == len)
		return arena_dup(a, word);
	for (const char *p = word; *p; p++)
		size += *p == '\'' ? 3 : 0;
	char *quoted = arena_alloc(a, size), *to = quoted;
	if (!quoted)
		return (char *)"";
	*to++ = '\'';
	for (const char *p = word; *p; p++) {
		*to++ = *p;
		for (const char *more = *p == '\'' ? "\\''" : ""; *more; more++)
			*to++ = *more;
	}
	*to++ = '\'';
	*to = '\0';
	return quoted;
}

void arena_adopt(struct arena *a, struct arena *from)
{
	struct arena_block *first = from->last;

	while (first && first->before)
		first = first->before;
	if (first) {
		first->before = a->last;
		a->last = from->last;
	}
	a->failed = a->failed || from->failed;
	*from = (struct arena){0};
}

void arena_done(struct arena *a)
{
	while (a->last) {
		struct arena_block *before = a->last->before;
		if (is_large(a->last->size))
			pages_free(a->last);
		else
			free(a->last);
		a->last = before;
	}
}
