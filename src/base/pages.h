/* SPDX-License-Identifier: MIT
 *
 * Zeroed memory for large structures that stay mostly empty. Mapped pages cost only where they are
 * written; calloc would clear all of them (60 microseconds of every run).
 */
#ifndef CORDON_BASE_PAGES_H
#define CORDON_BASE_PAGES_H

#include <stddef.h>

/* Aligned to 64 bytes. NULL: out of memory. */
void *pages_new(size_t size);
/* For megabytes that will all be written: uses huge pages if possible. Without them 10 MB cost
 * about 2,000 page faults. */
void *pages_new_large(size_t size);
void pages_free(void *p);

static inline void pages_free_at(void *p)
{
	pages_free(*(void **)p);
}

#define AUTO_PAGES __attribute__((cleanup(pages_free_at)))

#endif
