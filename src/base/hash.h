/* SPDX-License-Identifier: MIT
 *
 * FNV-1a, for tables in memory: fast for short names, and nothing that anybody should trust. What is
 * found by it is compared; where somebody could choose the names, chains have an end of their own.
 */
#ifndef CORDON_BASE_HASH_H
#define CORDON_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_BEGIN 0xcbf29ce484222325ULL

/* One more byte, or word. */
static inline uint64_t hash_add(uint64_t hash, uint64_t value)
{
	return (hash ^ value) * 0x100000001b3ULL;
}

static inline uint64_t hash_bytes(uint64_t hash, const void *data, size_t len)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < len; i++)
		hash = hash_add(hash, p[i]);
	return hash;
}

#endif
