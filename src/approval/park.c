/* SPDX-License-Identifier: MIT
 *
 * Parks requests. An equal request that waits is not parked again, and the number of open requests is
 * bounded. Both are checked before the request is written; parking therefore also changes the queue's
 * item, so that of two processes that checked at the same time one must check again. Parking also
 * deletes the oldest requests that are over: only parking adds any, so their number is bounded too.
 * The log keeps the records of deleted requests and says that they are over, so they cannot be put
 * back.
 */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "approval/approval_private.h"
#include "base/digest.h"
#include "base/scope.h"

enum { BATCH = 16 }; /* deleted at a time: more than are added */

struct ended {
	size_t count;
	char key[APPROVAL_ENDED_MAX + BATCH][ITEM_KEY_MAX];
};

static int keep(void *context, const struct store_item *item, struct err *err)
{
	struct ended *e = context;

	(void)err;
	if (e->count < sizeof(e->key) / sizeof(e->key[0]) && strlen(item->key) < ITEM_KEY_MAX)
		memcpy(e->key[e->count++], item->key, strlen(item->key) + 1);
	return 0;
}

/* Deletes also a damaged request: NAME has the id of its items. */
static int delete_ended(struct store *s, struct store_tx *tx, const char *name, struct err *err)
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

static int ended_prune(struct store *s, struct store_tx *tx, struct err *err)
{
	struct ended e = {0};
	struct store_range range = {.prefix = ITEM_OVER, .limit = sizeof(e.key) / sizeof(e.key[0])};

	if (store_list(s, STORE_APPROVAL, &range, keep, &e, err) < 0)
		return -1;
	for (size_t i = 0; i + APPROVAL_ENDED_MAX < e.count; i++)
		if (delete_ended(s, tx, e.key[i], err) < 0)
			return -1;
	return 0;
}

/* An empty item. Its version changes whenever a request is parked. */
#define QUEUE "queue"
struct queue {
	uint64_t version;
	char id[APPROVAL_ID + 1]; /* of an equal request that waits */
};
enum { IDS_READ_MAX = 2 * APPROVAL_OPEN_MAX };

/* 1: an equal request is open, and *ID is its id. */
static int find_waiting(struct store *s, const struct approval_request *r, uint64_t now, char *id,
			struct err *err)
{
	uint8_t subject[APPROVAL_SHA256];
	AUTO_IDS struct ids ids = {0};

	if (approval_digest(r, APPROVAL_SUBJECT, subject, err) < 0 ||
	    ids_alike(s, subject, &ids, err) < 0)
		return -1;
	for (size_t i = 0; i < ids.count; i++) {
		AUTO_APPROVAL struct approval a = {0};
		if (approval_load(s, ids.id[i], &a, err) < 0)
			continue; /* a damaged request does not wait */
		if (approval_settle(s, &a, now, err) < 0)
			return -1;
		if (a.status.state != APPROVAL_PENDING)
			continue;
		memcpy(id, a.id, sizeof(a.id));
		return 1;
	}
	return 0;
}

/* Do both requests count against the same limit? All runs without a conversation share one. */
static bool share_limit(const struct approval_request *a, const struct approval_request *b)
{
	return a->nameless || b->nameless ? a->nameless == b->nameless
					  : strcmp(a->conversation, b->conversation) == 0;
}

static int too_many(const char *whose, size_t most, struct err *err)
{
	err_set(err, ERR_LIMIT, "%zu requests%s already wait for people", most, whose);
	err_cure(err, "answer some of them: cordon approvals list");
	return -1;
}

/* Fails if too many requests are open. An expired request does not count. */
static int make_room(struct store *s, const struct approval_request *r, uint64_t now,
		     struct err *err)
{
	AUTO_IDS struct ids ids = {0};
	size_t waiting = 0, alike = 0;

	if (ids_read(s, "open/", "", IDS_READ_MAX, &ids, err) < 0)
		return -1;
	for (size_t i = 0; i < ids.count; i++) {
		AUTO_APPROVAL struct approval a = {0};
		struct err why;
		bool is_whole = approval_load(s, ids.id[i], &a, &why) == 0;
		if (is_whole && approval_state_at(&a, now) == APPROVAL_EXPIRED &&
		    approval_settle(s, &a, now, &why) == 0)
			continue;
		waiting++; /* a damaged request counts too */
		alike += is_whole && a.status.state == APPROVAL_PENDING &&
			 share_limit(&a.request, r);
	}
	if (alike >= APPROVAL_CONVERSATION_MAX)
		return too_many(r->nameless ? " of runs without a conversation"
					    : " of this conversation",
				APPROVAL_CONVERSATION_MAX, err);
	return waiting < APPROVAL_OPEN_MAX ? 0 : too_many("", APPROVAL_OPEN_MAX, err);
}

static int queue_read(struct store *s, const struct approval_request *r, uint64_t now,
		      struct queue *ret, struct err *err)
{
	AUTO_ITEM struct store_item item = {0};

	if (store_get(s, STORE_APPROVAL, QUEUE, &item, err) < 0)
		return -1;
	ret->version = item.version;
	int found = find_waiting(s, r, now, ret->id, err);
	return found ? found : make_room(s, r, now, err);
}

/* Write only what can be read again: no person could answer anything else. */
static int encode(const struct approval_request *r, struct buf *out, struct err *err)
{
	struct approval_request again = {0};
	struct arena arena = {0};

	int result = request_encode(r, out, err);
	if (result == 0)
		result = request_decode(out->data, out->len, &arena, &again, err);
	arena_done(&arena);
	return result;
}

static int write_all(struct store *s, struct approval *a, struct approval_code code,
		     const struct queue *queue, struct err *err)
{
	struct approval_status status = {.state = APPROVAL_PENDING, .reason = ""};
	AUTO_TX struct store_tx tx = {0};
	AUTO_BUF struct buf value = {0};
	char key[ITEM_KEY_MAX];

	memcpy(status.binding, a->binding, sizeof(status.binding));
	if (encode(&a->request, &value, err) < 0)
		return -1;
	change_add(&tx, &(struct change){.event = EVENT_PARKED,
					 .approval = a,
					 .next = &status,
					 .uid = a->request.uid});
	store_put(&tx, STORE_APPROVAL, item_key(key, "req", NULL, a->id), value.data, value.len,
		  STORE_NEW);
	store_put(&tx, STORE_APPROVAL, item_key(key, "code", NULL, a->id), code.data, code.len,
		  STORE_NEW);
	store_put(&tx, STORE_APPROVAL, QUEUE, "", 0, queue->version);
	return ended_prune(s, &tx, err) < 0 ? -1 : store_commit(s, &tx, err);
}

/* 1: an equal request waits. */
static int park_once(struct store *s, struct approval_request *r, struct approval_code code,
		     uint64_t now, char ret_id[APPROVAL_ID + 1], struct err *err)
{
	struct approval a = {0};
	struct queue queue = {0};

	int found = queue_read(s, r, now, &queue, err);
	if (found < 0)
		return -1;
	if (!found) {
		randombytes_buf(r->nonce, sizeof(r->nonce));
		a.request = *r;
		if (approval_set_binding(&a, err) < 0 || write_all(s, &a, code, &queue, err) < 0)
			return -1;
	}
	memcpy(ret_id, found ? queue.id : a.id, sizeof(a.id));
	return found;
}

int approval_check_code(size_t len, struct err *err)
{
	if (len <= APPROVAL_CODE_MAX)
		return 0;
	err_set(err, ERR_REFUSED, "code of %zu bytes is too long to be approved", len);
	err_cause(err, "people are asked to read at most %d bytes", APPROVAL_CODE_MAX);
	err_cure(err, "pass data as a file: --workspace DIR or --stdin FILE");
	return -1;
}

int approval_park(struct store *s, struct approval_request *r, struct approval_code code,
		  uint64_t wait_ms, uint64_t now, char ret_id[APPROVAL_ID + 1], struct err *err)
{
	const struct approval_attachment *kept = r->attachments.list;
	size_t len = code.len;
	int parked = -1;

	for (size_t i = 0; i < r->attachments.count; i++)
		len -= kept[i].len < len ? kept[i].len : len;
	if (approval_check_code(len, err) < 0)
		return -1;
	if (sodium_init() < 0)
		return err_set(err, ERR_SYSTEM, "libsodium cannot provide random numbers");
	digest_of(r->code_sha256, len ? code.data : (const void *)"", len);
	r->code_len = len;
	if (!approval_code_fits(r, &code))
		return err_set(err, ERR_USAGE, "the attachments do not match the request");
	r->created = now;
	r->expires = now + wait_ms;
	if (!wait_ms || wait_ms > APPROVAL_MS_MAX || !r->approvers || !r->ttl_ms)
		return err_set(
			err, ERR_USAGE,
			"an approval needs at least one person, and a time of at most a day");
	for (int i = 0; parked < 0 && i < APPROVAL_TRIES_MAX; i++) {
		*err = (struct err){0};
		parked = park_once(s, r, code, now, ret_id, err);
		if (parked < 0 && err->code != ERR_CONFLICT)
			return -1;
	}
	return parked;
}
