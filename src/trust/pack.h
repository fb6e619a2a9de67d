/* SPDX-License-Identifier: MIT
 *
 * Plain values as bytes, for rows of the store: fixed sizes, little endian. Writing or reading beyond
 * the end sets a flag, which the caller checks once at the end.
 */
#ifndef CORDON_TRUST_PACK_H
#define CORDON_TRUST_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct packer {
	uint8_t *data; /* has ROOM bytes; the caller owns it */
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
/* Fails and returns 0 if the value is not below LIMIT. */
unsigned unpack_enum(struct unpacker *u, unsigned limit);
/* Fails if the text does not fit or contains NUL. */
void unpack_text(struct unpacker *u, char *ret, size_t size);
/* Did all reads succeed, with no byte left? */
bool unpack_is_done(const struct unpacker *u);

#endif
