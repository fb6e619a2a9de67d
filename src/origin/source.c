/* SPDX-License-Identifier: MIT
 *
 * Commits and reads sources. Fingerprints that do not fit into one transaction go before it, under
 * an id that nobody knows yet; the row, the record and the floor go together, and last.
 */
#include "origin/source.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "origin/canon.h"
#include "origin/escape.h"
#include "origin/filelabel.h"
#include "origin/sourceprints.h"
#include "store/redact.h"

enum {
	ROW_VERSION = 1,
	ROW_MAX = 256 + SOURCE_NAME_MAX + LABEL_PACKED_MAX,
	REF_MAX = RECORD_REF_MAX + 1,
	NAME_LOOKED_AT = 2 * SOURCE_NAME_MAX, /* bytes; no more of it can be in the row */
};

static void pack_source(struct packer *p, const struct source *s)
{
	pack_uint(p, ROW_VERSION, 1);
	pack_bytes(p, &s->domain, sizeof(s->domain));
	pack_uint(p, s->epoch, 4);
	pack_uint(p, s->kind, 1);
	pack_text(p, s->name);
	pack_bytes(p, s->sha256, sizeof(s->sha256));
	pack_uint(p, s->bytes, 8);
	pack_uint(p, s->time_us, 8);
	label_pack(p, &s->label);
	pack_uint(p, s->grade, 1);
}

static int unpack_source(const struct store_item *item, struct source *s, struct err *err)
{
	struct unpacker u = {.data = item->value, .len = item->len};
	bool old = unpack_uint(&u, 1) != ROW_VERSION;

	unpack_bytes(&u, &s->domain, sizeof(s->domain));
	s->epoch = (uint32_t)unpack_uint(&u, 4);
	s->kind = (enum source_kind)unpack_enum(&u, FROM_COUNT);
	unpack_text(&u, s->name, sizeof(s->name));
	unpack_bytes(&u, s->sha256, sizeof(s->sha256));
	s->bytes = unpack_uint(&u, 8);
	s->time_us = unpack_uint(&u, 8);
	label_unpack(&u, &s->label);
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

int source_integrities(struct keeper *k, const struct source_set *set, const enum tie *ties,
		       enum integrity *ret, struct err *err)
{
	for (size_t i = 0; i < set->count; i++) {
		AUTO_ITEM struct store_item item = {0};
		struct source s;
		char key[ID_HEX];
		ret[i] = INTEGRITY_UNTRUSTED;
		if (ties[i] == TIE_NONE)
			continue;
		if (store_get(k->store, STORE_SOURCE, id_hex(&set->id[i], key), &item, err) < 0)
			return -1;
		if (!item.version)
			continue;
		if (unpack_source(&item, &s, err) < 0)
			return -1;
		ret[i] = s.label.integrity;
	}
	return 0;
}

static void log_source(struct store_tx *tx, const struct source *s, const struct source_in *in)
{
	AUTO_JCS struct jcs j = {0};
	char src[REF_MAX], dom[REF_MAX], file[REF_MAX], hex[ID_HEX];
	char sha[2 * KEEPER_SHA256 + 1];
	const char *refs[3 + SOURCE_REFS_MAX] = {src, dom, file};
	struct err err;

	jcs_init(&j, RECORD_BODY_MAX);
	jcs_int(&j, "bytes", (int64_t)s->bytes);
	jcs_str(&j, "domain", id_hex(&s->domain, hex));
	snprintf(dom, sizeof(dom), "dom:%s", hex);
	jcs_int(&j, "epoch", s->epoch);
	jcs_str(&j, "grade", grade_name(s->grade));
	jcs_str(&j, "id", id_hex(&s->id, hex));
	snprintf(src, sizeof(src), "src:%s", hex);
	jcs_str(&j, "integrity", integrity_name(s->label.integrity));
	jcs_str(&j, "kind", source_kind_name(s->kind));
	jcs_str(&j, "name", s->name);
	jcs_list(&j, "rules");
	for (size_t i = 0; i < in->rulec; i++)
		jcs_str(&j, NULL, in->rules[i]);
	jcs_end(&j);
	jcs_str(&j, "secrecy", secrecy_name(s->label.secrecy));
	jcs_hex(&j, "sha256", s->sha256, sizeof(s->sha256));
	snprintf(file, sizeof(file), "file:%s",
		 sodium_bin2hex(sha, sizeof(sha), s->sha256, sizeof(s->sha256)));
	for (size_t i = 0; i < in->refc; i++)
		refs[3 + i] = in->refs[i];
	if (jcs_finish(&j, &err) < 0)
		tx->failed = err;
	else
		store_append(tx, RECORD_INGEST, refs, 3 + in->refc, &j);
}

/* What is said of it, what its bytes were before, and what was found in it. */
static int make_label(struct keeper *k, const struct source_in *in, struct source *s,
		      struct err *err)
{
	struct label before, unknown = label_unknown();
	bool known;
	const struct file_key key = {.sha256 = s->sha256, .bytes = FILE_HASH_MIN};

	s->label = in->label;
	if (!in->vouched)
		label_join(&s->label, &unknown);
	if (file_label_find(k, &key, &before, &known, err) < 0)
		return -1;
	if (known)
		label_join(&s->label, &before);
	s->grade = in->grade;
	if (s->grade == GRADE_DENIES)
		s->label.integrity = INTEGRITY_HOSTILE;
	label_add_source(&s->label, &s->id);
	return 0;
}

/* Secrets in it are taken out, as in the log. */
static void make_name(const struct source_in *in, struct source *s)
{
	AUTO_BUF struct buf b = {.most = REDACT_OUT_MAX};
	size_t len = in->name_len < NAME_LOOKED_AT ? in->name_len : NAME_LOOKED_AT;

	if (in->name)
		redact(&b, in->name, len);
	escape_text((const char *)b.data, b.failed ? 0 : b.len, s->name, sizeof(s->name));
}

static int check(const struct source_in *in, struct err *err)
{
	if (in->count == 0 || in->count > INDEX_TEXTS_MAX || in->refc > SOURCE_REFS_MAX ||
	    in->rulec > SOURCE_RULES_MAX || in->kind >= FROM_COUNT || in->grade >= GRADE_COUNT ||
	    in->label.integrity >= INTEGRITY_COUNT || in->label.secrecy >= SECRECY_COUNT)
		return err_set(err, ERR_USAGE, "that is no source");
	if (in->text[0].len > CANON_TEXT_MAX) {
		err_set(err, ERR_LIMIT, "a source is over %zu bytes", CANON_TEXT_MAX);
		err_cure(err, "ingest it in parts");
		return -1;
	}
	return 0;
}

/* The same bytes in another conversation, as code or as input, are what they were in this one. Hostile
 * for all is only what our rules have found: what somebody says of bytes lowers this source, or a tool
 * could make any file that everybody has hostile. */
static int keep_bytes(struct keeper *k, const struct source *s, struct store_tx *tx,
		      struct err *err)
{
	struct label label = s->label;

	if (s->grade != GRADE_DENIES) {
		if (label.integrity > INTEGRITY_UNTRUSTED || s->bytes < SOURCE_KNOWN_MIN)
			return 0;
		label.integrity = INTEGRITY_UNTRUSTED;
	}
	return file_label_keep(k, s->sha256, s->bytes, &label, tx, err);
}

/* The domain as it is now, whatever it was merged into meanwhile. */
static int commit_row(struct keeper *k, struct domain *d, const struct source_in *in,
		      struct source *s, const struct sourceprints *prints, struct err *err)
{
	uint8_t row[ROW_MAX];
	char key[ID_HEX];

	for (int i = 0; i < KEEPER_TRIES_MAX; i++) {
		AUTO_TX struct store_tx tx = {0};
		struct packer p = {.data = row, .room = sizeof(row)};
		struct id id = d->id;
		*err = (struct err){0};
		if (domain_load(k, &id, d, err) < 0)
			return -1;
		s->epoch = d->epoch;
		d->sources++;
		d->print_bytes += prints->bytes;
		pack_source(&p, s);
		log_source(&tx, s, in);
		sourceprints_put_last(prints, &tx);
		domain_read(k, d, &s->label, s->kind, &tx);
		store_put(&tx, STORE_SOURCE, id_hex(&s->id, key), row, p.len, STORE_NEW);
		if (keep_bytes(k, s, &tx, err) == 0 && store_commit(k->store, &tx, err) == 0) {
			d->version = tx.version;
			return 0;
		}
		if (err->code != ERR_CONFLICT)
			return -1;
	}
	return -1;
}

int source_commit(struct keeper *k, struct domain *d, const struct source_in *in,
		  struct source_released *ret, struct err *err)
{
	AUTO_INDEX struct index ix = {0};
	struct source s = {.domain = d->id, .kind = in->kind};
	AUTO_SOURCEPRINTS struct sourceprints prints = {0};

	memset(ret, 0, sizeof(*ret));
	if (check(in, err) < 0 || index_build(in->text, in->count, &ix, err) < 0 ||
	    index_name(&ix, in->name, in->name_len, err) < 0 ||
	    index_without(&ix, in->own, in->ownc, err) < 0)
		return -1;
	id_random(&s.id);
	digest_of(s.sha256, in->text[0].data, in->text[0].len);
	s.bytes = in->text[0].len;
	s.time_us = k->now_us();
	make_name(in, &s);
	if (make_label(k, in, &s, err) < 0 || sourceprints_put(k, &s, &ix, &prints, err) < 0 ||
	    commit_row(k, d, in, &s, &prints, err) < 0)
		return -1;
	*ret = (struct source_released){s, in->text[0].data, in->text[0].len};
	/* What fails here is tried again by the next one: nothing depends on it. */
	struct err ignored = {0};
	if (d->print_bytes > SOURCE_PRINT_BYTES_MAX)
		source_evict(k, d, SOURCE_PRINT_BYTES_MAX / 4 * 3, &ignored);
	return 0;
}
