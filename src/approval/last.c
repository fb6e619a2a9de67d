/* SPDX-License-Identifier: MIT
 *
 * Which request was approved last under a name in a conversation: only for showing people what is new. It
 * decides nothing.
 */
#include <string.h>

#include "approval/fields.h"
#include "approval/tally.h"
#include "base/digest.h"

#define PREFIX "cordon approval last 1\n"

/* Names may be any bytes: their hash is the key. */
static void key_of(const struct approval_request *r, char ret[ITEM_KEY_MAX])
{
	struct digest state;
	uint8_t digest[APPROVAL_SHA256];

	digest_init(&state);
	digest_add(&state, PREFIX, sizeof(PREFIX) - 1);
	digest_add(&state, r->conversation, strlen(r->conversation) + 1);
	digest_add(&state, r->name, strlen(r->name) + 1);
	digest_end(&state, digest);
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
