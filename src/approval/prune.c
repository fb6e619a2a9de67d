/* SPDX-License-Identifier: MIT
 *
 * What is over covers no run any more. People may still look at the newest such requests; the others
 * go, oldest first, when a new one is parked: only parking adds any, so there are never more than may
 * be open and may be kept, together. The log has the records of all of them, and says that they are
 * over, so nobody can put one back.
 */
#include <stdio.h>
#include <string.h>

#include "approval/fields.h"
#include "approval/tally.h"

#define OVER "over/"
enum { BATCH = 16 }; /* requests that go at a time: more than come */

struct ended {
	size_t count;
	char key[APPROVAL_ENDED_MAX + BATCH][ITEM_KEY_MAX];
};

/* By the time at which it ended, then its id. */
void ended_add(struct store_tx *tx, const struct approval *a, uint64_t ended)
{
	char key[ITEM_KEY_MAX];

	snprintf(key, sizeof(key), OVER "%016llx/%s", (unsigned long long)ended, a->id);
	store_put(tx, STORE_APPROVAL, key, "", 0, STORE_ANY);
}

static int keep(void *context, const struct store_item *item, struct err *err)
{
	struct ended *e = context;

	(void)err;
	if (e->count < sizeof(e->key) / sizeof(e->key[0]) && strlen(item->key) < ITEM_KEY_MAX)
		memcpy(e->key[e->count++], item->key, strlen(item->key) + 1);
	return 0;
}

/* What is damaged goes too: its name says which items are its. */
static int forget(struct store *s, struct store_tx *tx, const char *name, struct err *err)
{
	static const char *const items[] = {"req", "code", "status"};
	const char *id = strrchr(name, '/') + 1;
	AUTO_APPROVAL struct approval a = {0};
	char key[ITEM_KEY_MAX];
	struct err why;

	store_delete(tx, STORE_APPROVAL, name, STORE_ANY);
	if (!approval_id_is_good(id))
		return 0;
	if (approval_load(s, id, &a, &why) == 0 && last_remove(s, tx, &a, err) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++)
		store_delete(tx, STORE_APPROVAL, item_key(key, items[i], NULL, id), STORE_ANY);
	return 0;
}

int ended_prune(struct store *s, struct store_tx *tx, struct err *err)
{
	struct ended e = {0};
	struct store_range range = {.prefix = OVER, .limit = sizeof(e.key) / sizeof(e.key[0])};

	if (store_list(s, STORE_APPROVAL, &range, keep, &e, err) < 0)
		return -1;
	for (size_t i = 0; i + APPROVAL_ENDED_MAX < e.count; i++)
		if (forget(s, tx, e.key[i], err) < 0)
			return -1;
	return 0;
}
