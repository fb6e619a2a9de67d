/* SPDX-License-Identifier: MIT
 *
 * SHA-256. nettle uses the processor's SHA instructions, which are seven times as fast as plain C;
 * programs, workspaces and logs of a million records are hashed.
 */
#ifndef CORDON_BASE_DIGEST_H
#define CORDON_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

enum { DIGEST_BYTES = 32, DIGEST_STATE = 128 };

/* A copy of the struct continues from the same state. */
struct digest {
	_Alignas(16) uint8_t state[DIGEST_STATE]; /* the library's */
};

void digest_init(struct digest *d);
void digest_add(struct digest *d, const void *data, size_t len);
/* Must be followed by digest_init. RET has room for DIGEST_BYTES. */
void digest_end(struct digest *d, uint8_t *ret);
/* The hash of one piece of data. */
void digest_of(uint8_t *ret, const void *data, size_t len);

#endif
