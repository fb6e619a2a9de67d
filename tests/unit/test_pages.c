/* SPDX-License-Identifier: MIT
 *
 * Pages: zeroed, aligned for anything, given back to the kernel, and never more than there is. And
 * the arena, which takes its large blocks from there.
 */
#include "base/pages.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>

#include "base/arena.h"
#include "tap.h"

enum { LARGE = 100000 };

static bool is_zero(const char *p, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (p[i])
			return false;
	return true;
}

static void test_large(void)
{
	enum { HUGE = 5 << 20 };
	char *p = pages_new_large(HUGE);
	unsigned char there = 0;

	ok(p && is_zero(p, HUGE) && (uintptr_t)p % 64 == 0, "large ones are zeroed and aligned");
	p[HUGE - 1] = 1;
	void *page = (void *)((uintptr_t)p & ~(uintptr_t)4095);
	ok((uintptr_t)page % (2 << 20) == 0, "they begin where a large page can");
	pages_free(p);
	ok(mincore(page, 1, &there) < 0 && errno == ENOMEM, "and go");
	ok(!pages_new_large(SIZE_MAX) && !pages_new_large(SIZE_MAX / 2), "or are refused");
}

/* Pieces of every size, each with its own byte, in blocks of every size. */
static void test_arena(void)
{
	enum { PIECES = 400 };
	static char *piece[PIECES];
	struct arena a = {0}, b = {0};
	size_t bad = 0;

	for (size_t i = 0; i < PIECES; i++) {
		piece[i] = arena_alloc(i % 3 ? &a : &b, i * i);
		bad += (uintptr_t)piece[i] % 16 != 0;
		memset(piece[i], (int)i, i * i);
	}
	arena_adopt(&a, &b);
	char *large = arena_alloc(&a, 3 << 20), *word = arena_dup(&a, "word");
	memset(large, 1, 3 << 20);
	for (size_t i = 0; i < PIECES; i++)
		for (size_t k = 0; k < i * i; k++)
			bad += piece[i][k] != (char)i;
	ok(!bad && !a.failed && strcmp(word, "word") == 0, "an arena's pieces are apart");
	arena_done(&a);
	ok(!a.last && !b.last, "and go together");
	arena_alloc(&a, SIZE_MAX / 2);
	ok(a.failed && *arena_dup(&a, "word") == '\0',
	   "an allocation that is too large sets failed");
	arena_done(&a);
}

int main(void)
{
	char *p = pages_new(LARGE);
	unsigned char there = 0;

	ok(p && is_zero(p, LARGE), "zeroed");
	ok((uintptr_t)p % _Alignof(max_align_t) == 0, "aligned");
	for (size_t i = 0; p && i < LARGE; i++)
		p[i] = (char)i;
	void *page = (void *)((uintptr_t)p & ~(uintptr_t)4095);
	ok(mincore(page, 1, &there) == 0, "there");
	errno = EXDEV;
	pages_free(p);
	ok(errno == EXDEV, "freeing keeps errno");
	ok(mincore(page, 1, &there) < 0 && errno == ENOMEM, "gone");
	pages_free(NULL);
	ok(!pages_new(SIZE_MAX), "too large by the head");
	ok(!pages_new(SIZE_MAX / 2), "too large for memory");
	test_large();
	test_arena();
	return tap_done();
}
