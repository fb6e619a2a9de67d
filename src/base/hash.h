/* SPDX-License-Identifier: MIT
 *
 * FNV-1a, for hash tables in memory. It is fast for short names and not secure: entries must be
 * compared, and tables with untrusted names must limit their chains.
 */
#ifndef CORDON_BASE_HASH_H
#define CORDON_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_BEGIN 0xcbf29ce484222325ULL

/* Adds a byte, or a word. */
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
