/* SPDX-License-Identifier: MIT
 *
 * The length is stored before the returned address, as malloc does.
 */
#include "base/pages.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>

#include "base/memory.h"

enum { HEAD = 64 }; /* a cache line */
enum {
	LARGE_PAGE = 2 << 20
}; /* the size on most machines; on others only the hint has no effect */

void *pages_new(size_t size)
{
	size_t whole;

	if (__builtin_add_overflow(size, HEAD, &whole))
		return NULL;
	char *p = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED) {
		memory_note();
		return NULL;
	}
	*(size_t *)(void *)p = whole;
	return p + HEAD;
}

void *pages_new_large(size_t size)
{
	size_t whole;

	if (__builtin_add_overflow(size, HEAD + LARGE_PAGE, &whole))
		return NULL;
	char *all = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (all == MAP_FAILED) {
		memory_note();
		return NULL;
	}
	size_t before = -(uintptr_t)all & (LARGE_PAGE - 1);
	if (before)
		munmap(all, before);
	char *p = all + before;
	madvise(p, whole - before, MADV_HUGEPAGE);
	*(size_t *)(void *)p = whole - before;
	return p + HEAD;
}

void pages_free(void *p)
{
	int saved = errno;

	if (p)
		munmap((char *)p - HEAD, *(size_t *)(void *)((char *)p - HEAD));
	errno = saved;
}
