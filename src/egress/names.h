/* SPDX-License-Identifier: MIT
 *
 * Addresses that stand for names. For each real address of an allowed name, the program gets an
 * address of the same family from a range that no host uses (RFC 2544, RFC 4193), and only
 * cordon-egress knows what it stands for. There are as many as real ones, so programs that try
 * several addresses at once work as usual.
 */
#ifndef CORDON_EGRESS_NAMES_H
#define CORDON_EGRESS_NAMES_H

#include "egress/address.h"
#include "model/egress_message.h"

#define NAMES_MAX_ENTRIES 4096

struct name_entry {
	char name[EGRESS_NAME_MAX];
	struct address real;
};

struct names {
	size_t count;
	struct name_entry list[NAMES_MAX_ENTRIES];
};

/* *RET: the address that stands for NAME and REAL. False: the table is full. */
bool names_give(struct names *n, const char *name, const struct address *real, struct address *ret);
/* What A stands for. NULL: it stands for no name. */
const struct name_entry *names_find(const struct names *n, const struct address *a);
/* Is A in the ranges that stand for names? */
bool names_has(const struct address *a);

#endif
