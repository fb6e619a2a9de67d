/* SPDX-License-Identifier: MIT
 *
 * Cache files. A file counts only if this account's Cordon wrote it: its authentication code (MAC)
 * is made with a key in the state directory. The caller checks that the content belongs to the
 * present input.
 */
#ifndef CORDON_BASE_CACHE_FILE_H
#define CORDON_BASE_CACHE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/stamp.h"

enum { CACHE_FILE_KEY = 32 };

/* Maps a regular file that only the caller or root can write; follows no link and never blocks. Its
 * length must be LEAST to MOST. The file must not be shortened while it is mapped; cache_file_write()
 * never does that. */
struct cache_file_map {
	const uint8_t *bytes; /* NULL: none */
	size_t len;
	struct stamp stamp;
};
int cache_file_map(const char *path, size_t least, size_t most, struct cache_file_map *ret,
		   struct err *err);
void cache_file_unmap(struct cache_file_map *map);
/* Writes under a temporary name and renames, so that no reader sees a partial file. */
int cache_file_write(const char *path, const void *data, size_t len, struct err *err);

/* What a MAC is for; it is valid for no other kind. */
enum cache_file_kind {
	CACHE_FILE_DATABASE = 1,
	CACHE_FILE_RULES,
	CACHE_FILE_WARM,
	CACHE_FILE_TREE
};
/* The MAC (AES-256-GMAC) with its nonce, as stored in files. */
struct cache_file_mac {
	uint8_t nonce[12], tag[12];
};
/* Makes or checks the MAC of DATA. */
int cache_file_seal(const uint8_t key[CACHE_FILE_KEY], enum cache_file_kind kind, const void *data,
		    size_t len, struct cache_file_mac *ret, struct err *err);
bool cache_file_verify(const uint8_t key[CACHE_FILE_KEY], enum cache_file_kind kind,
		       const void *data, size_t len, const struct cache_file_mac *code);

#endif
