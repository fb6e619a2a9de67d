/* SPDX-License-Identifier: MIT
 *
 * Pages: zeroed, aligned for anything, given back to the kernel, and never more than there is.
 */
#include "base/pages.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>

#include "tap.h"

enum { LARGE = 100000 };

static bool is_zero(const char *p, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (p[i])
			return false;
	return true;
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
	return tap_done();
}
