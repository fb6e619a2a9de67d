/* SPDX-License-Identifier: MIT
 *
 * If no rule has changed since the last start, no rule's file is read. One cache file has the stamps
 * of the rules' directories and files (rule/stamps.h) and of the database's file, the encoded rules,
 * and the engine's arrays. It is mapped and used in place. One MAC (base/cache_file.h) covers all that
 * a start needs; each rule has its own, which is checked when the rule is first used. The file is not
 * made if a rule had a warning or was changed just now, and is not used after a reboot; then all
 * rules are read. It must never change a verdict.
 */
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cache_file.h"
#include "base/scope.h"
#include "detect/packs_warm.h"
#include "yaml/yaml.h"

const size_t warm_item_size[WARM_PARTS] = {
	[WARM_META] = sizeof(struct warm_meta),
	[WARM_DIRS] = sizeof(struct stamps_dir),
	[WARM_FILES] = sizeof(struct stamps_file),
	[WARM_NAMES] = 1,
	[WARM_ROWS] = sizeof(struct lazy_row),
	[WARM_SET] = 1,
	[WARM_TREES] = 1,
};

static void hash_text(crypto_generichash_state *state, const char *text)
{
	crypto_generichash_update(state, (const uint8_t *)text, strlen(text) + 1);
}

/* The hash of this build and its libraries, the places of the rules, and the options of the engine.
 * False: a source does not exist. */
static bool warm_key(const struct packs *set, const struct engine_options *engine,
		     uint8_t ret[WARM_KEY])
{
	uint64_t about[] = {engine->mode, engine->lane, engine->inactive, set->sourcec};
	crypto_generichash_state state;
	char maker[DB_MAKER];

	db_maker(maker);
	crypto_generichash_init(&state, NULL, 0, WARM_KEY);
	hash_text(&state, maker);
	hash_text(&state, yaml_library());
	crypto_generichash_update(&state, (const uint8_t *)about, sizeof(about));
	for (size_t i = 0; i < set->sourcec; i++) {
		AUTO_FREE char *real = realpath(set->source[i].path, NULL);
		if (!real)
			return false;
		hash_text(&state, set->source[i].kind);
		hash_text(&state, set->source[i].path);
		hash_text(&state, real);
	}
	crypto_generichash_final(&state, ret, WARM_KEY);
	return true;
}

static const void *part_of(const struct warm_header *h, int part)
{
	return (const uint8_t *)h + h->part[part].at;
}

static int check(const struct packs *set, const uint8_t key[WARM_KEY], struct err *err)
{
	const struct cache_file_map *map = &set->warm;
	const struct warm_header *h = (const struct warm_header *)map->bytes;

	if (memcmp(h->magic, WARM_MAGIC, sizeof(h->magic)) != 0 ||
	    memcmp(h->key, key, WARM_KEY) != 0)
		return err_set(err, ERR_INPUT, "it is not about these rules");
	for (int i = 0; i < WARM_PARTS; i++)
		if (h->part[i].at % WARM_ALIGN || h->part[i].at < sizeof(*h) ||
		    h->part[i].at > map->len ||
		    h->part[i].count > (map->len - h->part[i].at) / warm_item_size[i])
			return err_set(err, ERR_INPUT, "it is damaged");
	if (h->len != map->len || h->part[WARM_META].count != 1 ||
	    !cache_file_verify(set->cache_key, CACHE_FILE_WARM, map->bytes + WARM_SEALED,
			       h->part[WARM_TREES].at - WARM_SEALED, &h->mac))
		return err_set(err, ERR_INPUT, "it is damaged");
	return 0;
}

/* Is it the same boot, and are the rules unchanged? */
static int check_world(const struct warm_header *h, const struct warm_meta *meta, struct err *err)
{
	struct stamps stamps = {
		.dirs = h->part[WARM_DIRS].count,
		.files = h->part[WARM_FILES].count,
		.names_len = meta->stamp_names,
		.dir = (struct stamps_dir *)part_of(h, WARM_DIRS),
		.file = (struct stamps_file *)part_of(h, WARM_FILES),
		.names = (char *)part_of(h, WARM_NAMES),
	};
	char boot[STAMP_BOOT];

	stamp_boot(boot);
	if (!boot[0] || memcmp(boot, meta->boot, STAMP_BOOT) != 0)
		return err_set(err, ERR_INPUT, "the machine was started since");
	if (stamps.names_len > h->part[WARM_NAMES].count || !stamps_are_sound(&stamps))
		return err_set(err, ERR_INPUT, "its stamps are not sound");
	if (!stamps_are_current(&stamps))
		return err_set(err, ERR_INPUT, "rules have changed");
	return 0;
}

static int take_pack(struct packs *set, const struct warm_header *h, const struct warm_meta *meta,
		     struct err *err)
{
	struct lazy_rows rows = {
		.row = part_of(h, WARM_ROWS),
		.count = h->part[WARM_ROWS].count,
		.trees = part_of(h, WARM_TREES),
		.trees_len = h->part[WARM_TREES].count,
		.names = part_of(h, WARM_NAMES),
		.names_len = h->part[WARM_NAMES].count,
	};

	memcpy(rows.mac_key, set->cache_key, CACHE_FILE_KEY);
	if (meta->sources != set->sourcec || lazy_open(&set->pack, &rows, err) < 0)
		return -1;
	set->pack.bytes = meta->bytes;
	set->pack.nodes = meta->nodes;
	set->pack.files = meta->files;
	set->pack.warnings = meta->warnings;
	for (size_t i = 0; i < set->sourcec; i++)
		set->source[i].rules = meta->rules[i];
	return 0;
}

static int take_database(struct packs *set, const struct warm_meta *meta, struct err *err)
{
	struct db_cache cache = {.known = &meta->database};

	memcpy(cache.key, meta->database_key, DB_KEY);
	memcpy(cache.mac_key, set->cache_key, CACHE_FILE_KEY);
	cache.path = packs_file(set, cache.key, PACKS_DATABASE);
	if (db_read(&cache, meta->patterns, packs_on_refused, set, &set->db, err) < 0)
		return -1;
	/* The database is valid, but its file has another stamp: make this file again. */
	if (!stamp_is_same(&cache.stamp, &meta->database))
		return err_set(err, ERR_INPUT, "the database was touched");
	set->file = cache.file;
	return 0;
}

int packs_warm_engine(const struct packs *set, const struct engine_options *options,
		      struct engine **ret, struct err *err)
{
	const struct warm_header *h = (const struct warm_header *)set->warm.bytes;
	const struct engine_options *was = &set->warm_options;

	if (options->mode != was->mode || options->lane != was->lane ||
	    options->inactive != was->inactive)
		return err_set(err, ERR_INPUT, "these rules were opened for another engine");
	return engine_load(part_of(h, WARM_SET), h->part[WARM_SET].count, &set->pack, set->db,
			   options, ret, err);
}

static int take(struct packs *set, const struct packs_options *options,
		const struct engine_options *engine, struct err *err)
{
	const struct warm_header *h = (const struct warm_header *)set->warm.bytes;
	const struct warm_meta *meta = part_of(h, WARM_META);

	if (options->pack.warnings && meta->warnings)
		return err_set(err, ERR_INPUT, "there is something to tell");
	if (check_world(h, meta, err) < 0 || take_pack(set, h, meta, err) < 0 ||
	    take_database(set, meta, err) < 0)
		return -1;
	set->warm_options = *engine;
	if (packs_warm_engine(set, engine, &set->engine, err) < 0)
		return -1;
	set->thread = engine_thread_new(set->engine, err);
	return set->thread ? 0 : -1;
}

/* Undoes packs_warm_open: only the sources are known. */
static void take_back(struct packs *set)
{
	engine_thread_free(set->thread);
	engine_free(set->engine);
	db_free(set->db);
	pack_done(&set->pack);
	cache_file_unmap(&set->warm);
	set->thread = NULL;
	set->engine = NULL;
	set->db = NULL;
	set->file = DB_FILE_NONE;
	set->refused = 0;
}

int packs_warm_open(struct packs *set, const struct packs_options *options,
		    const struct engine_options *engine, struct err *why)
{
	uint8_t key[WARM_KEY];

	if (!*set->cache || !warm_key(set, engine, key))
		return err_set(why, ERR_INPUT, "there is no cache");
	set->warm_path = packs_file(set, key, PACKS_WARM);
	if (cache_file_map(set->warm_path, sizeof(struct warm_header), WARM_FILE_MAX, &set->warm,
			   why) < 0)
		return -1;
	if (check(set, key, why) == 0 && take(set, options, engine, why) == 0)
		return 0;
	take_back(set);
	return -1;
}

void packs_warm_rules(const struct packs *set, uint8_t ret[PACKS_KEY])
{
	const struct warm_header *h = (const struct warm_header *)set->warm.bytes;
	const struct warm_meta *meta = part_of(h, WARM_META);

	memcpy(ret, meta->rules_key, PACKS_KEY);
}

void packs_warm_done(const struct packs *set)
{
	if (set->warm.bytes && lazy_is_damaged(&set->pack))
		unlink(set->warm_path);
}

int packs_stamp(const struct packs *set, int64_t now, struct stamps *ret, struct err *why)
{
	if (!*set->cache)
		return err_set(why, ERR_INPUT, "there is no cache");
	for (size_t i = 0; i < set->sourcec; i++)
		if (stamps_take(set->source[i].path, now, ret, why) < 0)
			return -1;
	return 0;
}

/* The content of a file while it is made, part by part. */
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

/* Adds items to the last part. */
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
		return err_set(err, ERR_SYSTEM, "the id of this boot cannot be read");
	memcpy(meta.database_key, database->key, DB_KEY);
	if (packs_hash(set, meta.rules_key, err) < 0)
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
		if (cache_file_seal(set->cache_key, CACHE_FILE_TREE, tree, len, &row[i].mac, err) <
		    0)
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
	if (cache_file_seal(set->cache_key, CACHE_FILE_WARM, m->bytes + WARM_SEALED,
			    h->part[WARM_TREES].at - WARM_SEALED, &h->mac, err) < 0)
		return -1;
	return cache_file_write(path, m->bytes, m->len, err);
}

int packs_warm_keep(struct packs *set, const struct engine_options *engine,
		    const struct stamps *stamps, int64_t now, struct err *why)
{
	struct db_cache database = {.stamp = set->database};
	struct image m = {0}, trees = {0};
	uint8_t key[WARM_KEY];

	if (set->pack.errors || set->pack.skipped || set->file != DB_FILE_READ ||
	    !stamp_is_settled(&set->database, now) || !warm_key(set, engine, key))
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
