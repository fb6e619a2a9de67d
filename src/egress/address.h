/* SPDX-License-Identifier: MIT
 *
 * An address of the internet, and what kind of place it is. Pure.
 */
#ifndef CORDON_EGRESS_ADDRESS_H
#define CORDON_EGRESS_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* IPv4 in four bytes, also where it was written as an IPv6 address. */
struct address {
	int family; /* AF_INET, AF_INET6; 0: none */
	uint8_t bytes[16];
};

/* A place that is not on the internet: a rule must name it by its address. */
struct address_kind {
	const char *text; /* its range */
	const char *what; /* "a private address" */
	unsigned prefix;
};

/* False for another family, or when LEN is too short. */
bool address_parse(const void *sockaddr, size_t len, struct address *ret, uint16_t *ret_port);
/* For a socket of FAMILY, which for IPv4 may be AF_INET6. Returns its length; 0: that cannot be. */
socklen_t address_sockaddr(const struct address *a, uint16_t port, int family,
			   struct sockaddr_storage *ret);
bool address_is_same(const struct address *a, const struct address *b);
/* Are the first PREFIX bits those of RANGE? */
bool address_is_in(const struct address *a, const uint8_t *range, unsigned prefix);
/* The IPv4 address that an IPv6 one stands for (a translator's, a tunnel's), and how many bits come
 * before it; 0: it stands for none. */
unsigned address_inner(const struct address *a, struct address *ret);
/* NULL: the internet. What IPv6 wraps around an IPv4 address does not hide it. */
const struct address_kind *address_kind(const struct address *a);
const char *address_format(const struct address *a, char *buf, size_t size);

#endif
