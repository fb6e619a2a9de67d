/* SPDX-License-Identifier: MIT
 *
 * SHA-256. With the processor's own instructions where it has them: programs, workspaces and a log of
 * a million records are hashed, and in plain C that is seven times slower.
 */
#ifndef CORDON_BASE_DIGEST_H
#define CORDON_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

enum { DIGEST_BYTES = 32, DIGEST_STATE = 128 };

/* May be copied: both go on from there. */
struct digest {
	_Alignas(16) uint8_t state[DIGEST_STATE]; /* the library's */
};

void digest_init(struct digest *d);
void digest_add(struct digest *d, const void *data, size_t len);
/* Ends it: digest_init comes next. RET has room for DIGEST_BYTES. */
void digest_end(struct digest *d, uint8_t *ret);
/* All three for one piece. */
void digest_of(uint8_t *ret, const void *data, size_t len);

#endif
