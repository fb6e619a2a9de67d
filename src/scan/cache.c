/* SPDX-License-Identifier: MIT
 *
 * A database as a file. Header, then parts one after another: what each pattern has, refusals,
 * sources, the tables' arrays, and PCRE2's bytes. PCRE2 believes the bytes it is given, so nothing
 * of a file is looked at before its owner, its rights, its key and its sum are right; any doubt and
 * the file is as good as not there. How it is kept, and what its sum is good for, is base/kept.h's
 * business. It must never be the reason why somebody cannot scan.
 */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base/io.h"
#include "base/kept.h"
#include "base/pages.h"
#include "base/scope.h"
#include "scan/db_private.h"

#include "build_id.h"

#define CACHE_FILE_MAX ((size_t)1 << 30)

enum {
	ALIGN = 64,
	PART_HAS = 0,
	PART_REFUSALS,
	PART_PLACES,
	PART_SOURCES,
	PART_CODES,			     /* one for each form */
	PART_TABLES = PART_CODES + JS_FORMS, /* TABLE_SECTIONS for each form */
	PARTS = PART_TABLES + JS_FORMS * TABLE_SECTIONS,
};

struct part {
	uint64_t at, count; /* items */
};

struct header {
	char magic[8];
	uint8_t key[DB_KEY];
	uint64_t sum; /* of everything behind it */
	uint64_t len; /* of the file */
	struct part part[PARTS];
};

static const char magic[8] = "cordndb";

static size_t item_size(int part)
{
	if (part == PART_REFUSALS)
		return sizeof(struct db_refusal);
	if (part == PART_PLACES)
		return sizeof(struct db_place);
	return part < PART_TABLES ? 1 : table_item_size[(part - PART_TABLES) % TABLE_SECTIONS];
}

/* Sizes of what is written as it is stand for its layout. */
static void hash_machine(crypto_generichash_state *state)
{
	char text[256], library[64];
	uint16_t one = 1;
	uint8_t first = 0;

	match_library(library, sizeof(library));
	memcpy(&first, &one, 1);
	int len =
		snprintf(text, sizeof(text),
			 "cordon %s, PCRE2 %s, utf8proc %s, %zu bytes, little %u, %zu %zu %zu %zu",
			 CORDON_BUILD_ID, library, utf8proc_version(), sizeof(void *), first,
			 sizeof(struct header), sizeof(struct reach), sizeof(struct table_slot),
			 sizeof(struct table_pattern));
	crypto_generichash_update(state, (const uint8_t *)text, (size_t)len + 1);
}

void db_key(const struct db_pattern *pattern, size_t count, uint8_t ret[DB_KEY])
{
	crypto_generichash_state state;

	crypto_generichash_init(&state, NULL, 0, DB_KEY);
	hash_machine(&state);
	for (size_t i = 0; i < count; i++) {
		uint64_t about[2] = {pattern[i].len, pattern[i].flags};
		crypto_generichash_update(&state, (const uint8_t *)about, sizeof(about));
		crypto_generichash_update(&state, (const uint8_t *)pattern[i].source,
					  pattern[i].len);
	}
	crypto_generichash_final(&state, ret, DB_KEY);
}

static uint64_t sum_of(const uint8_t *bytes, size_t len)
{
	size_t skip = offsetof(struct header, len);

	return kept_sum(bytes + skip, len - skip);
}

static int read_file(const char *path, uint8_t **ret, size_t *ret_len, struct err *err)
{
	size_t len = 0;
	AUTO_CLOSE int fd = kept_open(path, sizeof(struct header), CACHE_FILE_MAX, &len, err);

	if (fd < 0)
		return -1;
	AUTO_PAGES uint8_t *bytes = pages_new_large(len);
	if (!bytes)
		return err_set(err, ERR_SYSTEM, "%s: out of memory", path);
	if (io_read_full(fd, bytes, len) != (ssize_t)len)
		return err_set(err, ERR_INPUT, "%s: it ends early", path);
	*ret = bytes;
	*ret_len = len;
	bytes = NULL;
	return 0;
}

/* The sum says that we wrote it; this, that we wrote it well. */
static bool is_sound(const struct header *h, size_t len, size_t count)
{
	for (int i = 0; i < PARTS; i++) {
		size_t size = item_size(i);
		if (h->part[i].at % ALIGN || h->part[i].at > len ||
		    h->part[i].count > (len - h->part[i].at) / size)
			return false;
	}
	const struct db_place *p =
		(const struct db_place *)((const uint8_t *)h + h->part[PART_PLACES].at);
	uint64_t sources = h->part[PART_SOURCES].count;
	if (h->part[PART_HAS].count != count || h->part[PART_PLACES].count != count)
		return false;
	for (size_t i = 0; i < count; i++)
		if (p[i].at > sources || p[i].len > sources - p[i].at)
			return false;
	return true;
}

static int check(const uint8_t *bytes, size_t len, const uint8_t key[DB_KEY], size_t count,
		 struct err *err)
{
	const struct header *h = (const struct header *)bytes;

	if (memcmp(h->magic, magic, sizeof(magic)) != 0)
		return err_set(err, ERR_INPUT, "it is no database");
	if (memcmp(h->key, key, DB_KEY) != 0)
		return err_set(err, ERR_INPUT, "it is of other rules or another version");
	if (h->len != len || h->sum != sum_of(bytes, len))
		return err_set(err, ERR_INPUT, "it is damaged");
	return is_sound(h, len, count) ? 0 : err_set(err, ERR_INPUT, "it is not sound");
}

static int take_parts(struct db *db, uint8_t *bytes, struct err *err)
{
	const struct header *h = (const struct header *)bytes;

	db->image = bytes;
	db->refusal = (struct db_refusal *)(bytes + h->part[PART_REFUSALS].at);
	db->refusals = h->part[PART_REFUSALS].count;
	db->place = (struct db_place *)(bytes + h->part[PART_PLACES].at);
	db->sources = (char *)(bytes + h->part[PART_SOURCES].at);
	db->sources_len = h->part[PART_SOURCES].count;
	for (int i = 0; i < JS_FORMS * TABLE_SECTIONS; i++) {
		const struct part *p = &h->part[PART_TABLES + i];
		db->table[i / TABLE_SECTIONS].array[i % TABLE_SECTIONS] =
			(struct table_array){bytes + p->at, p->count};
	}
	for (int i = 0; i < JS_FORMS; i++) {
		const struct part *p = &h->part[PART_CODES + i];
		if (match_load(db->code, bytes + h->part[PART_HAS].at, db->count, i, bytes + p->at,
			       p->count, err) < 0)
			return -1;
	}
	return 0;
}

static int cache_read(const char *path, const uint8_t key[DB_KEY], size_t count, struct db **ret,
		      struct err *err)
{
	uint8_t *bytes = NULL;
	size_t len = 0;
	struct db *db = NULL;

	if (read_file(path, &bytes, &len, err) < 0 || !bytes)
		return -1;
	if (check(bytes, len, key, count, err) < 0) {
		err_context(err, "%s", path);
		pages_free(bytes);
		return -1;
	}
	db = db_new(count, err);
	if (!db) {
		pages_free(bytes);
		return -1;
	}
	if (take_parts(db, bytes, err) < 0) {
		db_free(db);
		return -1;
	}
	*ret = db;
	return 0;
}

/* Bytes of a file while it is made. */
struct image {
	uint8_t *bytes;
	size_t len, room;
	bool failed;
};

static void add_part(struct image *m, int part, const void *data, size_t count)
{
	size_t size = count * item_size(part), at = (m->len + ALIGN - 1) / ALIGN * ALIGN;
	size_t need = at + size;

	if (m->failed || need > CACHE_FILE_MAX) {
		m->failed = true;
		return;
	}
	if (need > m->room) {
		size_t room = need * 2;
		uint8_t *grown = realloc(m->bytes, room);
		if (!grown) {
			m->failed = true;
			return;
		}
		m->bytes = grown;
		m->room = room;
	}
	memset(m->bytes + m->len, 0, at - m->len);
	if (size)
		memcpy(m->bytes + at, data, size);
	m->len = need;
	((struct header *)m->bytes)->part[part] = (struct part){at, count};
}

static int add_codes(struct image *m, const struct db *db, struct err *err)
{
	AUTO_FREE uint8_t *has = calloc(db->count + 1, 1);

	if (!has)
		return err_set(err, ERR_SYSTEM, "out of memory");
	for (int form = 0; form < JS_FORMS; form++) {
		AUTO_FREE uint8_t *bytes = NULL;
		size_t len = 0;

		if (match_save(db->code, db->count, form, &bytes, &len, err) < 0)
			return -1;
		add_part(m, PART_CODES + form, bytes, len);
		for (size_t i = 0; i < db->count; i++)
			if (match_has(db->code[i], form))
				has[i] |= (uint8_t)(1 << form | (match_is_unicode(db->code[i])
									 ? MATCH_HAS_UNICODE
									 : 0));
	}
	add_part(m, PART_HAS, has, db->count);
	return 0;
}

static int make_image(struct image *m, const uint8_t key[DB_KEY], const struct db *db,
		      struct err *err)
{
	size_t head = sizeof(struct header);

	m->bytes = calloc(1, head);
	if (!m->bytes)
		return err_set(err, ERR_SYSTEM, "out of memory");
	m->len = m->room = head;
	if (add_codes(m, db, err) < 0)
		return -1;
	add_part(m, PART_REFUSALS, db->refusal, db->refusals);
	add_part(m, PART_PLACES, db->place, db->count);
	add_part(m, PART_SOURCES, db->sources, db->sources_len);
	for (int i = 0; i < JS_FORMS * TABLE_SECTIONS; i++) {
		const struct table_array *a =
			&db->table[i / TABLE_SECTIONS].array[i % TABLE_SECTIONS];
		add_part(m, PART_TABLES + i, a->data, a->count);
	}
	if (m->failed)
		return err_set(err, ERR_LIMIT, "out of memory, or over %zu bytes", CACHE_FILE_MAX);
	struct header *h = (struct header *)m->bytes;
	memcpy(h->magic, magic, sizeof(magic));
	memcpy(h->key, key, DB_KEY);
	h->len = m->len;
	h->sum = sum_of(m->bytes, m->len);
	return 0;
}

static int cache_write(const char *path, const uint8_t key[DB_KEY], const struct db *db,
		       struct err *err)
{
	struct image m = {0};
	int status = make_image(&m, key, db, err);

	if (status == 0)
		status = kept_write(path, m.bytes, m.len, err);
	free(m.bytes);
	return status;
}

int db_open(struct db_cache *cache, const struct db_pattern *pattern, size_t count,
	    db_refused_fn *refused, void *context, struct db **ret, struct err *err)
{
	cache->file = DB_FILE_NONE;
	memset(&cache->why, 0, sizeof(cache->why));
	if (cache_read(cache->path, cache->key, count, ret, &cache->why) == 0) {
		cache->file = DB_FILE_READ;
		db_tell_refused(*ret, refused, context);
		return 0;
	}
	if (db_build(pattern, count, refused, context, ret, err) < 0)
		return -1;
	if (cache_write(cache->path, cache->key, *ret, &cache->why) == 0)
		cache->file = DB_FILE_WRITTEN;
	return 0;
}
