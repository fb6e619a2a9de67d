/* SPDX-License-Identifier: MIT
 *
 * Encodes parsed documents as bytes, so that YAML is parsed once and not at each start. Decoding
 * gives the same tree, lines included, with aliases expanded. The decoder treats the bytes as
 * hostile, even if their MAC is valid: each length and count has the maximum of the YAML reader.
 */
#ifndef CORDON_RULE_TREES_H
#define CORDON_RULE_TREES_H

#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "yaml/node.h"

/* Decodes COUNT trees from exactly LEN bytes. Their strings point into DATA. */
int trees_decode(const uint8_t *data, size_t len, size_t count, struct arena *arena,
		 const struct node **ret, struct err *err);
/* Returns the number of bytes, or 0 if it is over SIZE. DATA may be NULL, to ask only. */
size_t trees_encode(const struct node *const *root, size_t count, uint8_t *data, size_t size);

#endif
