/* SPDX-License-Identifier: MIT
 *
 * Makes, writes and reads ids.
 */
#include "trust/id.h"

#include <sodium.h>
#include <string.h>

bool id_is_same(const struct id *a, const struct id *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

void id_random(struct id *ret)
{
	randombytes_buf(ret->byte, sizeof(ret->byte));
}

const char *id_hex(const struct id *id, char ret[ID_HEX])
{
	return sodium_bin2hex(ret, ID_HEX, id->byte, sizeof(id->byte));
}

/* Lower case only: the store compares keys byte by byte. */
bool id_parse(const char *hex, size_t len, struct id *ret)
{
	size_t bytes = 0;

	for (size_t i = 0; i < len; i++)
		if (hex[i] >= 'A' && hex[i] <= 'F')
			return false;
	return len == ID_HEX - 1 &&
	       sodium_hex2bin(ret->byte, ID_BYTES, hex, len, NULL, &bytes, NULL) == 0 &&
	       bytes == ID_BYTES;
}
