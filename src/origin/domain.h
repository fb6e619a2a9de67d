/* SPDX-License-Identifier: MIT
 *
 * A domain is one conversation of an agent: all that was read in it is assumed to be known to the
 * code that comes out of it. Its handle is minted by Cordon; a name that a client chooses may merge
 * domains and never splits one, or an agent would hop to a clean one. Without a handle that Cordon
 * knows it is the principal's shared domain, which is exposed from the start. The floor only goes
 * down; only the host begins a new epoch.
 */
#ifndef CORDON_ORIGIN_DOMAIN_H
#define CORDON_ORIGIN_DOMAIN_H

#include "origin/handle.h"

enum {
	DOMAIN_MEMBERS_MAX = 256, /* domains merged into one */
	DOMAIN_NAME_MAX = 256,	  /* bytes of a name that a client chose */
};

struct domain {
	struct id id;
	char principal[PRINCIPAL_MAX + 1];
	uint32_t epoch;
	struct label floor;   /* integrity and secrecy; its sources are rows of their own */
	uint64_t tainted_us;  /* when it was first exposed in this epoch; 0: never */
	uint64_t sources;     /* that were ever committed to it */
	unsigned kinds;	      /* bits of enum source_kind, of this epoch; not known: all */
	uint64_t print_bytes; /* of fingerprints that are kept */
	uint64_t forgotten;   /* bytes of those that are not, ever: see source_set.more */
	size_t memberc;	      /* itself is the first */
	struct id member[DOMAIN_MEMBERS_MAX];
	uint64_t version; /* of its row */
};

/* Mints one. ERR_REFUSED: it was not the host. HANDLE has room for HANDLE_MAX. */
int domain_new(struct keeper *k, const struct host_event *event, char *handle, struct domain *ret,
	       struct err *err);

/* Which domain is meant? HANDLE and NAME may be NULL. What is no good handle of this principal is
 * no handle. If a name is known it merges the domain it was used with and this one. */
struct domain_ask {
	const char *principal;
	const char *handle;
	const char *name;
};
int domain_find(struct keeper *k, const struct domain_ask *ask, struct domain *ret,
		struct err *err);
/* As it is now. */
int domain_load(struct keeper *k, const struct id *id, struct domain *ret, struct err *err);
/* The floor of the next epoch is that of a new domain; where domains were merged it stays. */
int domain_begin_epoch(struct keeper *k, const struct host_event *event, const char *handle,
		       struct domain *ret, struct err *err);

/* Something was read in it: lowers the floor, in D and in the transaction. */
void domain_read(struct keeper *k, struct domain *d, const struct label *label,
		 enum source_kind kind, struct store_tx *tx);
/* Puts the row as it is in D. */
void domain_put(const struct domain *d, struct store_tx *tx);
/* The row must still be what was read into D. */
void domain_expect(const struct domain *d, struct store_tx *tx);

bool domain_is_member(const struct domain *d, const struct id *id);

#endif
