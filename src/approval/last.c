/* SPDX-License-Identifier: MIT
 *
 * Which request was approved last under a name in a domain: only for showing people what is new. It
 * decides nothing.
 */
#include <sodium.h>
#include <string.h>

#include "approval/fields.h"
#include "approval/tally.h"

#define PREFIX "cordon approval last 1\n"

/* Names may be any bytes: their hash is the key. */
static void key_of(const struct approval_request *r, char ret[ITEM_KEY_MAX])
{
	crypto_hash_sha256_state state;
	uint8_t digest[APPROVAL_SHA256];

	crypto_hash_sha256_init(&state);
	crypto_hash_sha256_update(&state, (const uint8_t *)PREFIX, sizeof(PREFIX) - 1);
	crypto_hash_sha256_update(&state, (const uint8_t *)r->domain, strlen(r->domain) + 1);
	crypto_hash_sha256_update(&state, (const uint8_t *)r->name, strlen(r->name) + 1);
	crypto_hash_sha256_final(&state, digest);
	item_key(ret, "last", digest, NULL);
}

void last_add(struct store_tx *tx, const struct approval *a)
{
	char key[ITEM_KEY_MAX];

	key_of(&a->request, key);
	store_put(tx, STORE_APPROVAL, key, a->id, APPROVAL_ID, STORE_ANY);
}

int last_remove(struct store *s, struct store_tx *tx, const struct approval *a, struct err *err)
{
	AUTO_ITEM struct store_item item = {0};
	char key[ITEM_KEY_MAX];

	key_of(&a->request, key);
	if (store_get(s, STORE_APPROVAL, key, &item, err) < 0)
		return -1;
	if (item.version && item.len == APPROVAL_ID && memcmp(item.value, a->id, APPROVAL_ID) == 0)
		store_delete(tx, STORE_APPROVAL, key, item.version);
	return 0;
}

int approval_load_last(struct store *s, const struct approval *a, struct approval *ret,
		       struct err *err)
{
	AUTO_ITEM struct store_item item = {0};
	char key[ITEM_KEY_MAX], id[APPROVAL_ID + 1] = "";

	key_of(&a->request, key);
	if (store_get(s, STORE_APPROVAL, key, &item, err) < 0)
		return -1;
	if (!item.version || item.len != APPROVAL_ID)
		return 0;
	memcpy(id, item.value, APPROVAL_ID);
	if (strcmp(id, a->id) == 0)
		return 0;
	if (approval_load(s, id, ret, err) == 0)
		return 1;
	/* What is damaged, or of another version, is nothing to compare with. */
	return err->code == ERR_INPUT ? 0 : -1;
}
