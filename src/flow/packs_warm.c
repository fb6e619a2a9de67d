/* SPDX-License-Identifier: MIT
 *
 * Rules that are as they were the last time are not read at all. One file says how their
 * directories and files looked (rule/stamps.h), how the database's file did, and what was made of
 * them: bytes of rules, and the engine's arrays. It is used where it is mapped. Everything that a
 * start needs is under one code (base/kept.h); each rule's bytes have their own, checked when the
 * rule is first needed. Nothing is kept of rules about which something had to be said, nor of files
 * that were changed just now, nor beyond a start of the machine: then all are read again, as without
 * this file. It must never make a verdict another one.
 */
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/kept.h"
#include "base/scope.h"
#include "flow/packs_warm.h"
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

bool packs_warm_key(const struct packs *set, const struct engine_options *engine,
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
	const struct kept_map *map = &set->warm;
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
	    !kept_holds(set->cache_key, KEPT_WARM, map->bytes + WARM_SEALED,
			h->part[WARM_TREES].at - WARM_SEALED, &h->code))
		return err_set(err, ERR_INPUT, "it is damaged");
	return 0;
}

/* Has nothing changed? Of the machine, and of the rules. */
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

	memcpy(rows.mac_key, set->cache_key, KEPT_KEY);
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
	memcpy(cache.mac_key, set->cache_key, KEPT_KEY);
	cache.path = packs_file(set, cache.key, PACKS_DATABASE);
	if (db_read(&cache, meta->patterns, packs_on_refused, set, &set->db, err) < 0)
		return -1;
	/* It is whole, but would be read again each time: once more from the beginning. */
	if (!stamp_is_same(&cache.stamp, &meta->database))
		return err_set(err, ERR_INPUT, "the database was touched");
	set->file = cache.file;
	return 0;
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
	return packs_engine(set, engine, &set->engine, &set->thread, err);
}

/* As it was before: only the sources are known. */
static void take_back(struct packs *set)
{
	engine_thread_free(set->thread);
	engine_free(set->engine);
	db_free(set->db);
	pack_done(&set->pack);
	kept_unmap(&set->warm);
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

	if (!*set->cache || !packs_warm_key(set, engine, key))
		return err_set(why, ERR_INPUT, "there is no cache");
	set->warm_path = packs_file(set, key, PACKS_WARM);
	if (kept_map(set->warm_path, sizeof(struct warm_header), WARM_FILE_MAX, &set->warm, why) <
	    0)
		return -1;
	if (check(set, key, why) == 0 && take(set, options, engine, why) == 0)
		return 0;
	take_back(set);
	return -1;
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
