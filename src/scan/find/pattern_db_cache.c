/* SPDX-License-Identifier: MIT
 *
 * A database as a file: a header, then for each pattern which forms exist, then refusals, sources,
 * the tables' arrays, and PCRE2's bytes. All parts are used where they are mapped. An expression
 * is made when it is first asked, so unused ones cost nothing.
 * PCRE2 trusts the bytes that it gets. So no part of a file is used before its owner, permissions,
 * key and MAC (base/cache_file.h) are checked; a file that fails is made again. The MAC is not computed
 * again while the file's stamp equals the one in db_cache, which was taken when the MAC was
 * correct. No failure of the cache may make a scan fail.
 */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base/scope.h"
#include "scan/find/pattern_db_private.h"

#include "build_id.h"

#define CACHE_FILE_MAX ((size_t)1 << 30)
#define CACHE_MAGIC "cordndb"

enum {
	CACHE_ALIGN = 64,
	PART_HAS = 0,
	PART_REFUSALS,
	PART_PLACES,
	PART_SOURCES,
	PART_HEAD,			       /* the head common to all compiled expressions */
	PART_CODES_AT,			       /* for each form: where they begin, and one more */
	PART_CODES = PART_CODES_AT + JS_FORMS, /* one for each form */
	PART_TABLES = PART_CODES + JS_FORMS,   /* TABLE_SECTIONS for each form */
	PARTS = PART_TABLES + JS_FORMS * TABLE_SECTIONS,
};

struct cache_header {
	char magic[8];
	struct cache_file_mac mac; /* of everything after it */
	uint8_t key[DB_KEY];
	uint64_t len; /* of the file */
	struct {
		uint64_t at, count; /* items */
	} part[PARTS];
};

#define CACHE_SEALED offsetof(struct cache_header, key) /* where that begins */

static size_t item_size(int part)
{
	if (part == PART_REFUSALS)
		return sizeof(struct db_refusal);
	if (part == PART_PLACES)
		return sizeof(struct db_place);
	if (part >= PART_CODES_AT && part < PART_CODES)
		return sizeof(uint32_t);
	return part < PART_TABLES ? 1 : table_item_size[(part - PART_TABLES) % TABLE_SECTIONS];
}

/* The sizes of the written structs stand for their layout. */
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

/* A pattern has bytes for a form exactly if it has that form. */
static bool are_codes_sound(const struct cache_header *h, size_t count, int form)
{
	const uint32_t *at = part_of(h, PART_CODES_AT + form);
	const uint8_t *has = part_of(h, PART_HAS);

	for (size_t i = 0; i < count; i++)
		if (at[i] > at[i + 1] || (at[i] < at[i + 1]) != (has[i] >> form & 1))
			return false;
	return !at[0] && at[count] == h->part[PART_CODES + form].count;
}

/* The MAC shows that Cordon wrote the file; this checks that the content is consistent. */
static bool is_sound(const struct cache_header *h, size_t len, size_t count)
{
	for (int i = 0; i < PARTS; i++) {
		size_t size = item_size(i);
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

static int check(const struct cache_file_map *m, const struct db_cache *cache, size_t count,
		 struct err *err)
{
	const struct cache_header *h = (const struct cache_header *)m->bytes;
	bool known = cache->known && stamp_is_same(cache->known, &m->stamp);

	if (memcmp(h->magic, CACHE_MAGIC, sizeof(h->magic)) != 0)
		return err_set(err, ERR_INPUT, "it is not a pattern database");
	if (memcmp(h->key, cache->key, DB_KEY) != 0)
		return err_set(err, ERR_INPUT, "it was made for other rules or by another version");
	if (h->len != m->len ||
	    (!known && !cache_file_verify(cache->mac_key, CACHE_FILE_DATABASE,
					  m->bytes + CACHE_SEALED, m->len - CACHE_SEALED, &h->mac)))
		return err_set(err, ERR_INPUT, "it is damaged");
	return is_sound(h, m->len, count)
		       ? 0
		       : err_set(err, ERR_INPUT, "its contents are inconsistent");
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

/* The database is constant, so casting const away is safe. */
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
	struct cache_file_map map = {0};
	struct db *db = NULL;

	if (cache_file_map(cache->path, sizeof(struct cache_header), CACHE_FILE_MAX, &map, err) < 0)
		return -1;
	cache->stamp = map.stamp;
	if (check(&map, cache, count, err) < 0) {
		err_context(err, "%s", cache->path);
		cache_file_unmap(&map);
		return -1;
	}
	db = db_new(count, err);
	if (!db) {
		cache_file_unmap(&map);
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
	db_report_refused(*ret, refused, context);
	return 0;
}

/* The bytes of a file being made. */
struct image {
	uint8_t *bytes;
	size_t len, room;
	bool failed;
};

static void add_part(struct image *m, int part, const void *data, size_t count)
{
	size_t size = count * item_size(part),
	       at = (m->len + CACHE_ALIGN - 1) / CACHE_ALIGN * CACHE_ALIGN;
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
	((struct cache_header *)m->bytes)->part[part].at = at;
	((struct cache_header *)m->bytes)->part[part].count = count;
}

/* The compiled expressions of one form while they are gathered. */
struct gathered {
	uint8_t *bytes, *head;
	uint32_t *at;
	size_t len, room, head_len;
};

static void gathered_done(struct gathered *g)
{
	free(g->bytes);
	free(g->head);
	free(g->at);
}

/* Adds ONE; its first HEAD_LEN bytes are the common head. */
static int gather(struct gathered *g, const uint8_t *one, size_t len, size_t head_len,
		  struct err *err)
{
	size_t own = len - head_len;

	if (!g->head) {
		g->head = malloc(head_len + 1);
		g->head_len = head_len;
		if (g->head)
			memcpy(g->head, one, head_len);
	}
	if (!g->bytes || g->room - g->len < own) {
		size_t room = (g->len + own + 1) * 2;
		uint8_t *grown = room <= UINT32_MAX ? realloc(g->bytes, room) : NULL;
		if (!grown)
			return err_memory(err);
		g->bytes = grown;
		g->room = room;
	}
	if (!g->head || head_len != g->head_len || memcmp(g->head, one, head_len) != 0)
		return err_set(err, ERR_SYSTEM,
			       "PCRE2 serializes expressions in an unknown format");
	memcpy(g->bytes + g->len, one + head_len, own);
	g->len += own;
	return 0;
}

static int gather_form(struct gathered *g, const struct db *db, int form, struct err *err)
{
	free(g->at);
	g->len = 0;
	g->at = calloc(db->count + 1, sizeof(*g->at));
	if (!g->at)
		return err_memory(err);
	for (size_t i = 0; i < db->count; i++) {
		const struct match_code *code = db_code(db, i);
		AUTO_FREE uint8_t *one = NULL;
		size_t len = 0, head_len = 0;

		if (match_has(code, form) &&
		    (match_save(code, form, &one, &len, &head_len, err) < 0 ||
		     gather(g, one, len, head_len, err) < 0))
			return -1;
		g->at[i + 1] = (uint32_t)g->len;
	}
	return 0;
}

static int add_codes(struct image *m, const struct db *db, struct err *err)
{
	struct gathered g = {0};
	int status = 0;

	for (int form = 0; status == 0 && form < JS_FORMS; form++) {
		status = gather_form(&g, db, form, err);
		if (status == 0) {
			add_part(m, PART_CODES_AT + form, g.at, db->count + 1);
			add_part(m, PART_CODES + form, g.bytes, g.len);
		}
	}
	if (status == 0) {
		add_part(m, PART_HEAD, g.head, g.head_len);
		add_part(m, PART_HAS, db->has, db->count);
	}
	gathered_done(&g);
	return status;
}

static int make_image(struct image *m, const struct db_cache *cache, const struct db *db,
		      struct err *err)
{
	size_t head = sizeof(struct cache_header);

	m->bytes = calloc(1, head);
	if (!m->bytes)
		return err_memory(err);
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
	struct cache_header *h = (struct cache_header *)m->bytes;
	memcpy(h->magic, CACHE_MAGIC, sizeof(h->magic));
	memcpy(h->key, cache->key, DB_KEY);
	h->len = m->len;
	return cache_file_seal(cache->mac_key, CACHE_FILE_DATABASE, m->bytes + CACHE_SEALED,
			       m->len - CACHE_SEALED, &h->mac, err);
}

static int cache_write(const struct db_cache *cache, const struct db *db, struct err *err)
{
	struct image m = {0};
	int status = make_image(&m, cache, db, err);

	if (status == 0)
		status = cache_file_write(cache->path, m.bytes, m.len, err);
	free(m.bytes);
	return status;
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
