/* SPDX-License-Identifier: MIT
 *
 * Forgets fingerprints, the oldest first: of a domain that was merged of several the oldest of all, or a
 * name that somebody chose would decide whose are kept.
 */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "origin/sourceprints.h"

/* The oldest item of one member that is still there. */
struct front {
	char key[STORE_KEY_MAX + 1]; /* at first "" */
	uint64_t version;	     /* 0: there is none */
	size_t len;
	struct sourceprints_key when;
};

struct eviction {
	struct keeper *k;
	const struct domain *domain;
	struct front *front; /* of each member */
	struct store_tx *tx;
	uint64_t left, keep, gone;
};

static int take_front(void *context, const struct store_item *item, struct err *err)
{
	struct front *f = context;

	memcpy(f->key, item->key, sizeof(f->key));
	f->version = item->version;
	f->len = item->len;
	return sourceprints_key(f->key, &f->when, err);
}

static int next_front(struct eviction *e, size_t i, struct err *err)
{
	char prefix[ID_HEX + 1], after[STORE_KEY_MAX + 1];
	struct store_range range = {.prefix = prefix, .after = after, .limit = 1};

	sourceprints_prefix(&e->domain->member[i], prefix);
	memcpy(after, e->front[i].key, sizeof(after));
	e->front[i].version = 0;
	return store_list(e->k->store, STORE_FINGERPRINTS, &range, take_front, &e->front[i], err);
}

/* DOMAIN's memberc: there is none. */
static size_t oldest(const struct eviction *e)
{
	size_t count = e->domain->memberc, found = count;

	for (size_t i = 0; i < count; i++)
		if (e->front[i].version &&
		    (found == count || e->front[i].when.time_us < e->front[found].when.time_us))
			found = i;
	return found;
}

/* Until it is enough, or as much as a transaction takes. */
static int evict_oldest(struct eviction *e, struct err *err)
{
	for (size_t i = 0; i < e->domain->memberc; i++)
		if (next_front(e, i, err) < 0)
			return -1;
	while (e->left > e->keep && e->tx->count < STORE_OPS_MAX - 2) {
		size_t i = oldest(e);
		if (i == e->domain->memberc)
			break;
		const struct front *f = &e->front[i];
		store_delete(e->tx, STORE_FINGERPRINTS, f->key, f->version);
		e->left = e->left > f->len ? e->left - f->len : 0;
		e->gone += f->len;
		if (next_front(e, i, err) < 0)
			return -1;
	}
	return 0;
}

/* One transaction. */
static int evict_some(struct keeper *k, struct domain *d, uint64_t keep, struct err *err)
{
	AUTO_TX struct store_tx tx = {0};
	struct id id = d->id;

	if (domain_load(k, &id, d, err) < 0)
		return -1;
	AUTO_FREE struct front *front = calloc(d->memberc + 1, sizeof(*front));
	struct eviction e = {k, d, front, &tx, d->print_bytes, keep, 0};
	if (!front)
		return err_memory(err);
	if (evict_oldest(&e, err) < 0)
		return -1;
	if (tx.count == 0)
		e.left = 0; /* there are none: what was counted is off */
	d->print_bytes = e.left;
	d->forgotten += e.gone;
	domain_put(d, &tx);
	if (store_commit(k->store, &tx, err) < 0)
		return -1;
	d->version = tx.version;
	return 0;
}

int source_evict(struct keeper *k, struct domain *d, uint64_t keep, struct err *err)
{
	int tries = 0;

	do {
		*err = (struct err){0};
		if (evict_some(k, d, keep, err) < 0 &&
		    (err->code != ERR_CONFLICT || ++tries == KEEPER_TRIES_MAX))
			return -1;
	} while (err->code == ERR_CONFLICT || d->print_bytes > keep);
	return 0;
}
