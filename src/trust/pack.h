/* SPDX-License-Identifier: MIT
 *
 * Plain values in bytes, for rows of the store and for tokens: fixed sizes, lowest byte first.
 * Writing too much or reading past the end sets a flag that the owner checks once at the end.
 */
#ifndef CORDON_TRUST_PACK_H
#define CORDON_TRUST_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct packer {
	uint8_t *data; /* the caller's, with ROOM bytes */
	size_t room, len;
	bool failed;
};

struct unpacker {
	const uint8_t *data;
	size_t len, at;
	bool failed;
};

void pack_bytes(struct packer *p, const void *data, size_t len);
/* SIZE bytes of VALUE: 1 to 8. */
void pack_uint(struct packer *p, uint64_t value, unsigned size);
/* At most 65535 bytes. */
void pack_text(struct packer *p, const char *text);

void unpack_bytes(struct unpacker *u, void *ret, size_t len);
uint64_t unpack_uint(struct unpacker *u, unsigned size);
/* A value below LIMIT, otherwise it has failed and gives 0. */
unsigned unpack_enum(struct unpacker *u, unsigned limit);
/* Without a NUL in it; fails when it does not fit. */
void unpack_text(struct unpacker *u, char *ret, size_t size);
/* All was there and nothing is left. */
bool unpack_is_done(const struct unpacker *u);

#endif
