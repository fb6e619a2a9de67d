/* SPDX-License-Identifier: MIT
 *
 * Seeds that are written down. A fuzzer gets its own copy, with nothing behind its end.
 */
#include "seeds.h"

#include <stdlib.h>
#include <string.h>

uint8_t *seed_copy(const struct seed *seeds, size_t count, unsigned i, size_t *ret_len)
{
	uint8_t *copy;

	if (i >= count || !(copy = malloc(seeds[i].len)))
		return NULL;
	memcpy(copy, seeds[i].data, seeds[i].len);
	*ret_len = seeds[i].len;
	return copy;
}
