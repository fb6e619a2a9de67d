/* SPDX-License-Identifier: MIT
 *
 * Addresses that stand for names. The program gets one for each name and real address that it may
 * know of; only here it is known what they mean. They are of ranges that no host has (RFC 2544,
 * RFC 4193), as many as there are real ones and of the same kind, so that programs that try several
 * hosts at once do so.
 */
#ifndef CORDON_EGRESS_NAMES_H
#define CORDON_EGRESS_NAMES_H

#include "egress/address.h"
#include "model/egress.h"

#define NAMES_MAX_ENTRIES 4096

struct name_entry {
	char name[EGRESS_NAME_MAX];
	struct address real;
};

struct names {
	size_t count;
	struct name_entry list[NAMES_MAX_ENTRIES];
};

/* The address that stands for it. False: there is no room for more. */
bool names_give(struct names *n, const char *name, const struct address *real, struct address *ret);
/* What A stands for. NULL: it is none of ours, or nobody was given it. */
const struct name_entry *names_find(const struct names *n, const struct address *a);
/* Is it of the ranges that stand for names? */
bool names_has(const struct address *a);

#endif
