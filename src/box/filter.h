/* SPDX-License-Identifier: MIT
 *
 * The compiled system call filters, and the name and rule of each call. tools/mkfilter makes the data from
 * syscalls.def when Cordon is built; this is its types and lookups. They allocate nothing, because the box
 * waits meanwhile, and decide nothing.
 */
#ifndef CORDON_BOX_FILTER_H
#define CORDON_BOX_FILTER_H

#include <linux/filter.h>
#include <stdbool.h>

/* CALL_DENY is zero: an empty row denies. */
enum call_action {
	CALL_DENY = 0, /* reported, answered with an errno */
	CALL_KILL,     /* reported, the box dies */
	CALL_QUIET,    /* errno by the kernel itself, never reported */
	CALL_ARGS,     /* allowed with certain arguments only */
	CALL_ALLOW,
};

/* The kinds of box. The six bits together are the index into filter_variants. */
enum call_set {
	SET_COMMON = 0,
	SET_SPACED = 1,
	SET_EXEC = 2,
	SET_UNIX = 4,
	SET_COUNTED = 8,
	SET_NET = 16,
	SET_DEV = 32,
	SET_COUNT = 64,
	/* only in rows: */
	SET_HOST = SET_COUNT, /* counts where SET_UNIX is absent */
	SET_OFFLINE,	      /* counts where SET_NET is absent */
	SET_INET,	      /* counts where SET_NET or SET_DEV is there */
	SET_DEV_COUNTED = SET_DEV | SET_COUNTED,
};

/* Does a row of SET count in a box of SETS? */
static inline bool call_set_counts(unsigned int set, unsigned int sets)
{
	if (set == SET_INET)
		return sets & (SET_NET | SET_DEV);
	if (set == SET_HOST || set == SET_OFFLINE)
		return !(sets & (set == SET_HOST ? SET_UNIX : SET_NET));
	return (set & sets) == set;
}

/* Texts are arrays, not pointers: a pointer must be relocated at each start, which copies its page. */
struct call_name {
	int nr;
	char name[28];
};

/* What to do with a call that arrives at the listener, in all variants. */
struct call_rule {
	int nr;
	enum call_action action; /* CALL_DENY or CALL_KILL */
	int err;
	char why[64];
};

struct filter_variant {
	const char *name;
	const struct sock_filter *insns;
	unsigned short len;
};

/* SETS: bits of enum call_set. */
const struct filter_variant *filter_find(unsigned int sets);

/* NULL: the tables do not have this number. */
const char *call_name_find(int nr);

/* NULL: the call has no row, which means CALL_DENY with EPERM. */
const struct call_rule *call_rule_find(int nr);

#endif
