/* SPDX-License-Identifier: MIT
 *
 * Entries of the network lists: a name, a wildcard or a range of addresses, with ports. They are
 * read, checked and written in canonical form. cordon-egress uses this too.
 */
#ifndef CORDON_POLICY_NET_H
#define CORDON_POLICY_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

#define POLICY_NET_MAX 512	/* entries of one list */
#define POLICY_NET_NAME_MAX 253 /* bytes of a DNS name */
#define POLICY_NET_TEXT_MAX 300 /* bytes of an entry as text */

enum policy_net_kind {
	NET_NAME,   /* example.org */
	NET_SUFFIX, /* *.example.org: any name below example.org */
	NET_V4,	    /* 192.0.2.0/24 */
	NET_V6,	    /* [2001:db8::/32] */
};

struct policy_net {
	enum policy_net_kind kind;
	const char *name;    /* lower case; of a suffix without "*."; "" for addresses */
	uint8_t address[16]; /* NET_V4 uses four */
	unsigned prefix;     /* prefix length */
	uint16_t port_from, port_to;
};

struct policy_netlist {
	size_t count;
	struct policy_net *list; /* sorted by text */
};

/* An entry of an ALLOWS list must have ports and must not match every host. In other lists no port
 * means all. */
int policy_net_parse(const char *text, bool allows, struct arena *arena, struct policy_net *ret,
		     struct err *err);
/* Does LIST match HOST, a name or an address with one port? */
bool policy_net_lists(const struct policy_netlist *list, const char *host);
/* The same for a list of denied hosts: a network matches each address in it. */
bool policy_net_denies(const struct policy_netlist *list, const char *host);
/* NULL if N is one host and one port; else in words what N is. */
const char *policy_net_many(const struct policy_net *n);
/* The canonical form. Returns BUF. */
const char *policy_net_format(const struct policy_net *n, char *buf, size_t size);

#endif
