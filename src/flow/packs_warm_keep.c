/* SPDX-License-Identifier: MIT
 *
 * Writes the file of packs_warm.c: of a set that was read from the rules themselves, and about which
 * there was nothing to say. Its parts are gathered in memory one after another.
 */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "flow/packs_warm.h"

/* Bytes of a file while it is made. */
struct image {
	uint8_t *bytes;
	size_t len, room;
	bool failed;
};

/* Room for SIZE more bytes. */
static uint8_t *extend(struct image *m, size_t size)
{
	if (size > WARM_FILE_MAX - m->len)
		m->failed = true;
	if (!m->failed && m->len + size > m->room) {
		size_t room = (m->len + size) * 2;
		uint8_t *grown = realloc(m->bytes, room);
		m->failed = !grown;
		m->bytes = grown ? grown : m->bytes;
		m->room = grown ? room : m->room;
	}
	if (m->failed)
		return NULL;
	m->len += size;
	return m->bytes + m->len - size;
}

static void begin_part(struct image *m, enum warm_part part)
{
	size_t gap = (WARM_ALIGN - m->len % WARM_ALIGN) % WARM_ALIGN;
	uint8_t *to = extend(m, gap);

	if (to)
		memset(to, 0, gap);
	if (!m->failed)
		((struct warm_header *)(void *)m->bytes)->part[part].at = m->len;
}

/* Items at the end of the part that was begun last. */
static void add_items(struct image *m, enum warm_part part, const void *data, size_t count)
{
	size_t size = count * warm_item_size[part];
	uint8_t *to = extend(m, size);

	if (to && size)
		memcpy(to, data, size);
	if (!m->failed)
		((struct warm_header *)(void *)m->bytes)->part[part].count += count;
}

static void add_part(struct image *m, enum warm_part part, const void *data, size_t count)
{
	begin_part(m, part);
	add_items(m, part, data, count);
}

static int add_meta(struct image *m, const struct packs *set, const struct stamps *stamps,
		    const struct db_cache *database, struct err *err)
{
	struct warm_meta meta = {
		.database = database->stamp,
		.patterns = set->patterns.count,
		.bytes = set->pack.bytes,
		.nodes = set->pack.nodes,
		.files = set->pack.files,
		.warnings = set->pack.warnings,
		.stamp_names = stamps->names_len,
		.sources = set->sourcec,
	};

	stamp_boot(meta.boot);
	if (!meta.boot[0])
		return err_set(err, ERR_SYSTEM, "nobody knows when the machine was started");
	memcpy(meta.database_key, database->key, DB_KEY);
	if (packs_key(set, meta.rules_key, err) < 0)
		return -1;
	for (size_t i = 0; i < set->sourcec; i++)
		meta.rules[i] = set->source[i].rules;
	add_part(m, WARM_META, &meta, 1);
	return 0;
}

/* Names, then rows, then the trees at the end of the file. */
static int add_rules(struct image *m, const struct packs *set, const struct stamps *stamps,
		     struct image *trees, struct err *err)
{
	const struct pack *pack = &set->pack;
	AUTO_FREE struct lazy_row *row = calloc(pack->rulec + 1, sizeof(*row));
	size_t names = stamps->names_len;

	if (!row)
		return err_memory(err);
	add_part(m, WARM_NAMES, stamps->names, names);
	for (size_t i = 0; i < pack->rulec; i++) {
		const struct rule *rule = &pack->rule[i];
		AUTO_FREE uint8_t *tree = NULL;
		size_t len = 0, name = strlen(rule->file) + 1;

		if (lazy_encode(rule, &tree, &len, err) < 0)
			return -1;
		row[i] = (struct lazy_row){.at = trees->len,
					   .len = len,
					   .file = (uint32_t)names,
					   .conditions = (uint32_t)rule->conditionc};
		if (kept_seal(set->cache_key, KEPT_TREE, tree, len, &row[i].code, err) < 0)
			return -1;
		uint8_t *to = extend(trees, len);
		if (to)
			memcpy(to, tree, len);
		add_items(m, WARM_NAMES, rule->file, name);
		names += name;
	}
	add_part(m, WARM_ROWS, row, pack->rulec);
	return 0;
}

static int add_engine(struct image *m, const struct packs *set, struct err *err)
{
	AUTO_FREE uint8_t *bytes = NULL;
	size_t len = 0;

	if (engine_save(set->engine, &bytes, &len, err) < 0)
		return -1;
	add_part(m, WARM_SET, bytes, len);
	return 0;
}

static int make_image(struct image *m, struct image *trees, const struct packs *set,
		      const struct stamps *stamps, const struct db_cache *database, struct err *err)
{
	uint8_t *head = extend(m, sizeof(struct warm_header));

	if (head)
		memset(head, 0, sizeof(struct warm_header));
	if (add_meta(m, set, stamps, database, err) < 0)
		return -1;
	add_part(m, WARM_DIRS, stamps->dir, stamps->dirs);
	add_part(m, WARM_FILES, stamps->file, stamps->files);
	if (add_rules(m, set, stamps, trees, err) < 0 || add_engine(m, set, err) < 0)
		return -1;
	add_part(m, WARM_TREES, trees->bytes, trees->len);
	if (m->failed || trees->failed)
		return err_set(err, ERR_LIMIT, "no memory, or over %zu bytes", WARM_FILE_MAX);
	return 0;
}

static int write_image(struct image *m, const struct packs *set, const char *path,
		       const uint8_t key[WARM_KEY], struct err *err)
{
	struct warm_header *h = (struct warm_header *)(void *)m->bytes;

	memcpy(h->magic, WARM_MAGIC, sizeof(h->magic));
	memcpy(h->key, key, WARM_KEY);
	h->len = m->len;
	if (kept_seal(set->cache_key, KEPT_WARM, m->bytes + WARM_SEALED,
		      h->part[WARM_TREES].at - WARM_SEALED, &h->code, err) < 0)
		return -1;
	return kept_write(path, m->bytes, m->len, err);
}

int packs_warm_keep(struct packs *set, const struct engine_options *engine,
		    const struct stamps *stamps, int64_t now, struct err *why)
{
	struct db_cache database = {.stamp = set->database};
	struct image m = {0}, trees = {0};
	uint8_t key[WARM_KEY];

	if (set->pack.errors || set->pack.skipped || set->file != DB_FILE_READ ||
	    !stamp_is_settled(&set->database, now) || !packs_warm_key(set, engine, key))
		return err_set(why, ERR_INPUT, "something is not settled");
	memcpy(database.key, set->database_key, DB_KEY);
	int result = make_image(&m, &trees, set, stamps, &database, why);
	if (result == 0)
		result = write_image(&m, set, packs_file(set, key, PACKS_WARM), key, why);
	if (result == 0)
		packs_prune(set->cache, PACKS_WARM);
	free(m.bytes);
	free(trees.bytes);
	return result;
}
