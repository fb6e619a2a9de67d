/* SPDX-License-Identifier: MIT
 *
 * Questions that wait. One that waits already is not asked again, and nobody fills the queue for all.
 * Both are looked up before the question is written, so whoever adds one also changes one item that is
 * the queue's: of two who looked at the same queue one looks again, and never both have the last place.
 */
#include <string.h>

#include "approval/fields.h"
#include "base/scope.h"

#define QUEUE "queue" /* empty; its version counts */

/* The same question, still open: people are not asked twice. 1: it is *ID. */
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
			continue; /* what is damaged is no question */
		if (approval_settle(s, &a, now, err) < 0)
			return -1;
		if (a.status.state != APPROVAL_PENDING)
			continue;
		memcpy(id, a.id, sizeof(a.id));
		return 1;
	}
	return 0;
}

/* How many of those whose names begin with PREFIX wait, at most MOST; what has expired makes room. */
static int count_waiting(struct store *s, const char *prefix, size_t most, uint64_t now,
			 size_t *ret, struct err *err)
{
	AUTO_IDS struct ids ids = {0};

	if (ids_read(s, prefix, "", most, &ids, err) < 0)
		return -1;
	*ret = ids.count;
	for (size_t i = 0; ids.count == most && i < ids.count; i++) {
		AUTO_APPROVAL struct approval a = {0};
		if (approval_load(s, ids.id[i], &a, err) == 0 &&
		    approval_state_at(&a, now) == APPROVAL_EXPIRED &&
		    approval_settle(s, &a, now, err) == 0)
			--*ret;
	}
	return 0;
}

/* One conversation must not take all places of its account. */
static int check_conversation(struct store *s, const char *prefix, const struct approval_request *r,
			      uint64_t now, struct err *err)
{
	AUTO_IDS struct ids ids = {0};
	size_t count = 0;

	if (ids_read(s, prefix, "", APPROVAL_ACCOUNT_MAX, &ids, err) < 0)
		return -1;
	for (size_t i = 0; i < ids.count; i++) {
		AUTO_APPROVAL struct approval a = {0};
		if (approval_load(s, ids.id[i], &a, err) == 0 &&
		    approval_state_at(&a, now) == APPROVAL_PENDING &&
		    strcmp(a.request.conversation, r->conversation) == 0)
			count++;
	}
	if (count < APPROVAL_CONVERSATION_MAX)
		return 0;
	err_set(err, ERR_LIMIT, "%d requests of this conversation wait for people already",
		APPROVAL_CONVERSATION_MAX);
	err_cure(err, "cordon approvals list; answer some");
	return -1;
}

/* Who asks without end must not fill the store, nor what is everybody's. */
static int make_room(struct store *s, const struct approval_request *r, uint64_t now,
		     struct err *err)
{
	char account[ITEM_KEY_MAX];
	const struct {
		const char *prefix, *whose;
		size_t most;
	} queues[] = {{account_key(account, r->uid, ""), " of your account", APPROVAL_ACCOUNT_MAX},
		      {"open/", "", APPROVAL_OPEN_MAX}};

	for (size_t i = 0; i < ARRAY_SIZE(queues); i++) {
		size_t count = 0, most = queues[i].most;
		if (count_waiting(s, queues[i].prefix, most, now, &count, err) < 0)
			return -1;
		if (count < most)
			continue;
		err_set(err, ERR_LIMIT, "%zu requests%s wait for people already", most,
			queues[i].whose);
		err_cure(err, "cordon approvals list; answer some");
		return -1;
	}
	return check_conversation(s, account, r, now, err);
}

int queue_look(struct store *s, const struct approval_request *r, uint64_t now, struct queue *ret,
	       struct err *err)
{
	AUTO_ITEM struct store_item item = {0};

	if (store_get(s, STORE_APPROVAL, QUEUE, &item, err) < 0)
		return -1;
	ret->version = item.version;
	int found = find_waiting(s, r, now, ret->id, err);
	return found ? found : make_room(s, r, now, err);
}

void queue_add(struct store_tx *tx, const struct queue *q)
{
	store_put(tx, STORE_APPROVAL, QUEUE, "", 0, q->version);
}
