/* SPDX-License-Identifier: MIT
 *
 * Ids of conversations, sources and tickets: 128 random bits, shown as 32 hexadecimal digits.
 */
#ifndef CORDON_TRUST_ID_H
#define CORDON_TRUST_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ID_BYTES = 16, ID_HEX = 2 * ID_BYTES + 1 };

struct id {
	uint8_t byte[ID_BYTES];
};

bool id_is_same(const struct id *a, const struct id *b);
void id_random(struct id *ret);
const char *id_hex(const struct id *id, char ret[ID_HEX]);
/* All LEN characters must be the id. */
bool id_parse(const char *hex, size_t len, struct id *ret);

#endif
