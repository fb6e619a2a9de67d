/* SPDX-License-Identifier: MIT
 *
 * Writes a database's file: its parts are gathered in memory one after another.
 */
#include "scan/cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/scope.h"

/* Bytes of a file while it is made. */
struct image {
	uint8_t *bytes;
	size_t len, room;
	bool failed;
};

static void add_part(struct image *m, int part, const void *data, size_t count)
{
	size_t size = count * cache_item_size(part),
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

/* The compiled expressions of one form, while they are gathered. */
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

/* ONE, of which HEAD_LEN bytes are the head that all share. */
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
		return err_set(err, ERR_SYSTEM, "PCRE2 writes expressions in another way");
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
	return kept_seal(cache->mac_key, KEPT_DATABASE, m->bytes + CACHE_SEALED,
			 m->len - CACHE_SEALED, &h->code, err);
}

int cache_write(const struct db_cache *cache, const struct db *db, struct err *err)
{
	struct image m = {0};
	int status = make_image(&m, cache, db, err);

	if (status == 0)
		status = kept_write(cache->path, m.bytes, m.len, err);
	free(m.bytes);
	return status;
}
