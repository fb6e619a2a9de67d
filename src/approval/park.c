/* SPDX-License-Identifier: MIT
 *
 * Parking a request and reading it back. Its items: req/ID never changes, code/ID are the bytes,
 * status/ID is what has become of it; ids.c has those by which it is found, queue.c knows which wait.
 * An id is the beginning of the binding digest, so a request cannot be exchanged under its id.
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
	queue_add(&tx, queue);
	return ended_prune(s, &tx, err) < 0 ? -1 : store_commit(s, &tx, err);
}

/* 1: it waits already. */
static int park_once(struct store *s, struct approval_request *r, struct approval_code code,
		     uint64_t now, char ret_id[APPROVAL_ID + 1], struct err *err)
{
	struct approval a = {0};
	struct queue queue = {0};

	int found = queue_look(s, r, now, &queue, err);
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
	err_set(err, ERR_REFUSED, "people are not asked about code of %zu bytes", len);
	err_cause(err, "nobody can read more than %d", APPROVAL_CODE_MAX);
	err_cure(err, "give what is data in it as a file: --workspace DIR or --stdin FILE");
	return -1;
}

int approval_park(struct store *s, struct approval_request *r, struct approval_code code,
		  uint64_t wait_ms, uint64_t now, char ret_id[APPROVAL_ID + 1], struct err *err)
{
	int parked = -1;

	if (approval_check_code(code.len, err) < 0)
		return -1;
	if (sodium_init() < 0)
		return err_set(err, ERR_SYSTEM, "there are no random numbers");
	digest_of(r->code_sha256, code.len ? code.data : (const void *)"", code.len);
	r->code_len = code.len;
	r->created = now;
	r->expires = now + wait_ms;
	if (!wait_ms || wait_ms > APPROVAL_MS_MAX || !r->approvers || !r->ttl_ms)
		return err_set(err, ERR_USAGE, "a question needs somebody to ask and some time");
	for (int i = 0; parked < 0 && i < APPROVAL_TRIES_MAX; i++) {
		*err = (struct err){0};
		parked = park_once(s, r, code, now, ret_id, err);
		if (parked < 0 && err->code != ERR_CONFLICT)
			return -1;
	}
	return parked;
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
