/* SPDX-License-Identifier: MIT
 *
 * Cache files. A file counts only if this account's Cordon wrote it: its authentication code (MAC)
 * is made with a key in the state directory. The caller checks that the content belongs to the
 * present input.
 */
#ifndef CORDON_BASE_KEPT_H
#define CORDON_BASE_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/stamp.h"

enum { KEPT_KEY = 32 };

/* Maps a regular file that only the caller or root can write; follows no link and never blocks. Its
 * length must be LEAST to MOST. The file must not be shortened while it is mapped; kept_write()
 * never does that. */
struct kept_map {
	const uint8_t *bytes; /* NULL: none */
	size_t len;
	struct stamp stamp;
};
int kept_map(const char *path, size_t least, size_t most, struct kept_map *ret, struct err *err);
void kept_unmap(struct kept_map *map);
/* Writes under a temporary name and renames, so that no reader sees a partial file. */
int kept_write(const char *path, const void *data, size_t len, struct err *err);

/* The kind of file that a code is for; it is valid for no other kind. */
enum kept_kind { KEPT_DATABASE = 1, KEPT_RULES, KEPT_WARM, KEPT_TREE };
/* AES-256-GMAC with its nonce, as stored in files. */
struct kept_code {
	uint8_t nonce[12], tag[12];
};
/* Makes or checks the code of DATA. */
int kept_seal(const uint8_t key[KEPT_KEY], enum kept_kind kind, const void *data, size_t len,
	      struct kept_code *ret, struct err *err);
bool kept_holds(const uint8_t key[KEPT_KEY], enum kept_kind kind, const void *data, size_t len,
		const struct kept_code *code);

#endif
