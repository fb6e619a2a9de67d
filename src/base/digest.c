/* SPDX-License-Identifier: MIT
 *
 * See digest.h. Nothing else includes the library's header.
 */
#include "base/digest.h"

#include <nettle/sha2.h>

_Static_assert(sizeof(struct sha256_ctx) <= DIGEST_STATE, "the library's state has grown");
_Static_assert(SHA256_DIGEST_SIZE == DIGEST_BYTES, "SHA-256 has 32 bytes");

static struct sha256_ctx *ctx(struct digest *d)
{
	return (struct sha256_ctx *)(void *)d->state;
}

void digest_init(struct digest *d)
{
	sha256_init(ctx(d));
}

void digest_add(struct digest *d, const void *data, size_t len)
{
	if (len) /* DATA may be NULL if LEN is 0 */
		sha256_update(ctx(d), len, data);
}

void digest_end(struct digest *d, uint8_t *ret)
{
	sha256_digest(ctx(d), DIGEST_BYTES, ret);
}

void digest_of(uint8_t *ret, const void *data, size_t len)
{
	struct digest d;

	digest_init(&d);
	digest_add(&d, data, len);
	digest_end(&d, ret);
}
