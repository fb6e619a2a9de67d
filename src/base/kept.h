/* SPDX-License-Identifier: MIT
 *
 * Files that Cordon keeps for itself, to be faster the next time. A file counts only if this account's
 * Cordon wrote it: its code (MAC) is made with a key of the state directory. The caller checks that
 * the bytes belong to what is asked for now.
 */
#ifndef CORDON_BASE_KEPT_H
#define CORDON_BASE_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/stamp.h"

enum { KEPT_KEY = 32 };

/* Maps a regular file of the caller or root that no other account may write; never follows a link,
 * never waits. Its length is from LEAST to MOST. The file must not be shortened while it is mapped:
 * kept_write() never does that. */
struct kept_map {
	const uint8_t *bytes; /* NULL: none */
	size_t len;
	struct stamp stamp;
};
int kept_map(const char *path, size_t least, size_t most, struct kept_map *ret, struct err *err);
void kept_unmap(struct kept_map *map);
/* Under another name first, so that no reader sees half of it. */
int kept_write(const char *path, const void *data, size_t len, struct err *err);

/* What a code is for: the code of one kind is worth nothing as another. */
enum kept_kind { KEPT_DATABASE = 1, KEPT_RULES, KEPT_WARM, KEPT_TREE };
/* AES-256-GMAC with a nonce of its own, as it stands in files. */
struct kept_code {
	uint8_t nonce[12], tag[12];
};
/* Only the holder of KEY can make a code of DATA that holds. */
int kept_seal(const uint8_t key[KEPT_KEY], enum kept_kind kind, const void *data, size_t len,
	      struct kept_code *ret, struct err *err);
bool kept_holds(const uint8_t key[KEPT_KEY], enum kept_kind kind, const void *data, size_t len,
		const struct kept_code *code);

#endif
