/* SPDX-License-Identifier: MIT
 *
 * Forgets the fingerprints of a conversation, the oldest first. Their keys sort by time.
 */
#include "trust/sourceprints.h"

struct eviction {
	struct store_tx *tx;
	uint64_t left, keep, gone;
};

/* Until it is enough, or as much as a transaction takes. */
static int evict(void *context, const struct store_item *item, struct err *err)
{
	struct eviction *e = context;

	(void)err;
	if (e->left <= e->keep || e->tx->count >= STORE_OPS_MAX - 2)
		return 1;
	store_delete(e->tx, STORE_FINGERPRINTS, item->key, item->version);
	e->left = e->left > item->len ? e->left - item->len : 0;
	e->gone += item->len;
	return 0;
}

/* One transaction. */
static int evict_some(struct keeper *k, struct conversation *c, uint64_t keep, struct err *err)
{
	AUTO_TX struct store_tx tx = {0};
	struct id id = c->id;
	char prefix[ID_HEX + 1];
	struct store_range range = {.prefix = prefix, .after = "", .limit = STORE_OPS_MAX};

	if (conversation_load(k, &id, c, err) < 0)
		return -1;
	struct eviction e = {&tx, c->print_bytes, keep, 0};
	sourceprints_prefix(&c->id, prefix);
	if (store_list(k->store, STORE_FINGERPRINTS, &range, evict, &e, err) < 0)
		return -1;
	if (tx.count == 0)
		e.left = 0; /* nothing is left to remove: the count was wrong */
	c->print_bytes = e.left;
	c->forgotten += e.gone;
	conversation_put(c, &tx);
	if (store_commit(k->store, &tx, err) < 0)
		return -1;
	c->version = tx.version;
	return 0;
}

int source_evict(struct keeper *k, struct conversation *c, uint64_t keep, struct err *err)
{
	int tries = 0;

	do {
		*err = (struct err){0};
		if (evict_some(k, c, keep, err) < 0 &&
		    (err->code != ERR_CONFLICT || ++tries == KEEPER_TRIES_MAX))
			return -1;
	} while (err->code == ERR_CONFLICT || c->print_bytes > keep);
	return 0;
}
