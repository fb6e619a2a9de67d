/* SPDX-License-Identifier: MIT
 *
 * The people whose signatures count, and the counting. Root enrols people in a file (trust/signers.c);
 * enough people can enrol others, in the state. Such an enrolment is an item with the approved request
 * and its answers. Each use verifies both again, because an item alone proves nothing. A key that was
 * removed does not count any more, whatever it has signed. The narrowest scope of the counted answers
 * holds.
 */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "approval/act.h"
#include "approval/approval_private.h"
#include "base/digest.h"
#include "base/scope.h"
#include "trust/signers.h"

#define MAGIC "cordon approver 2\n"
#define PREFIX "approver/"

enum {
	REQUEST_MAX = 64 << 10,
	PERSON_MAX = 2 * REQUEST_MAX + APPROVAL_VOTES_MAX * (SSH_SIGNATURE_MAX + 256),
	DEPTH_MAX = 4, /* of enrolments by enrolled people */
	REF_MAX = RECORD_REF_MAX + 1,
};

/* An enrolment as it is stored. */
struct enrolment {
	const char *name, *key;
	const char *request; /* base64 */
	uint64_t time;
	struct approval_list votes;
};
#define E struct enrolment
#define ROW(m, type, most)                                                                         \
	{                                                                                          \
#m, type, offsetof(E, m), most, FIELD_ALWAYS, NULL, 0                              \
	}
const struct field person_fields[] = {ROW(name, FIELD_TEXT, SIGNER_NAME_MAX),
				      ROW(key, FIELD_TEXT, SSH_KEY_MAX),
				      ROW(request, FIELD_TEXT, REQUEST_MAX),
				      ROW(time, FIELD_NUMBER, (uint64_t)1 << 50),
				      {"votes", FIELD_LIST, offsetof(E, votes), APPROVAL_VOTES_MAX,
				       FIELD_ALWAYS, vote_fields, sizeof(struct approval_vote)},
				      {0}};

static int decode(const struct store_item *item, struct arena *a, struct enrolment *ret,
		  struct err *err)
{
	size_t magic = sizeof(MAGIC) - 1;
	char key[ITEM_KEY_MAX];
	const char *read;

	if (item->len < magic || memcmp(item->value, MAGIC, magic) != 0) {
		err_set(err, ERR_INPUT, "%.80s was written by another version of Cordon",
			item->key);
		return -1;
	}
	if (fields_decode(person_fields, item->value + magic, item->len - magic, a, ret, err) < 0)
		return -1;
	if (!signer_name_is_good(ret->name) ||
	    ssh_key_read(ret->key, strlen(ret->key), a, &read, err) < 0 ||
	    strcmp(read, ret->key) != 0 || strcmp(item_person(key, ret->key), item->key) != 0) {
		err_set(err, ERR_INPUT, "%.80s was modified in the store", item->key);
		return -1;
	}
	return 0;
}

/* The record repeats what was signed. */
static int write_body(struct jcs *j, const struct enrolment *e, struct err *err)
{
	const struct approval_vote *v = e->votes.list;

	jcs_init(j, RECORD_BODY_MAX);
	jcs_list(j, "answers");
	for (size_t i = 0; i < e->votes.count; i++)
		approval_put_vote(j, NULL, &v[i]);
	jcs_end(j);
	jcs_word(j, "event", "enrolled");
	jcs_word(j, "key", e->key);
	jcs_word(j, "name", e->name);
	jcs_word(j, "request", e->request);
	return jcs_finish(j, err);
}

static const char *ref_of(char ret[REF_MAX], const char *key)
{
	char item[ITEM_KEY_MAX];

	snprintf(ret, REF_MAX, "approver:%s", item_person(item, key) + sizeof(PREFIX) - 1);
	return ret;
}

/* The name of the record of exactly this enrolment. */
static const char *enrolment_ref(const struct enrolment *e, char ret[REF_MAX])
{
	AUTO_BUF struct buf value = {.most = PERSON_MAX};
	uint8_t sha256[APPROVAL_SHA256];
	int len = snprintf(ret, REF_MAX, "enrolment:");

	fields_encode(person_fields, e, FIELD_ALWAYS, &value);
	digest_of(sha256, value.data, value.len);
	sodium_bin2hex(ret + len, REF_MAX - (size_t)len, sha256, sizeof(sha256));
	return value.failed ? NULL : ret;
}

struct last_record {
	const char *wanted;
	bool is_wanted;
};

static int compare_record(void *context, const struct store_row *row, struct err *err)
{
	struct last_record *l = context;
	char ref[RECORD_REF_MAX + 1];
	struct record r;
	size_t at = 0;

	if (record_decode(row->bytes, row->len, &r, err) < 0)
		return -1;
	l->is_wanted = false;
	while (r.kind == RECORD_KEY && record_next_ref(&r, &at, ref))
		l->is_wanted |= strcmp(ref, l->wanted) == 0;
	return 0;
}

/* Is the last record about this key exactly this enrolment? The item of a removed person that is put back
 * does not count. */
static int log_says_enrolled(struct store *s, const struct enrolment *e, struct err *err)
{
	char ref[REF_MAX], wanted[REF_MAX];
	struct last_record last = {.wanted = enrolment_ref(e, wanted)};

	if (!last.wanted)
		return err_memory(err);
	return store_find(s, ref_of(ref, e->key), 0, 0, compare_record, &last, err) < 0
		       ? -1
		       : last.is_wanted;
}

static int no(struct err *why, const struct enrolment *e, const char *what)
{
	err_set(why, ERR_REFUSED, "%s is not enrolled any more: %s", e->name, what);
	return 0;
}

/* The request that people answered. */
static int read_request(const struct enrolment *e, struct approval *ret, struct err *err)
{
	AUTO_FREE uint8_t *bytes = malloc(REQUEST_MAX);
	size_t len = 0;

	if (!bytes)
		return err_memory(err);
	if (sodium_base642bin(bytes, REQUEST_MAX, e->request, strlen(e->request), NULL, &len, NULL,
			      sodium_base64_VARIANT_ORIGINAL) != 0)
		return err_set(err, ERR_INPUT, "the request is damaged");
	if (request_decode(bytes, len, &ret->arena, &ret->request, err) < 0)
		return -1;
	return approval_set_binding(ret, err);
}

/* Do the enrolling people still count, and did they sign exactly this enrolment? */
static int counts(struct store *s, const struct enrolment *e, unsigned depth,
		  struct approval_person *ret, struct arena *to, struct err *why, struct err *err)
{
	const struct tally t = {.store = s, .depth = depth + 1};
	AUTO_APPROVAL struct approval a = {0};

	int logged = log_says_enrolled(s, e, err);
	if (logged <= 0)
		return logged < 0 ? -1 : no(why, e, "the log has no record of it");
	if (depth >= DEPTH_MAX)
		return no(why, e, "the chain of enrolments is too long");
	if (read_request(e, &a, why) < 0)
		return why->code == ERR_INPUT ? 0 : -1;
	if (!approval_is_enrol(&a.request, e->name, e->key))
		return no(why, e, "the answers are to another request");
	a.status.votes = e->votes;
	int good = tally(&t, &a, why, err);
	if (good < 0)
		return -1;
	for (size_t i = 0; i < a.voicec && ret->byc < APPROVAL_BY_MAX; i++)
		ret->by[ret->byc++] = arena_dup(to, a.voice[i].name);
	return good ? 1
		    : no(why, e,
			 "not enough of the people behind the enrolment are still enrolled");
}

static void person_of(const struct enrolment *e, uint64_t version, struct approval_person *ret)
{
	*ret = (struct approval_person){
		.name = e->name, .key = e->key, .options = "", .time = e->time, .version = version};
}

static void person_of_line(const struct signer *line, struct approval_person *ret)
{
	*ret = (struct approval_person){
		.name = line->name, .key = line->key, .options = line->options, .line = line->line};
}

static int find_line(const char *key, struct arena *a, struct approval_person *ret, struct err *err)
{
	struct signers *all = arena_alloc(a, sizeof(*all));

	if (!all)
		return err_memory(err);
	if (signers_load(a, all, err) < 0)
		return -1;
	for (size_t i = 0; i < all->count; i++)
		if (strcmp(all->list[i].key, key) == 0) {
			person_of_line(&all->list[i], ret);
			return 1;
		}
	return 0;
}

static int person_find(struct store *s, const char *key, unsigned depth, struct arena *a,
		       struct approval_person *ret, struct err *why, struct err *err)
{
	AUTO_ITEM struct store_item item = {0};
	struct enrolment e = {0};
	char name[ITEM_KEY_MAX];

	int found = find_line(key, a, ret, err);
	if (found)
		return found;
	if (store_get(s, STORE_KEY, item_person(name, key), &item, err) < 0)
		return -1;
	if (!item.version)
		return 0;
	if (decode(&item, a, &e, why) < 0)
		return why->code == ERR_INPUT ? 0 : err_memory(err);
	person_of(&e, item.version, ret);
	return counts(s, &e, depth, ret, a, why, err);
}

int approval_person_find(struct store *s, const char *key, struct arena *a,
			 struct approval_person *ret, struct err *err)
{
	struct err why = {0};

	return person_find(s, key, 0, a, ret, &why, err);
}

static int encode_request(const struct approval_request *r, struct arena *a, const char **ret,
			  struct err *err)
{
	AUTO_BUF struct buf bytes = {0};

	if (request_encode(r, &bytes, err) < 0)
		return -1;
	size_t size = sodium_base64_ENCODED_LEN(bytes.len, sodium_base64_VARIANT_ORIGINAL);
	char *text = arena_alloc(a, size);
	if (!text)
		return err_memory(err);
	*ret = sodium_bin2base64(text, size, bytes.data, bytes.len, sodium_base64_VARIANT_ORIGINAL);
	return 0;
}

int approval_person_add(struct store *s, const struct approval *agreed, const char *name,
			const char *key, uint64_t now, struct err *err)
{
	struct enrolment e = {.name = name, .key = key, .time = now, .votes = agreed->status.votes};
	AUTO_BUF struct buf value = {.most = PERSON_MAX};
	AUTO_JCS struct jcs body = {0};
	AUTO_TX struct store_tx tx = {0};
	struct approval_person there = {0};
	char item[ITEM_KEY_MAX], ref[REF_MAX], enrolled[REF_MAX];

	int found = approval_person_find(s, key, &tx.arena, &there, err);
	if (found)
		return found < 0 ? -1
				 : err_set(err, ERR_CONFLICT, "the key is already enrolled as %s",
					   there.name);
	if (!approval_is_enrol(&agreed->request, name, key))
		return err_set(err, ERR_REFUSED, "%s approves another act", agreed->id);
	if (encode_request(&agreed->request, &tx.arena, &e.request, err) < 0 ||
	    write_body(&body, &e, err) < 0)
		return -1;
	buf_str(&value, MAGIC);
	fields_encode(person_fields, &e, FIELD_ALWAYS, &value);
	if (value.failed)
		return err_set(err, ERR_LIMIT, "the enrolment is too large");
	const char *refs[] = {ref_of(ref, key), enrolment_ref(&e, enrolled)};
	if (!refs[1])
		return err_memory(err);
	approval_take(&tx, agreed, NULL, now);
	store_append(&tx, RECORD_KEY, refs, 2, &body);
	store_put(&tx, STORE_KEY, item_person(item, key), value.data, value.len, STORE_ANY);
	return store_commit(s, &tx, err);
}

struct each {
	struct store *store;
	approval_person_fn *fn;
	void *context;
};

static int call_each(void *context, const struct store_item *item, struct err *err)
{
	struct each *each = context;
	struct approval_person p = {0};
	struct enrolment e = {0};
	struct arena a = {0};
	struct err why = {0};
	int r = decode(item, &a, &e, &why);

	if (r == 0) {
		person_of(&e, item->version, &p);
		r = counts(each->store, &e, 0, &p, &a, &why, err);
	} else {
		p = (struct approval_person){
			.name = "?", .key = "", .options = "", .version = item->version};
		r = 0;
	}
	if (r >= 0)
		r = each->fn(each->context, &p, r == 1, &why, err);
	arena_done(&a);
	return r;
}

/* All items are read before the next query: a store answers one at a time. */
struct items {
	size_t count;
	struct store_item list[SIGNERS_MAX];
};

static void items_free(struct items **all)
{
	for (size_t i = 0; *all && i < (*all)->count; i++)
		free((void *)(*all)->list[i].value);
	free(*all);
	*all = NULL;
}
#define AUTO_ITEMS __attribute__((cleanup(items_free)))

static int keep_item(void *context, const struct store_item *item, struct err *err)
{
	struct items *all = context;
	struct store_item *to = &all->list[all->count];

	if (all->count == SIGNERS_MAX)
		return err_set(err, ERR_LIMIT, "there are more than %d people", SIGNERS_MAX);
	uint8_t *copy = malloc(item->len + 1);
	if (!copy)
		return err_memory(err);
	memcpy(copy, item->value, item->len);
	*to = *item;
	to->value = copy;
	all->count++;
	return 0;
}

static struct items *read_items(struct store *s, struct err *err)
{
	struct items *all = calloc(1, sizeof(*all));

	if (!all)
		err_memory(err);
	else if (store_list(s, STORE_KEY, &(struct store_range){.prefix = PREFIX}, keep_item, all,
			    err) == 0)
		return all;
	items_free(&all);
	return NULL;
}

int approval_person_each(struct store *s, approval_person_fn *fn, void *context, struct err *err)
{
	struct each each = {.store = s, .fn = fn, .context = context};
	AUTO_FREE struct signers *lines = calloc(1, sizeof(*lines));
	AUTO_ITEMS struct items *items = read_items(s, err);
	struct approval_person p;
	struct err none = {0};
	struct arena a = {0};

	if (!items)
		return -1;
	if (!lines)
		return err_memory(err);
	int r = signers_load(&a, lines, err);
	for (size_t i = 0; r == 0 && i < lines->count; i++) {
		person_of_line(&lines->list[i], &p);
		r = fn(context, &p, true, &none, err);
	}
	for (size_t i = 0; r == 0 && i < items->count; i++)
		r = call_each(&each, &items->list[i], err);
	arena_done(&a);
	return r;
}

static int is_one(void *context, const struct store_item *item, struct err *err)
{
	(void)context, (void)item, (void)err;
	return 1;
}

bool approval_has_people(struct store *s)
{
	AUTO_FREE struct signers *lines = calloc(1, sizeof(*lines));
	struct arena a = {0};
	struct err ignored;

	/* Yes if the file has an error: the person who answers will see it. */
	bool any = !lines || signers_load(&a, lines, &ignored) < 0 || lines->count;
	arena_done(&a);
	return any || store_list(s, STORE_KEY, &(struct store_range){.prefix = PREFIX, .limit = 1},
				 is_one, NULL, &ignored) == 1;
}

static int remove_key(struct store_tx *tx, const struct store_item *item, const struct enrolment *e,
		      uint64_t by, struct err *err)
{
	AUTO_JCS struct jcs body = {0};
	char ref[REF_MAX];
	const char *refs[] = {ref_of(ref, e->key)};

	jcs_init(&body, RECORD_BODY_MAX);
	put_account(&body, "by", by);
	jcs_word(&body, "event", "removed");
	jcs_word(&body, "key", e->key);
	jcs_word(&body, "name", e->name);
	if (jcs_finish(&body, err) < 0)
		return -1;
	store_append(tx, RECORD_KEY, refs, 1, &body);
	store_delete(tx, STORE_KEY, item->key, item->version);
	return 1;
}

int approval_person_remove(struct store *s, const char *name, uint64_t by, struct err *err)
{
	AUTO_ITEMS struct items *items = read_items(s, err);
	AUTO_TX struct store_tx tx = {0};
	int count = 0;

	if (!items)
		return -1;
	for (size_t i = 0; i < items->count; i++) {
		struct enrolment e = {0};
		struct err damaged;
		if (decode(&items->list[i], &tx.arena, &e, &damaged) < 0 ||
		    strcmp(e.name, name) != 0)
			continue;
		if (remove_key(&tx, &items->list[i], &e, by, err) < 0)
			return -1;
		count++;
	}
	return count && store_commit(s, &tx, err) < 0 ? -1 : count;
}

static int signed_vote(const struct tally *t, struct approval *a, const struct approval_vote *v,
		       uint64_t now, struct approval_voice *ret, struct err *why, struct err *err)
{
	struct approval_person p = {0};
	const char *key = NULL;

	*why = (struct err){0};
	if (ssh_signature_key(v->signature, &a->arena, &key, why) < 0)
		return why->code == ERR_INPUT ? 0 : err_memory(err);
	int found = person_find(t->store, key, t->depth, &a->arena, &p, why, err);
	if (found < 0 || (!found && why->code))
		return found;
	int counts = approval_vote_counts(a, v, found ? &p : NULL, now, why, err);
	if (counts == 1)
		*ret = (struct approval_voice){.name = p.name, .key = p.key, .version = p.version};
	return counts;
}

int tally_vote(const struct tally *t, struct approval *a, const struct approval_vote *v,
	       struct approval_voice *ret, struct err *why, struct err *err)
{
	uint64_t now = t->now ? t->now : v->time;

	if (!approval_is_confirmation(v))
		return signed_vote(t, a, v, now, ret, why, err);
	int counts = confirmation_counts(t->store, a, v, now, why, err);
	if (counts == 1)
		*ret = (struct approval_voice){
			.name = arena_printf(&a->arena, "%s (confirmation)", v->name), .key = ""};
	return counts;
}

bool tally_is_same(const struct approval_voice *a, const struct approval_voice *b)
{
	return strcasecmp(a->name, b->name) == 0 || strcmp(a->key, b->key) == 0;
}

static bool is_repeated(const struct approval *a, const struct approval_voice *v)
{
	for (size_t i = 0; i < a->voicec; i++)
		if (tally_is_same(&a->voice[i], v))
			return true;
	return false;
}

int tally(const struct tally *t, struct approval *a, struct err *why, struct err *err)
{
	const struct approval_vote *v = a->status.votes.list;
	unsigned scope = SCOPE_COUNT - 1;

	a->voicec = 0;
	err_set(why, ERR_REFUSED, "%s has no answer that approves it", a->id);
	for (size_t i = 0; i < a->status.votes.count; i++) {
		struct approval_voice voice = {0};
		int good = v[i].approves ? tally_vote(t, a, &v[i], &voice, why, err) : 0;
		if (good < 0)
			return -1;
		if (good != 1 || !voice.name || !voice.key || is_repeated(a, &voice))
			continue;
		a->voice[a->voicec++] = voice;
		scope = v[i].scope < scope ? (unsigned)v[i].scope : scope;
	}
	a->scope = a->voicec ? (enum scope)scope : SCOPE_ONCE;
	if (a->arena.failed)
		return err_memory(err);
	return a->voicec >= a->request.approvers && a->voicec > 0;
}
