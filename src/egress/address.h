/* SPDX-License-Identifier: MIT
 *
 * An IP address, and its kind. Pure.
 */
#ifndef CORDON_EGRESS_ADDRESS_H
#define CORDON_EGRESS_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* IPv4 has four bytes, even if it was written as an IPv6 address. */
struct address {
	int family; /* AF_INET, AF_INET6; 0: none */
	uint8_t bytes[16];
};

/* A kind of address that is not on the internet: a rule must name it by address. */
struct address_kind {
	const char *text; /* its range */
	const char *what; /* "a private address" */
	unsigned prefix;
};

/* False for another family, or when LEN is too short. */
bool address_parse(const void *sockaddr, size_t len, struct address *ret, uint16_t *ret_port);
/* Replaces the unspecified address by loopback, to which the kernel connects it: the lists must see
 * that one. */
void address_name_loopback(struct address *a);
/* For a socket of FAMILY, which for IPv4 may be AF_INET6. Returns its length; 0: impossible. */
socklen_t address_sockaddr(const struct address *a, uint16_t port, int family,
			   struct sockaddr_storage *ret);
bool address_is_same(const struct address *a, const struct address *b);
/* Are the first PREFIX bits those of RANGE? */
bool address_is_in(const struct address *a, const uint8_t *range, unsigned prefix);
/* *RET: the IPv4 address in an IPv6 one (of a translator or a tunnel). Returns how many bits
 * come before it; 0: A contains none. */
unsigned address_inner(const struct address *a, struct address *ret);
/* NULL: the internet. An IPv4 address inside an IPv6 one counts as itself. */
const struct address_kind *address_kind(const struct address *a);
const char *address_format(const struct address *a, char *buf, size_t size);

#endif
