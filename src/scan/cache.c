/* SPDX-License-Identifier: MIT
 *
 * A database as a file. Header, then parts one after another: what each pattern has, refusals,
 * sources, the tables' arrays, and PCRE2's bytes. All of it is used where it is mapped, and each
 * expression is made when it is first asked, so that what is not needed costs nothing. PCRE2
 * trusts the bytes it is given, so no part of a file is used before its owner, its rights, its key
 * and its code (base/kept.h) are checked; a file that fails is made again. The code is not computed
 * again while the stamp of the file is the one in db_cache, which was taken when the code was right.
 * The cache must never be the reason why a scan fails.
 */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base/scope.h"
#include "scan/cache.h"

#include "build_id.h"

size_t cache_item_size(int part)
{
	if (part == PART_REFUSALS)
		return sizeof(struct db_refusal);
	if (part == PART_PLACES)
		return sizeof(struct db_place);
	if (part >= PART_CODES_AT && part < PART_CODES)
		return sizeof(uint32_t);
	return part < PART_TABLES ? 1 : table_item_size[(part - PART_TABLES) % TABLE_SECTIONS];
}

/* Sizes of what is written as it is stand for its layout. */
void db_maker(char ret[DB_MAKER])
{
	char library[64];
	uint16_t one = 1;
	uint8_t first = 0;

	match_library(library, sizeof(library));
	memcpy(&first, &one, 1);
	memset(ret, 0, DB_MAKER);
	snprintf(ret, DB_MAKER,
		 "cordon %s, PCRE2 %s, utf8proc %s, %zu bytes, little %u, %zu %zu %zu %zu",
		 CORDON_BUILD_ID, library, utf8proc_version(), sizeof(void *), first,
		 sizeof(struct cache_header), sizeof(struct reach), sizeof(struct table_slot),
		 sizeof(struct table_pattern));
}

void db_key(const struct db_pattern *pattern, size_t count, uint8_t ret[DB_KEY])
{
	crypto_generichash_state state;
	char maker[DB_MAKER];

	db_maker(maker);
	crypto_generichash_init(&state, NULL, 0, DB_KEY);
	crypto_generichash_update(&state, (const uint8_t *)maker, sizeof(maker));
	for (size_t i = 0; i < count; i++) {
		uint64_t about[2] = {pattern[i].len, pattern[i].flags};
		crypto_generichash_update(&state, (const uint8_t *)about, sizeof(about));
		crypto_generichash_update(&state, (const uint8_t *)pattern[i].source,
					  pattern[i].len);
	}
	crypto_generichash_final(&state, ret, DB_KEY);
}

static const void *part_of(const struct cache_header *h, int part)
{
	return (const uint8_t *)h + h->part[part].at;
}

static bool are_places_sound(const struct cache_header *h, size_t count)
{
	const struct db_place *p = part_of(h, PART_PLACES);
	uint64_t sources = h->part[PART_SOURCES].count;

	for (size_t i = 0; i < count; i++)
		if (p[i].at > sources || p[i].len > sources - p[i].at)
			return false;
	return true;
}

/* Whoever has a form has bytes for it, and only he. */
static bool are_codes_sound(const struct cache_header *h, size_t count, int form)
{
	const uint32_t *at = part_of(h, PART_CODES_AT + form);
	const uint8_t *has = part_of(h, PART_HAS);

	for (size_t i = 0; i < count; i++)
		if (at[i] > at[i + 1] || (at[i] < at[i + 1]) != (has[i] >> form & 1))
			return false;
	return !at[0] && at[count] == h->part[PART_CODES + form].count;
}

/* The code says that we wrote it; this, that we wrote it well. */
static bool is_sound(const struct cache_header *h, size_t len, size_t count)
{
	for (int i = 0; i < PARTS; i++) {
		size_t size = cache_item_size(i);
		if (h->part[i].at % CACHE_ALIGN || h->part[i].at > len ||
		    h->part[i].count > (len - h->part[i].at) / size)
			return false;
	}
	if (h->part[PART_HAS].count != count || h->part[PART_PLACES].count != count ||
	    !are_places_sound(h, count))
		return false;
	for (int i = 0; i < JS_FORMS; i++)
		if (h->part[PART_CODES_AT + i].count != count + 1 || !are_codes_sound(h, count, i))
			return false;
	return true;
}

static int check(const struct kept_map *m, const struct db_cache *cache, size_t count,
		 struct err *err)
{
	const struct cache_header *h = (const struct cache_header *)m->bytes;
	bool known = cache->known && stamp_is_same(cache->known, &m->stamp);

	if (memcmp(h->magic, CACHE_MAGIC, sizeof(h->magic)) != 0)
		return err_set(err, ERR_INPUT, "it is no database");
	if (memcmp(h->key, cache->key, DB_KEY) != 0)
		return err_set(err, ERR_INPUT, "it is of other rules or another version");
	if (h->len != m->len ||
	    (!known && !kept_holds(cache->mac_key, KEPT_DATABASE, m->bytes + CACHE_SEALED,
				   m->len - CACHE_SEALED, &h->code)))
		return err_set(err, ERR_INPUT, "it is damaged");
	return is_sound(h, m->len, count) ? 0 : err_set(err, ERR_INPUT, "it is not sound");
}

static struct db_codes *take_codes(const struct cache_header *h)
{
	struct db_codes *c = calloc(1, sizeof(*c));

	if (!c || pthread_mutex_init(&c->lock, NULL) != 0) {
		free(c);
		return NULL;
	}
	c->head = part_of(h, PART_HEAD);
	c->head_len = h->part[PART_HEAD].count;
	for (int i = 0; i < JS_FORMS; i++) {
		c->at[i] = part_of(h, PART_CODES_AT + i);
		c->bytes[i] = part_of(h, PART_CODES + i);
	}
	return c;
}

/* Nobody writes to what is taken: the database never changes. */
static int take_parts(struct db *db, const struct cache_header *h, struct err *err)
{
	db->has = part_of(h, PART_HAS);
	db->refusal = (struct db_refusal *)part_of(h, PART_REFUSALS);
	db->refusals = h->part[PART_REFUSALS].count;
	db->place = (struct db_place *)part_of(h, PART_PLACES);
	db->sources = (char *)part_of(h, PART_SOURCES);
	db->sources_len = h->part[PART_SOURCES].count;
	for (int i = 0; i < JS_FORMS * TABLE_SECTIONS; i++)
		db->table[i / TABLE_SECTIONS].array[i % TABLE_SECTIONS] = (struct table_array){
			(void *)part_of(h, PART_TABLES + i), h->part[PART_TABLES + i].count};
	db->codes = take_codes(h);
	return db->codes ? 0 : err_memory(err);
}

static struct match_code *make_code(const struct db *db, size_t number)
{
	const struct db_codes *c = db->codes;
	struct match_bytes bytes = {.head = c->head, .head_len = c->head_len};
	struct err ignored;

	for (int i = 0; i < JS_FORMS; i++) {
		bytes.own[i] = c->bytes[i] + c->at[i][number];
		bytes.len[i] = c->at[i][number + 1] - c->at[i][number];
	}
	return match_lazy(&bytes, db_is_unicode(db, number), &ignored);
}

const struct match_code *db_make_code(const struct db *db, size_t number)
{
	struct db_codes *c = db->codes;

	if (!db_has(db, number))
		return NULL;
	pthread_mutex_lock(&c->lock);
	struct match_code *code = atomic_load_explicit(&db->code[number], memory_order_relaxed);
	if (!code && (code = make_code(db, number))) {
		atomic_fetch_add_explicit(&c->made, 1, memory_order_relaxed);
		atomic_store_explicit(&db->code[number], code, memory_order_release);
	}
	pthread_mutex_unlock(&c->lock);
	return code;
}

size_t db_decoded(const struct db *db)
{
	return db->codes ? atomic_load_explicit(&db->codes->made, memory_order_relaxed) : 0;
}

static int cache_read(struct db_cache *cache, size_t count, struct db **ret, struct err *err)
{
	struct kept_map map = {0};
	struct db *db = NULL;

	if (kept_map(cache->path, sizeof(struct cache_header), CACHE_FILE_MAX, &map, err) < 0)
		return -1;
	cache->stamp = map.stamp;
	if (check(&map, cache, count, err) < 0) {
		err_context(err, "%s", cache->path);
		kept_unmap(&map);
		return -1;
	}
	db = db_new(count, err);
	if (!db) {
		kept_unmap(&map);
		return -1;
	}
	db->image = map;
	if (take_parts(db, (const struct cache_header *)map.bytes, err) < 0) {
		db_free(db);
		return -1;
	}
	*ret = db;
	return 0;
}

int db_read(struct db_cache *cache, size_t count, db_refused_fn *refused, void *context,
	    struct db **ret, struct err *err)
{
	cache->file = DB_FILE_NONE;
	if (cache_read(cache, count, ret, err) < 0)
		return -1;
	cache->file = DB_FILE_READ;
	db_tell_refused(*ret, refused, context);
	return 0;
}

int db_open(struct db_cache *cache, const struct db_pattern *pattern, size_t count,
	    db_refused_fn *refused, void *context, struct db **ret, struct err *err)
{
	memset(&cache->why, 0, sizeof(cache->why));
	if (db_read(cache, count, refused, context, ret, &cache->why) == 0)
		return 0;
	if (db_build(pattern, count, refused, context, ret, err) < 0)
		return -1;
	if (cache_write(cache, *ret, &cache->why) == 0)
		cache->file = DB_FILE_WRITTEN;
	return 0;
}
