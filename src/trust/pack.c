/* SPDX-License-Identifier: MIT
 *
 * Values as bytes. After a failure every read gives zero.
 */
#include "trust/pack.h"

#include <string.h>

void pack_bytes(struct packer *p, const void *data, size_t len)
{
	if (p->failed || p->room - p->len < len) {
		p->failed = true;
		return;
	}
	if (len)
		memcpy(p->data + p->len, data, len);
	p->len += len;
}

void pack_uint(struct packer *p, uint64_t value, unsigned size)
{
	uint8_t byte[8];

	for (unsigned i = 0; i < size; i++)
		byte[i] = (uint8_t)(value >> 8 * i);
	pack_bytes(p, byte, size);
}

void pack_text(struct packer *p, const char *text)
{
	size_t len = strlen(text);

	p->failed = p->failed || len > UINT16_MAX;
	pack_uint(p, len, 2);
	pack_bytes(p, text, len);
}

void unpack_bytes(struct unpacker *u, void *ret, size_t len)
{
	if (u->failed || u->len - u->at < len) {
		u->failed = true;
		memset(ret, 0, len);
		return;
	}
	if (len)
		memcpy(ret, u->data + u->at, len);
	u->at += len;
}

uint64_t unpack_uint(struct unpacker *u, unsigned size)
{
	uint8_t byte[8] = {0};
	uint64_t value = 0;

	unpack_bytes(u, byte, size);
	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)byte[i] << 8 * i;
	return value;
}

unsigned unpack_enum(struct unpacker *u, unsigned limit)
{
	unsigned value = (unsigned)unpack_uint(u, 1);

	u->failed = u->failed || value >= limit;
	return u->failed ? 0 : value;
}

void unpack_text(struct unpacker *u, char *ret, size_t size)
{
	size_t len = (size_t)unpack_uint(u, 2);

	u->failed = u->failed || len >= size;
	ret[0] = '\0';
	if (u->failed)
		return;
	unpack_bytes(u, ret, len);
	ret[len] = '\0';
	u->failed = u->failed || strlen(ret) != len;
}

bool unpack_is_done(const struct unpacker *u)
{
	return !u->failed && u->at == u->len;
}
