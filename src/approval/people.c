/* SPDX-License-Identifier: MIT
 *
 * Whose signatures count: a public key under a name, with the account it belongs to and the one
 * that enrolled it. Each coming and going has its record, and the record is what counts. One key has
 * one name, or one person could be two.
 */
#include <stdio.h>
#include <string.h>

#include "approval/fields.h"
#include "approval/tally.h"
#include "base/account.h"

#define MAGIC "cordon approver 1\n"
#define PREFIX "approver/"
#define P struct approval_person
#define ROW(m, type, most)                                                                         \
	{                                                                                          \
#m, type, offsetof(P, m), most, FIELD_ALWAYS, NULL, 0                              \
	}

enum { PERSON_MAX = 1024, BODY_MAX = 4096, REF_MAX = RECORD_REF_MAX + 1 };

const struct field person_fields[] = {ROW(name, FIELD_TEXT, APPROVAL_NAME_MAX),
				      ROW(public, FIELD_BYTES, KEY_PUBLIC),
				      ROW(has_uid, FIELD_NUMBER, 1),
				      ROW(uid, FIELD_NUMBER, UINT32_MAX),
				      ROW(enrolled_by, FIELD_NUMBER, UINT32_MAX),
				      ROW(time, FIELD_NUMBER, (uint64_t)1 << 50),
				      {0}};

bool approval_name_is_good(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789_.-";
	size_t len = strnlen(name, APPROVAL_NAME_MAX + 1);

	return len > 0 && len <= APPROVAL_NAME_MAX && strspn(name, letters) == len &&
	       name[0] != '-' && name[0] != '.';
}

static const char *key_of(char ret[ITEM_KEY_MAX], const char *name)
{
	return item_key(ret, "approver", NULL, name);
}

static int decode(const struct store_item *item, struct arena *a, struct approval_person *ret,
		  struct err *err)
{
	size_t magic = sizeof(MAGIC) - 1;

	if (item->len < magic || memcmp(item->value, MAGIC, magic) != 0)
		return err_set(err, ERR_INPUT, "%.80s is no key of this version", item->key);
	if (fields_decode(person_fields, item->value + magic, item->len - magic, a, ret, err) < 0)
		return -1;
	if (strcmp(ret->name, item->key + sizeof(PREFIX) - 1) != 0)
		return err_set(err, ERR_INPUT, "%.80s has been changed in the store", item->key);
	return 0;
}

static int write_body(struct jcs *j, const struct approval_person *p, const char *event,
		      uint64_t by, struct err *err)
{
	jcs_init(j, BODY_MAX);
	if (p->has_uid)
		jcs_int(j, "account", (int64_t)p->uid);
	put_account(j, "by", by);
	jcs_str(j, "event", event);
	jcs_hex(j, "key", p->public, sizeof(p->public));
	jcs_str(j, "name", p->name);
	return jcs_finish(j, err);
}

static const char *ref_of(char ret[REF_MAX], const char *name)
{
	snprintf(ret, REF_MAX, "approver:%s", name);
	return ret;
}

static void add_record(struct store_tx *tx, const struct approval_person *p, const char *event,
		       uint64_t by)
{
	AUTO_JCS struct jcs body = {0};
	char ref[REF_MAX];
	const char *refs[] = {ref_of(ref, p->name)};
	struct err err;

	if (write_body(&body, p, event, by, &err) < 0)
		tx->failed = err;
	store_append(tx, RECORD_KEY, refs, 1, &body);
}

struct last_word {
	const struct buf *wanted;
	bool is_it;
};

static int look_at_record(void *context, const struct store_row *row, struct err *err)
{
	struct last_word *l = context;
	struct record r;

	if (record_decode(row->bytes, row->len, &r, err) < 0)
		return -1;
	l->is_it = r.kind == RECORD_KEY && r.body.len == l->wanted->len &&
		   memcmp(r.body.data, l->wanted->data, r.body.len) == 0;
	return 0;
}

/* Is the last that the log has of this name that exactly this was enrolled? An item alone is no
 * enrolment: who can only write items must not be able to make approvers, nor bring one back. */
static int log_says_enrolled(struct store *s, const struct approval_person *p, struct err *err)
{
	AUTO_JCS struct jcs body = {0};
	struct last_word last = {.wanted = &body.out};
	char ref[REF_MAX];

	if (write_body(&body, p, "enrolled", p->enrolled_by, err) < 0 ||
	    store_find(s, ref_of(ref, p->name), 0, 0, look_at_record, &last, err) < 0)
		return -1;
	return last.is_it;
}

/* Is the key there under another name? */
static int is_same_key(void *context, const struct approval_person *p, struct err *err)
{
	const struct approval_person *wanted = context;

	if (memcmp(p->public, wanted->public, sizeof(p->public)) != 0)
		return 0;
	return err_set(err, ERR_CONFLICT, "that key is enrolled already, as %s", p->name);
}

int approval_person_add(struct store *s, const struct approval_person *p, struct err *err)
{
	AUTO_BUF struct buf value = {.most = PERSON_MAX};
	AUTO_TX struct store_tx tx = {0};
	char key[ITEM_KEY_MAX];

	if (!approval_name_is_good(p->name))
		return err_set(err, ERR_USAGE, "\"%.64s\" is no name of a person", p->name);
	if (p->enrolled_by == ACCOUNT_UNKNOWN) {
		err_set(err, ERR_REFUSED,
			"a key cannot be enrolled in a user namespace: account "
			"numbers in it are not the machine's");
		err_cure(err, "enrol it outside: cordon approvals key add NAME KEY --state DIR");
		return -1;
	}
	if (approval_person_each(s, is_same_key, (void *)p, err) < 0)
		return -1;
	buf_str(&value, MAGIC);
	fields_encode(person_fields, p, FIELD_ALWAYS, &value);
	if (value.failed)
		return err_set(err, ERR_LIMIT, "a key's item is too large");
	add_record(&tx, p, "enrolled", p->enrolled_by);
	store_put(&tx, STORE_KEY, key_of(key, p->name), value.data, value.len, STORE_NEW);
	if (store_commit(s, &tx, err) == 0)
		return 0;
	if (err->code == ERR_CONFLICT)
		err_set(err, ERR_CONFLICT, "somebody is enrolled as %s already", p->name);
	return -1;
}

static int find(struct store *s, const char *name, struct arena *a, struct approval_person *ret,
		uint64_t *ret_version, struct err *err)
{
	AUTO_ITEM struct store_item item = {0};
	char key[ITEM_KEY_MAX];

	if (!approval_name_is_good(name))
		return 0;
	if (store_get(s, STORE_KEY, key_of(key, name), &item, err) < 0)
		return -1;
	*ret_version = item.version;
	if (!item.version)
		return 0;
	return decode(&item, a, ret, err) < 0 ? -1 : 1;
}

int approval_person_find(struct store *s, const char *name, struct arena *a,
			 struct approval_person *ret, struct err *err)
{
	uint64_t version;
	int found = find(s, name, a, ret, &version, err);

	if (found <= 0)
		return found;
	ret->version = version;
	return log_says_enrolled(s, ret, err);
}

void person_expect(struct store_tx *tx, const char *name, uint64_t version)
{
	char key[ITEM_KEY_MAX];

	store_expect(tx, STORE_KEY, key_of(key, name), version);
}

int approval_person_remove(struct store *s, const char *name, uint64_t by, struct err *err)
{
	AUTO_TX struct store_tx tx = {0};
	struct approval_person p = {0};
	uint64_t version = 0;
	char key[ITEM_KEY_MAX];

	int found = find(s, name, &tx.arena, &p, &version, err);
	if (found < 0)
		return -1;
	if (!found)
		return err_set(err, ERR_INPUT, "nobody is enrolled as \"%.64s\"", name);
	add_record(&tx, &p, "removed", by);
	store_delete(&tx, STORE_KEY, key_of(key, name), version);
	return store_commit(s, &tx, err);
}

struct each {
	approval_person_fn *fn;
	void *context;
};

static int call_each(void *context, const struct store_item *item, struct err *err)
{
	struct each *e = context;
	struct approval_person p = {0};
	struct arena arena = {0};

	int r = decode(item, &arena, &p, err);
	if (r == 0)
		r = e->fn(e->context, &p, err);
	arena_done(&arena);
	return r;
}

int approval_person_each(struct store *s, approval_person_fn *fn, void *context, struct err *err)
{
	struct each e = {.fn = fn, .context = context};

	return store_list(s, STORE_KEY, &(struct store_range){.prefix = PREFIX}, call_each, &e,
			  err);
}

struct whose {
	const uint8_t *public;
	char *name;
};

static int is_whose(void *context, const struct approval_person *p, struct err *err)
{
	const struct whose *w = context;

	(void)err;
	if (memcmp(p->public, w->public, KEY_PUBLIC) != 0)
		return 0;
	snprintf(w->name, APPROVAL_NAME_MAX + 1, "%s", p->name);
	return 1;
}

int approval_person_of_key(struct store *s, const uint8_t public[KEY_PUBLIC],
			   char ret_name[APPROVAL_NAME_MAX + 1], struct err *err)
{
	int r = approval_person_each(s, is_whose, &(struct whose){public, ret_name}, err);

	if (r)
		return r < 0 ? -1 : 0;
	err_set(err, ERR_REFUSED, "that key is not enrolled");
	err_cure(err, "cordon approvals key add NAME PUBLIC-KEY, by who owns the state directory");
	return -1;
}
