/* SPDX-License-Identifier: MIT
 *
 * Conversations as rows of the store. A change names the version that it started from: if two
 * processes change one conversation, the second must read it again, so that no exposure is lost.
 */
#include "trust/conversation.h"

#include <stdio.h>
#include <string.h>

#include "trust/escape.h"
#include "trust/pack.h"

enum {
	ROW_VERSION = 1,
	ROW_MAX = 256 + PRINCIPAL_MAX + CONVERSATION_TITLE_MAX + 2 * CONVERSATION_CAUSE_MAX,
};

static void pack_row(struct packer *p, const struct conversation *c)
{
	pack_uint(p, ROW_VERSION, 1);
	pack_bytes(p, &c->id, sizeof(c->id));
	pack_text(p, c->principal);
	pack_text(p, c->title);
	pack_uint(p, c->begun_us, 8);
	pack_uint(p, c->exposed_us, 8);
	pack_text(p, c->cause);
	pack_uint(p, c->ended_us, 8);
	pack_text(p, c->end);
	pack_uint(p, c->sources, 8);
	pack_uint(p, c->print_bytes, 8);
	pack_uint(p, c->forgotten, 8);
}

static int unpack_row(const struct store_item *item, struct conversation *c, struct err *err)
{
	struct unpacker u = {.data = item->value, .len = item->len};
	bool old = unpack_uint(&u, 1) != ROW_VERSION;

	*c = (struct conversation){.version = item->version};
	unpack_bytes(&u, &c->id, sizeof(c->id));
	unpack_text(&u, c->principal, sizeof(c->principal));
	unpack_text(&u, c->title, sizeof(c->title));
	c->begun_us = unpack_uint(&u, 8);
	c->exposed_us = unpack_uint(&u, 8);
	unpack_text(&u, c->cause, sizeof(c->cause));
	c->ended_us = unpack_uint(&u, 8);
	unpack_text(&u, c->end, sizeof(c->end));
	c->sources = unpack_uint(&u, 8);
	c->print_bytes = unpack_uint(&u, 8);
	c->forgotten = unpack_uint(&u, 8);
	if (old || !unpack_is_done(&u))
		return err_set(err, ERR_INPUT, "the row of conversation %.64s is damaged",
			       item->key);
	return 0;
}

void conversation_put(const struct conversation *c, struct store_tx *tx)
{
	uint8_t row[ROW_MAX];
	struct packer p = {.data = row, .room = sizeof(row)};
	char key[ID_HEX];

	pack_row(&p, c);
	store_put(tx, STORE_CONVERSATION, id_hex(&c->id, key), row, p.len, c->version);
}

void conversation_expect(const struct conversation *c, struct store_tx *tx)
{
	char key[ID_HEX];

	if (c->version)
		store_expect(tx, STORE_CONVERSATION, id_hex(&c->id, key), c->version);
	else
		conversation_put(c, tx); /* the commit fails if the row exists */
}

void conversation_record(const struct conversation *c, const char *what, struct store_tx *tx)
{
	AUTO_JCS struct jcs j = {0};
	char hex[ID_HEX], ref[ID_HEX + 5];
	const char *refs[] = {ref};
	struct err err;

	snprintf(ref, sizeof(ref), "conv:%s", id_hex(&c->id, hex));
	jcs_init(&j, RECORD_BODY_MAX);
	if (c->exposed_us)
		jcs_str(&j, "cause", c->cause);
	jcs_word(&j, "conversation", hex);
	if (c->ended_us)
		jcs_str(&j, "end", c->end);
	jcs_word(&j, "principal", c->principal);
	jcs_word(&j, "state", c->exposed_us ? "exposed" : "clean");
	jcs_str(&j, "title", c->title);
	jcs_word(&j, "what", what);
	if (jcs_finish(&j, &err) < 0)
		tx->failed = err;
	else
		store_append(tx, RECORD_CONVERSATION, refs, 1, &j);
}

void conversation_init(struct conversation *c, const char *principal, const char *title,
		       uint64_t now_us)
{
	*c = (struct conversation){.begun_us = now_us};
	id_random(&c->id);
	snprintf(c->principal, sizeof(c->principal), "%s", principal);
	escape_text(title, strlen(title), c->title, sizeof(c->title));
}

static int commit(struct keeper *k, struct conversation *c, const char *what, struct err *err)
{
	AUTO_TX struct store_tx tx = {0};

	conversation_record(c, what, &tx);
	conversation_put(c, &tx);
	if (store_commit(k->store, &tx, err) < 0)
		return -1;
	c->version = tx.version;
	return 0;
}

int conversation_begin(struct keeper *k, struct conversation *c, struct err *err)
{
	return commit(k, c, "begun", err);
}

static int no_such(const char *name, struct err *err)
{
	err_set(err, ERR_INPUT, "there is no conversation %.64s", name);
	err_cure(err, "cordon conversation list; or cordon conversation new");
	return -1;
}

struct search {
	struct conversation *ret;
	size_t count;
};

static int take(void *context, const struct store_item *item, struct err *err)
{
	struct search *s = context;

	return s->count++ ? 0 : unpack_row(item, s->ret, err);
}

int conversation_find(struct keeper *k, const char *name, struct conversation *ret, struct err *err)
{
	struct search s = {.ret = ret};
	struct store_range range = {.prefix = name, .after = "", .limit = 2};
	size_t len = strlen(name);

	if (len < CONVERSATION_PREFIX_MIN || len >= ID_HEX ||
	    strspn(name, "0123456789abcdef") != len)
		return no_such(name, err);
	if (store_list(k->store, STORE_CONVERSATION, &range, take, &s, err) < 0)
		return -1;
	if (s.count == 1)
		return 0;
	return s.count ? err_set(err, ERR_INPUT, "%.64s is the beginning of more than one id", name)
		       : no_such(name, err);
}

int conversation_load(struct keeper *k, const struct id *id, struct conversation *ret,
		      struct err *err)
{
	AUTO_ITEM struct store_item item = {0};
	char key[ID_HEX];

	if (store_get(k->store, STORE_CONVERSATION, id_hex(id, key), &item, err) < 0)
		return -1;
	return item.version ? unpack_row(&item, ret, err) : no_such(key, err);
}

struct listing {
	conversation_fn *fn;
	void *context;
};

static int each(void *context, const struct store_item *item, struct err *err)
{
	struct listing *l = context;
	struct conversation c;

	return unpack_row(item, &c, err) < 0 ? -1 : l->fn(l->context, &c, err);
}

int conversation_list(struct keeper *k, conversation_fn *fn, void *context, struct err *err)
{
	struct listing l = {fn, context};
	struct store_range range = {.prefix = "", .after = ""};

	return store_list(k->store, STORE_CONVERSATION, &range, each, &l, err);
}

int conversation_end(struct keeper *k, const struct id *id, const char *why,
		     struct conversation *ret, struct err *err)
{
	for (int i = 0; i < KEEPER_TRIES_MAX; i++) {
		*err = (struct err){0};
		if (conversation_load(k, id, ret, err) < 0)
			return -1;
		if (ret->ended_us)
			return 0;
		ret->ended_us = k->now_us();
		escape_text(why, strlen(why), ret->end, sizeof(ret->end));
		if (commit(k, ret, "ended", err) == 0)
			return 0;
		if (err->code != ERR_CONFLICT)
			return -1;
	}
	return -1;
}

void conversation_expose(struct conversation *c, const char *cause, uint64_t now_us)
{
	if (c->exposed_us)
		return;
	c->exposed_us = now_us;
	escape_text(cause, strlen(cause), c->cause, sizeof(c->cause));
}
