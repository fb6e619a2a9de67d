/* SPDX-License-Identifier: MIT
 *
 * The length stands before what the caller gets, as malloc keeps it.
 */
#include "base/pages.h"

#include <errno.h>
#include <sys/mman.h>

enum { HEAD = 16 }; /* what malloc aligns to */

void *pages_new(size_t size)
{
	size_t whole;

	if (__builtin_add_overflow(size, HEAD, &whole))
		return NULL;
	char *p = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	*(size_t *)(void *)p = whole;
	return p + HEAD;
}

void pages_free(void *p)
{
	int saved = errno;

	if (p)
		munmap((char *)p - HEAD, *(size_t *)(void *)((char *)p - HEAD));
	errno = saved;
}
