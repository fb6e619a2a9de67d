/* SPDX-License-Identifier: MIT
 *
 * How requests are found: open/ID for those that are not over, asks/UID/ID for those of one account,
 * sub/DIGEST/ID for those about the same thing. Names only help to find: what they lead to is checked.
 * They are read whole before anything else is asked, because a store answers one question at a time.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "approval/fields.h"
#include "approval/states.h"

static int keep(void *context, const struct store_item *item, struct err *err)
{
	struct ids *ids = context;
	const char *id = strrchr(item->key, '/');

	(void)err;
	if (id && approval_id_is_good(id + 1) && ids->count < ids->most)
		memcpy(ids->id[ids->count++], id + 1, sizeof(ids->id[0]));
	return 0;
}

int ids_read(struct store *s, const char *prefix, const char *after, size_t most, struct ids *ret,
	     struct err *err)
{
	struct store_range range = {.prefix = prefix, .after = after, .limit = most};

	*ret = (struct ids){.most = most, .id = calloc(most, sizeof(ret->id[0]))};
	if (!ret->id)
		return err_memory(err);
	return store_list(s, STORE_APPROVAL, &range, keep, ret, err);
}

void ids_done(struct ids *ids)
{
	free(ids->id);
	*ids = (struct ids){0};
}

/* Not more than may be open at all; beyond them only a forger has put names. */
int ids_alike(struct store *s, const uint8_t subject[APPROVAL_SHA256], struct ids *ret,
	      struct err *err)
{
	char prefix[ITEM_KEY_MAX];

	return ids_read(s, item_key(prefix, "sub", subject, ""), "", APPROVAL_OPEN_MAX, ret, err);
}

const char *account_key(char ret[ITEM_KEY_MAX], uint64_t uid, const char *id)
{
	snprintf(ret, ITEM_KEY_MAX, "asks/%" PRIu64 "/%s", uid, id);
	return ret;
}

static void add_name(struct store_tx *tx, const char *key, bool over)
{
	if (over)
		store_delete(tx, STORE_APPROVAL, key, STORE_ANY);
	else
		store_put(tx, STORE_APPROVAL, key, "", 0, STORE_NEW);
}

void index_add(struct store_tx *tx, const struct approval *a, bool over)
{
	static const enum approval_digest kinds[] = {APPROVAL_SUBJECT, APPROVAL_SUBJECT_ANYWHERE};
	uint8_t subject[APPROVAL_SHA256];
	char key[ITEM_KEY_MAX];
	struct err err;

	add_name(tx, item_key(key, "open", NULL, a->id), over);
	add_name(tx, account_key(key, a->request.uid, a->id), over);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (approval_digest(&a->request, kinds[i], subject, &err) < 0) {
			if (!tx->failed.code)
				tx->failed = err;
			return;
		}
		add_name(tx, item_key(key, "sub", subject, a->id), over);
	}
}
