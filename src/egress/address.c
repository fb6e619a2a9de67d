/* SPDX-License-Identifier: MIT
 *
 * See address.h. The first row that matches decides, so a range inside another one comes before it.
 */
#include "egress/address.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/scope.h"

#define METADATA "the metadata address of a cloud, which gives out secrets"
#define PRIVATE "a private address"
#define LINK "an address of the local link"
#define RESERVED "an address that no host has"

static const struct address_kind kinds[] = {
	{"169.254.169.254", METADATA, 32},
	{"169.254.170.2", METADATA, 32},
	{"169.254.170.23", METADATA, 32},
	{"169.254.42.42", METADATA, 32},
	{"168.63.129.16", METADATA, 32},
	{"100.100.100.200", METADATA, 32},
	{"192.0.0.192", METADATA, 32},
	{"fd00:ec2::254", METADATA, 128},
	{"fd00:ec2::23", METADATA, 128},
	{"fd20:ce::254", METADATA, 128},
	{"0.0.0.0", "this host itself", 8},
	{"10.0.0.0", PRIVATE, 8},
	{"100.64.0.0", "an address of a provider's own network", 10},
	{"127.0.0.0", "this host's loopback", 8},
	{"169.254.0.0", LINK, 16},
	{"172.16.0.0", PRIVATE, 12},
	{"192.0.0.0", RESERVED, 24},
	{"192.168.0.0", PRIVATE, 16},
	{"198.18.0.0", RESERVED, 15},
	{"224.0.0.0", "a multicast address", 4},
	{"240.0.0.0", RESERVED, 4},
	{"::1", "this host's loopback", 128},
	{"::", RESERVED, 96},
	{"64:ff9b:1::", PRIVATE, 48},
	{"100::", RESERVED, 64},
	{"2001::", "a tunnel to an IPv4 address", 32},
	{"fc00::", PRIVATE, 7},
	{"fe80::", LINK, 10},
	{"fec0::", PRIVATE, 10},
	{"ff00::", "a multicast address", 8},
};

/* IPv6 addresses that contain an IPv4 one, and its offset. */
static const struct {
	const char *text;
	unsigned prefix, at;
} wrappers[] = {{"::ffff:0:0", 96, 12}, {"64:ff9b::", 96, 12}, {"2002::", 16, 2}};

bool address_is_in(const struct address *a, const uint8_t *range, unsigned prefix)
{
	unsigned whole = prefix / 8, rest = prefix % 8;

	if (memcmp(a->bytes, range, whole) != 0)
		return false;
	return rest == 0 || ((a->bytes[whole] ^ range[whole]) >> (8 - rest)) == 0;
}

static bool is_in_text(const struct address *a, const char *text, unsigned prefix)
{
	uint8_t range[16];
	int family = strchr(text, ':') ? AF_INET6 : AF_INET;

	return a->family == family && inet_pton(family, text, range) == 1 &&
	       address_is_in(a, range, prefix);
}

static const struct address_kind *find(const struct address *a)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (is_in_text(a, kinds[i].text, kinds[i].prefix))
			return &kinds[i];
	return NULL;
}

unsigned address_inner(const struct address *a, struct address *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(wrappers); i++) {
		if (!is_in_text(a, wrappers[i].text, wrappers[i].prefix))
			continue;
		*ret = (struct address){.family = AF_INET};
		memcpy(ret->bytes, a->bytes + wrappers[i].at, 4);
		return wrappers[i].at * 8;
	}
	return 0;
}

const struct address_kind *address_kind(const struct address *a)
{
	struct address inner;

	return find(address_inner(a, &inner) ? &inner : a);
}

void address_name_loopback(struct address *a)
{
	static const uint8_t unspecified[16], loopback_v4[4] = {127, 0, 0, 1},
					      loopback_v6[16] = {[15] = 1};
	size_t len = a->family == AF_INET ? 4 : 16;

	if (memcmp(a->bytes, unspecified, len) == 0)
		memcpy(a->bytes, a->family == AF_INET ? loopback_v4 : loopback_v6, len);
}

bool address_parse(const void *sockaddr, size_t len, struct address *ret, uint16_t *ret_port)
{
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	sa_family_t family = AF_UNSPEC;

	*ret = (struct address){0};
	if (len >= sizeof(family))
		memcpy(&family, sockaddr, sizeof(family));
	if (family == AF_INET && len >= sizeof(in)) {
		memcpy(&in, sockaddr, sizeof(in));
		ret->family = AF_INET;
		memcpy(ret->bytes, &in.sin_addr, 4);
		*ret_port = ntohs(in.sin_port);
		return true;
	}
	if (family != AF_INET6 || len < sizeof(in6) - sizeof(in6.sin6_scope_id))
		return false;
	memset(&in6, 0, sizeof(in6));
	memcpy(&in6, sockaddr, len < sizeof(in6) ? len : sizeof(in6));
	bool mapped = IN6_IS_ADDR_V4MAPPED(&in6.sin6_addr);
	ret->family = mapped ? AF_INET : AF_INET6;
	memcpy(ret->bytes, in6.sin6_addr.s6_addr + (mapped ? 12 : 0), mapped ? 4 : 16);
	*ret_port = ntohs(in6.sin6_port);
	return true;
}

socklen_t address_sockaddr(const struct address *a, uint16_t port, int family,
			   struct sockaddr_storage *ret)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(port)};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	memset(ret, 0, sizeof(*ret));
	if (family == AF_INET && a->family == AF_INET) {
		memcpy(&in.sin_addr, a->bytes, 4);
		memcpy(ret, &in, sizeof(in));
		return sizeof(in);
	}
	if (family != AF_INET6)
		return 0;
	if (a->family == AF_INET) {
		memcpy(in6.sin6_addr.s6_addr, mapped, sizeof(mapped));
		memcpy(in6.sin6_addr.s6_addr + 12, a->bytes, 4);
	} else {
		memcpy(in6.sin6_addr.s6_addr, a->bytes, 16);
	}
	memcpy(ret, &in6, sizeof(in6));
	return sizeof(in6);
}

bool address_is_same(const struct address *a, const struct address *b)
{
	return a->family == b->family && memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

const char *address_format(const struct address *a, char *buf, size_t size)
{
	if (!a->family || !inet_ntop(a->family, a->bytes, buf, (socklen_t)size))
		buf[0] = '\0';
	return buf;
}
