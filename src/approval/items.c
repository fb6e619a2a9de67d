/* SPDX-License-Identifier: MIT
 *
 * The items of an approval in the store. req/ID is the request and never changes, code/ID is the code with
 * the attachments, status/ID is the status. open/ID, over/TIME/ID, sub/DIGEST/ID and last/DIGEST only
 * help to find them: what they name is checked. An id is the beginning of the binding digest, so that
 * a request cannot be exchanged under its id. Lists are read whole before the next query, because a
 * store answers one query at a time.
 */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "approval/approval_private.h"
#include "base/digest.h"

enum { PAGE = 256 };

const char *item_key(char ret[ITEM_KEY_MAX], const char *what, const uint8_t *digest,
		     const char *id)
{
	char hex[2 * APPROVAL_SHA256 + 1] = "";

	if (digest)
		sodium_bin2hex(hex, sizeof(hex), digest, APPROVAL_SHA256);
	snprintf(ret, ITEM_KEY_MAX, "%s/%s%s%s", what, hex, digest && id ? "/" : "", id ? id : "");
	return ret;
}

const char *item_person(char ret[ITEM_KEY_MAX], const char *key)
{
	uint8_t sha256[APPROVAL_SHA256];

	digest_of(sha256, key, strlen(key));
	return item_key(ret, "approver", sha256, NULL);
}

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

/* At most as many as can be open: further items can only be forged. */
int ids_alike(struct store *s, const uint8_t subject[APPROVAL_SHA256], struct ids *ret,
	      struct err *err)
{
	char prefix[ITEM_KEY_MAX];

	return ids_read(s, item_key(prefix, "sub", subject, ""), "", APPROVAL_OPEN_MAX, ret, err);
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
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (approval_digest(&a->request, kinds[i], subject, &err) < 0) {
			if (!tx->failed.code)
				tx->failed = err;
			return;
		}
		add_name(tx, item_key(key, "sub", subject, a->id), over);
	}
}

static int get(struct store *s, const char *what, const char *id, struct store_item *ret,
	       struct err *err)
{
	char key[ITEM_KEY_MAX];

	if (store_get(s, STORE_APPROVAL, item_key(key, what, NULL, id), ret, err) < 0)
		return -1;
	if (ret->version)
		return 0;
	err_set(err, ERR_INPUT, "there is no approval %s", id);
	err_cure(err, "cordon approvals list");
	return -1;
}

static int load(struct store *s, const char *id, struct approval *a, struct err *err)
{
	AUTO_ITEM struct store_item request = {0}, status = {0};

	if (!approval_id_is_good(id))
		return err_set(err, ERR_USAGE, "\"%.40s\" is not the id of an approval", id);
	if (get(s, "req", id, &request, err) < 0 || get(s, "status", id, &status, err) < 0 ||
	    request_decode(request.value, request.len, &a->arena, &a->request, err) < 0 ||
	    status_decode(status.value, status.len, &a->arena, &a->status, err) < 0 ||
	    approval_set_binding(a, err) < 0)
		return -1;
	a->version = status.version;
	if (strcmp(a->id, id) != 0 ||
	    memcmp(a->status.binding, a->binding, sizeof(a->binding)) != 0)
		return err_set(err, ERR_INPUT,
			       "approval %s was modified in the store and does not count", id);
	return 0;
}

int approval_load(struct store *s, const char *id, struct approval *ret, struct err *err)
{
	*ret = (struct approval){0};
	if (load(s, id, ret, err) == 0)
		return 0;
	approval_done(ret);
	return -1;
}

int approval_load_code(struct store *s, const struct approval *a, struct approval_code *ret,
		       struct err *err)
{
	AUTO_ITEM struct store_item item = {0};
	char key[ITEM_KEY_MAX];

	item_key(key, "code", NULL, a->id);
	if (store_get(s, STORE_APPROVAL, key, &item, err) < 0)
		return -1;
	if (!item.value ||
	    !approval_code_fits(&a->request, &(struct approval_code){item.value, item.len}))
		return err_set(err, ERR_INPUT,
			       "the code of approval %s is missing or modified in the store",
			       a->id);
	*ret = (struct approval_code){.data = item.value, .len = item.len};
	item.value = NULL;
	return 0;
}

int approval_each(struct store *s, bool all, approval_fn *fn, void *context, struct err *err)
{
	const char *what = all ? "status" : "open";
	char prefix[ITEM_KEY_MAX], after[ITEM_KEY_MAX] = "";
	int r = 0;

	item_key(prefix, what, NULL, "");
	for (size_t got = PAGE; r == 0 && got == PAGE;) {
		AUTO_IDS struct ids ids = {0};
		if (ids_read(s, prefix, after, PAGE, &ids, err) < 0)
			return -1;
		got = ids.count;
		for (size_t i = 0; r == 0 && i < got; i++)
			r = fn(context, ids.id[i], err);
		if (got)
			item_key(after, what, NULL, ids.id[got - 1]);
	}
	return r;
}

/* The key sorts by the time of the end, then by id. */
void ended_add(struct store_tx *tx, const struct approval *a, uint64_t ended)
{
	char key[ITEM_KEY_MAX];

	snprintf(key, sizeof(key), ITEM_OVER "%016llx/%s", (unsigned long long)ended, a->id);
	store_put(tx, STORE_APPROVAL, key, "", 0, STORE_ANY);
}

#define PREFIX "cordon approval last 1\n"

/* A name can have any bytes, so the key is a hash. */
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
	/* A damaged request, or one of another version, cannot be compared with. */
	return err->code == ERR_INPUT ? 0 : -1;
}

void person_expect(struct store_tx *tx, const struct approval_voice *v)
{
	char key[ITEM_KEY_MAX];

	if (v->version)
		store_expect(tx, STORE_KEY, item_person(key, v->key), v->version);
}
