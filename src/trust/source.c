/* SPDX-License-Identifier: MIT
 *
 * Commits, reads and evicts sources. Fingerprints that do not fit into one transaction are written
 * first, under an id that is not yet known to others. Row, record and exposure follow in one
 * transaction.
 */
#include "trust/source.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "store/redact.h"
#include "trust/escape.h"
#include "trust/evidence/canonical_text.h"
#include "trust/pack.h"
#include "trust/source_prints.h"

enum {
	ROW_VERSION = 2,
	ROW_MAX = 256 + SOURCE_NAME_MAX,
	REF_MAX = RECORD_REF_MAX + 1,
	NAME_READ_MAX = 2 * SOURCE_NAME_MAX, /* bytes; the row cannot have more */
};

static void pack_source(struct packer *p, const struct source *s)
{
	pack_uint(p, ROW_VERSION, 1);
	pack_bytes(p, &s->conversation, sizeof(s->conversation));
	pack_uint(p, s->kind, 1);
	pack_text(p, s->name);
	pack_bytes(p, s->sha256, sizeof(s->sha256));
	pack_uint(p, s->bytes, 8);
	pack_uint(p, s->time_us, 8);
	pack_uint(p, s->trust, 1);
	pack_uint(p, s->grade, 1);
}

static int unpack_source(const struct store_item *item, struct source *s, struct err *err)
{
	struct unpacker u = {.data = item->value, .len = item->len};
	bool old = unpack_uint(&u, 1) != ROW_VERSION;

	unpack_bytes(&u, &s->conversation, sizeof(s->conversation));
	s->kind = (enum source_kind)unpack_enum(&u, FROM_COUNT);
	unpack_text(&u, s->name, sizeof(s->name));
	unpack_bytes(&u, s->sha256, sizeof(s->sha256));
	s->bytes = unpack_uint(&u, 8);
	s->time_us = unpack_uint(&u, 8);
	s->trust = (enum source_trust)unpack_enum(&u, SOURCE_TRUSTS);
	s->grade = (enum grade)unpack_enum(&u, GRADE_COUNT);
	if (old || !unpack_is_done(&u))
		return err_set(err, ERR_INPUT, "the row of a source is damaged");
	return 0;
}

int source_load(struct keeper *k, const struct id *id, struct source *ret, struct err *err)
{
	AUTO_ITEM struct store_item item = {0};
	char key[ID_HEX];

	if (store_get(k->store, STORE_SOURCE, id_hex(id, key), &item, err) < 0)
		return -1;
	if (!item.version)
		return err_set(err, ERR_INPUT, "there is no source %s", key);
	memset(ret, 0, sizeof(*ret));
	ret->id = *id;
	return unpack_source(&item, ret, err);
}

const char *source_trust_name(enum source_trust trust)
{
	static const char *const names[SOURCE_TRUSTS] = {"hostile", "untrusted"};

	return names[trust];
}

static void log_source(struct store_tx *tx, const struct source *s, const struct source_in *in)
{
	AUTO_JCS struct jcs j = {0};
	char src[REF_MAX], conv[REF_MAX], file[REF_MAX], hex[ID_HEX];
	char sha[2 * KEEPER_SHA256 + 1];
	const char *refs[3 + SOURCE_REFS_MAX] = {src, conv, file};
	struct err err;

	jcs_init(&j, RECORD_BODY_MAX);
	jcs_int(&j, "bytes", (int64_t)s->bytes);
	jcs_word(&j, "conversation", id_hex(&s->conversation, hex));
	snprintf(conv, sizeof(conv), "conv:%s", hex);
	jcs_word(&j, "grade", grade_name(s->grade));
	jcs_word(&j, "id", id_hex(&s->id, hex));
	snprintf(src, sizeof(src), "src:%s", hex);
	jcs_word(&j, "kind", source_kind_name(s->kind));
	jcs_str(&j, "name", s->name);
	jcs_list(&j, "rules");
	for (size_t i = 0; i < in->rulec; i++)
		jcs_word(&j, NULL, in->rules[i]);
	jcs_end(&j);
	jcs_hex(&j, "sha256", s->sha256, sizeof(s->sha256));
	snprintf(file, sizeof(file), "file:%s",
		 sodium_bin2hex(sha, sizeof(sha), s->sha256, sizeof(s->sha256)));
	jcs_word(&j, "trust", source_trust_name(s->trust));
	for (size_t i = 0; i < in->refc; i++)
		refs[3 + i] = in->refs[i];
	if (jcs_finish(&j, &err) < 0)
		tx->failed = err;
	else
		store_append(tx, RECORD_INGEST, refs, 3 + in->refc, &j);
}

/* The row has no secret that the log would redact. */
static int make_name(const struct keeper *k, const struct source_in *in, struct source *s,
		     struct err *err)
{
	AUTO_BUF struct buf b = {.most = REDACT_OUT_MAX};
	size_t len = in->name_len < NAME_READ_MAX ? in->name_len : NAME_READ_MAX;

	if (in->name && store_redact(k->store, in->name, len, &b, err) < 0)
		return -1;
	escape_text((const char *)b.data, b.len, s->name, sizeof(s->name));
	return 0;
}

static int check(const struct source_in *in, struct err *err)
{
	if (in->count == 0 || in->count > INDEX_TEXTS_MAX || in->refc > SOURCE_REFS_MAX ||
	    in->rulec > SOURCE_RULES_MAX || in->kind >= FROM_COUNT || in->grade >= GRADE_COUNT)
		return err_set(err, ERR_USAGE, "not a valid source");
	if (in->text[0].len > CANON_TEXT_MAX) {
		err_set(err, ERR_LIMIT, "the source is larger than %zu bytes", CANON_TEXT_MAX);
		err_cure(err, "ingest it in parts");
		return -1;
	}
	return 0;
}

/* The cause that people see, for example "web page https://example.org/". */
static void expose(struct keeper *k, struct conversation *c, const struct source *s)
{
	char cause[CONVERSATION_CAUSE_MAX + 1];

	snprintf(cause, sizeof(cause), "%s %.300s", source_kind_help(s->kind),
		 s->name[0] ? s->name : "without a name");
	conversation_expose(c, cause, k->now_us());
}

static int refuse_ended(const struct conversation *c, struct err *err)
{
	err_set(err, ERR_REFUSED, "this conversation has ended");
	err_cause(err, "%s", c->end);
	err_cure(err, "cordon conversation new");
	return -1;
}

/* Reads the conversation again and commits; repeats after a conflict. */
static int commit_row(struct keeper *k, struct conversation *c, const struct source_in *in,
		      struct source *s, const struct source_prints *prints, struct err *err)
{
	uint8_t row[ROW_MAX];
	char key[ID_HEX];

	for (int i = 0; i < KEEPER_TRIES_MAX; i++) {
		AUTO_TX struct store_tx tx = {0};
		struct packer p = {.data = row, .room = sizeof(row)};
		struct id id = c->id;
		*err = (struct err){0};
		if (c->version && conversation_load(k, &id, c, err) < 0)
			return -1;
		if (c->ended_us)
			return refuse_ended(c, err);
		c->sources++;
		c->print_bytes += prints->bytes;
		expose(k, c, s);
		pack_source(&p, s);
		log_source(&tx, s, in);
		source_prints_put_last(prints, &tx);
		conversation_put(c, &tx);
		store_put(&tx, STORE_SOURCE, id_hex(&s->id, key), row, p.len, STORE_NEW);
		if (store_commit(k->store, &tx, err) == 0) {
			c->version = tx.version;
			return 0;
		}
		if (err->code != ERR_CONFLICT)
			return -1;
	}
	return -1;
}

struct eviction {
	struct store_tx *tx;
	uint64_t left, keep, gone;
};

/* Deletes until enough is freed or the transaction is full. */
static int evict(void *context, const struct store_item *item, struct err *err)
{
	struct eviction *e = context;

	(void)err;
	if (e->left <= e->keep || e->tx->count >= STORE_OPS_MAX - 2)
		return 1;
	store_delete(e->tx, STORE_FINGERPRINTS, item->key, item->version);
	e->left = e->left > item->len ? e->left - item->len : 0;
	e->gone += item->len;
	return 0;
}

/* One transaction. */
static int evict_some(struct keeper *k, struct conversation *c, uint64_t keep, struct err *err)
{
	AUTO_TX struct store_tx tx = {0};
	struct id id = c->id;
	char prefix[ID_HEX + 1];
	struct store_range range = {.prefix = prefix, .after = "", .limit = STORE_OPS_MAX};

	if (conversation_load(k, &id, c, err) < 0)
		return -1;
	struct eviction e = {&tx, c->print_bytes, keep, 0};
	source_prints_prefix(&c->id, prefix);
	if (store_list(k->store, STORE_FINGERPRINTS, &range, evict, &e, err) < 0)
		return -1;
	if (tx.count == 0)
		e.left = 0; /* nothing is left to delete: the count was wrong */
	c->print_bytes = e.left;
	c->forgotten += e.gone;
	conversation_put(c, &tx);
	if (store_commit(k->store, &tx, err) < 0)
		return -1;
	c->version = tx.version;
	return 0;
}

int source_evict(struct keeper *k, struct conversation *c, uint64_t keep, struct err *err)
{
	int tries = 0;

	do {
		*err = (struct err){0};
		if (evict_some(k, c, keep, err) < 0 &&
		    (err->code != ERR_CONFLICT || ++tries == KEEPER_TRIES_MAX))
			return -1;
	} while (err->code == ERR_CONFLICT || c->print_bytes > keep);
	return 0;
}

int source_commit(struct keeper *k, struct conversation *c, const struct source_in *in,
		  struct source_released *ret, struct err *err)
{
	AUTO_INDEX struct index ix = {0};
	struct source s = {.conversation = c->id,
			   .kind = in->kind,
			   .grade = in->grade,
			   .trust = in->grade == GRADE_DENIES ? SOURCE_HOSTILE : SOURCE_UNTRUSTED};
	AUTO_SOURCE_PRINTS struct source_prints prints = {0};

	memset(ret, 0, sizeof(*ret));
	if (check(in, err) < 0 || index_build(in->text, in->count, &ix, err) < 0 ||
	    index_name(&ix, in->name, in->name_len, err) < 0 ||
	    index_without(&ix, in->own, in->ownc, err) < 0)
		return -1;
	id_random(&s.id);
	digest_of(s.sha256, in->text[0].data, in->text[0].len);
	s.bytes = in->text[0].len;
	s.time_us = k->now_us();
	if (make_name(k, in, &s, err) < 0 || source_prints_put(k, &s, &ix, &prints, err) < 0 ||
	    commit_row(k, c, in, &s, &prints, err) < 0)
		return -1;
	*ret = (struct source_released){s, in->text[0].data, in->text[0].len};
	/* If this fails, the next commit tries again. */
	struct err ignored = {0};
	if (c->print_bytes > SOURCE_PRINT_BYTES_MAX)
		source_evict(k, c, SOURCE_PRINT_BYTES_MAX / 4 * 3, &ignored);
	return 0;
}
