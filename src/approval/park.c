/* SPDX-License-Identifier: MIT
 *
 * Parking a request and reading it back. Its items: req/ID never changes, code/ID are the bytes,
 * status/ID is what has become of it; ids.c has those by which it is found. An
 * id is the beginning of the binding digest, so a request cannot be exchanged under its id.
 */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "approval/fields.h"
#include "base/digest.h"
#include "base/scope.h"

enum { PAGE = 256 };

bool approval_id_is_good(const char *id)
{
	return strlen(id) == APPROVAL_ID && strspn(id, "0123456789abcdef") == APPROVAL_ID;
}

const char *item_key(char ret[ITEM_KEY_MAX], const char *what, const uint8_t *digest,
		     const char *id)
{
	char hex[2 * APPROVAL_SHA256 + 1] = "";

	if (digest)
		sodium_bin2hex(hex, sizeof(hex), digest, APPROVAL_SHA256);
	snprintf(ret, ITEM_KEY_MAX, "%s/%s%s%s", what, hex, digest && id ? "/" : "", id ? id : "");
	return ret;
}

void approval_done(struct approval *a)
{
	arena_done(&a->arena);
	*a = (struct approval){0};
}

int approval_set_binding(struct approval *a, struct err *err)
{
	if (approval_digest(&a->request, APPROVAL_BINDING, a->binding, err) < 0)
		return -1;
	sodium_bin2hex(a->id, sizeof(a->id), a->binding, APPROVAL_ID / 2);
	return 0;
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
		return err_set(err, ERR_USAGE, "\"%.40s\" is no id of an approval", id);
	if (get(s, "req", id, &request, err) < 0 || get(s, "status", id, &status, err) < 0 ||
	    request_decode(request.value, request.len, &a->arena, &a->request, err) < 0 ||
	    status_decode(status.value, status.len, &a->arena, &a->status, err) < 0 ||
	    approval_set_binding(a, err) < 0)
		return -1;
	a->version = status.version;
	if (strcmp(a->id, id) != 0 ||
	    memcmp(a->status.binding, a->binding, sizeof(a->binding)) != 0)
		return err_set(err, ERR_INPUT,
			       "approval %s has been changed in the store: it does not count", id);
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
	uint8_t sha256[APPROVAL_SHA256];
	char key[ITEM_KEY_MAX];

	item_key(key, "code", NULL, a->id);
	if (store_get(s, STORE_APPROVAL, key, &item, err) < 0)
		return -1;
	if (item.value)
		digest_of(sha256, item.value, item.len);
	if (!item.value || sodium_memcmp(sha256, a->request.code_sha256, sizeof(sha256)) != 0)
		return err_set(err, ERR_INPUT,
			       "the code of approval %s is not in the store any more", a->id);
	*ret = (struct approval_code){.data = item.value, .len = item.len};
	item.value = NULL;
	return 0;
}

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

/* Who asks without end must not fill the store, nor what is everybody's. */
static int make_room(struct store *s, uint64_t uid, uint64_t now, struct err *err)
{
	char account[ITEM_KEY_MAX];
	const struct {
		const char *prefix, *whose;
		size_t most;
	} queues[] = {{account_key(account, uid, ""), " of your account", APPROVAL_ACCOUNT_MAX},
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
	return 0;
}

/* What could not be read again must not be written: it would wait for nobody. */
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
		     struct err *err)
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
	return ended_prune(s, &tx, err) < 0 ? -1 : store_commit(s, &tx, err);
}

int approval_park(struct store *s, struct approval_request *r, struct approval_code code,
		  uint64_t wait_ms, uint64_t now, char ret_id[APPROVAL_ID + 1], struct err *err)
{
	struct approval a = {0};

	if (code.len > APPROVAL_CODE_MAX)
		return err_set(err, ERR_LIMIT,
			       "nobody can read %zu bytes: at most %d are asked about", code.len,
			       APPROVAL_CODE_MAX);
	if (sodium_init() < 0)
		return err_set(err, ERR_SYSTEM, "there are no random numbers");
	digest_of(r->code_sha256, code.len ? code.data : (const void *)"", code.len);
	r->code_len = code.len;
	r->created = now;
	r->expires = now + wait_ms;
	randombytes_buf(r->nonce, sizeof(r->nonce));
	if (!wait_ms || wait_ms > APPROVAL_MS_MAX || !r->approvers || !r->ttl_ms)
		return err_set(err, ERR_USAGE, "a question needs somebody to ask and some time");
	int found = find_waiting(s, r, now, ret_id, err);
	if (found)
		return found < 0 ? -1 : 0;
	a.request = *r;
	if (make_room(s, r->uid, now, err) < 0 || approval_set_binding(&a, err) < 0 ||
	    write_all(s, &a, code, err) < 0)
		return -1;
	memcpy(ret_id, a.id, sizeof(a.id));
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
