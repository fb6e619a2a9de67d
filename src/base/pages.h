/* SPDX-License-Identifier: MIT
 *
 * Zeroed memory for structures that have room for the longest lists and stay mostly empty: pages
 * of their own, which cost something only where they are written to. calloc would clear all of
 * them first (60 microseconds of every run).
 */
#ifndef CORDON_BASE_PAGES_H
#define CORDON_BASE_PAGES_H

#include <stddef.h>

/* NULL when memory is out. Aligned to 64 bytes. */
void *pages_new(size_t size);
/* For megabytes that are all written to: large pages if there are any. Filling 10 MB takes two
 * thousand page faults otherwise, which is longer than reading them. */
void *pages_new_large(size_t size);
void pages_free(void *p);

static inline void pages_free_at(void *p)
{
	pages_free(*(void **)p);
}

#define AUTO_PAGES __attribute__((cleanup(pages_free_at)))

#endif
