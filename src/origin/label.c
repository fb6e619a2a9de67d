/* SPDX-License-Identifier: MIT
 *
 * Labels, and the ids they name.
 */
#include "origin/label.h"

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

/* One way to write it: keys of the store are compared as they are. */
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

static const char *const integrities[INTEGRITY_COUNT] = {
	[INTEGRITY_HOSTILE] = "hostile", [INTEGRITY_UNTRUSTED] = "untrusted",
	[INTEGRITY_TOOL] = "tool",	 [INTEGRITY_PLAN] = "plan",
	[INTEGRITY_USER] = "user",
};
static const char *const secrecies[SECRECY_COUNT] = {
	[SECRECY_PUBLIC] = "public",
	[SECRECY_INTERNAL] = "internal",
	[SECRECY_SECRET] = "secret",
};

const char *integrity_name(unsigned integrity)
{
	return integrity < INTEGRITY_COUNT ? integrities[integrity] : NULL;
}

const char *secrecy_name(unsigned secrecy)
{
	return secrecy < SECRECY_COUNT ? secrecies[secrecy] : NULL;
}

struct label label_top(void)
{
	return (struct label){.integrity = INTEGRITY_USER};
}

struct label label_unknown(void)
{
	return (struct label){.integrity = INTEGRITY_UNTRUSTED};
}

void label_add_source(struct label *l, const struct id *source)
{
	for (size_t i = 0; i < l->count; i++)
		if (id_is_same(&l->source[i], source))
			return;
	if (l->count == LABEL_SOURCES_MAX)
		l->more = true;
	else
		l->source[l->count++] = *source;
}

void label_add_run(struct label *l, const struct id *run)
{
	if (l->count < LABEL_SOURCES_MAX)
		l->count++;
	memmove(&l->source[1], &l->source[0], (l->count - 1) * sizeof(l->source[0]));
	l->source[0] = *run;
}

void label_join(struct label *to, const struct label *from)
{
	if (from->integrity < to->integrity)
		to->integrity = from->integrity;
	if (from->secrecy > to->secrecy)
		to->secrecy = from->secrecy;
	to->more = to->more || from->more;
	for (size_t i = 0; i < from->count; i++)
		label_add_source(to, &from->source[i]);
}

bool label_is_below(const struct label *a, const struct label *b)
{
	return a->integrity <= b->integrity && a->secrecy >= b->secrecy;
}

void label_hear(struct label *l, enum integrity said, bool trusts)
{
	enum integrity most = said < INTEGRITY_TOOL ? said : INTEGRITY_TOOL;

	if (said < l->integrity)
		l->integrity = said;
	else if (trusts && l->integrity != INTEGRITY_HOSTILE && most > l->integrity)
		l->integrity = most;
}

struct label label_of_run(enum origin code, const struct label *inputs, unsigned caps)
{
	static const enum integrity of[ORIGIN_COUNT] = {
		[ORIGIN_HOSTILE] = INTEGRITY_HOSTILE,	[ORIGIN_DERIVED] = INTEGRITY_UNTRUSTED,
		[ORIGIN_EXPOSED] = INTEGRITY_UNTRUSTED, [ORIGIN_AGENT] = INTEGRITY_TOOL,
		[ORIGIN_USER] = INTEGRITY_USER,		[ORIGIN_PLAN] = INTEGRITY_PLAN,
	};
	struct label l = *inputs, unknown = label_unknown();

	if (of[code] < l.integrity)
		l.integrity = of[code];
	if (caps & (CAP_BIT(CAP_NET) | CAP_BIT(CAP_HOST)))
		label_join(&l, &unknown);
	if (caps & CAP_BIT(CAP_SECRET))
		l.secrecy = SECRECY_SECRET;
	return l;
}

void label_pack(struct packer *p, const struct label *l)
{
	pack_uint(p, l->integrity, 1);
	pack_uint(p, l->secrecy, 1);
	pack_uint(p, l->more, 1);
	pack_uint(p, l->count, 2);
	pack_bytes(p, l->source, l->count * sizeof(l->source[0]));
}

void label_unpack(struct unpacker *u, struct label *ret)
{
	struct label l = {0};

	l.integrity = (enum integrity)unpack_enum(u, INTEGRITY_COUNT);
	l.secrecy = (enum secrecy)unpack_enum(u, SECRECY_COUNT);
	l.more = unpack_enum(u, 2);
	l.count = (size_t)unpack_uint(u, 2);
	u->failed = u->failed || l.count > LABEL_SOURCES_MAX;
	if (u->failed)
		l = (struct label){0};
	unpack_bytes(u, l.source, l.count * sizeof(l.source[0]));
	*ret = l;
}
