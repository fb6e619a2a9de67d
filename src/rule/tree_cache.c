/* SPDX-License-Identifier: MIT
 *
 * The file is a header, the trees and the documents, with one MAC (base/cache_file.h), so trees are
 * never used for other documents. The documents are compared file by file while the pack is read.
 */
#include "rule/tree_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "rule/trees.h"
#include "yaml/yaml.h"

#include "build_id.h"

enum { MAKER_MAX = 80 };

struct header {
	struct cache_file_mac mac; /* of all that follows */
	char maker[MAKER_MAX];	   /* the versions of the code that made the trees */
	uint64_t len;		   /* of the file */
	uint64_t trees;		   /* their bytes */
	uint64_t count;
};

static void name_maker(char ret[MAKER_MAX])
{
	memset(ret, 0, MAKER_MAX);
	snprintf(ret, MAKER_MAX, "cordon %.32s, libyaml %.20s\n", CORDON_BUILD_ID, yaml_library());
}

#define SEALED offsetof(struct header, maker) /* where the authenticated part begins */

/* A file that is being read. */
struct reading {
	struct cache_file_map map;
	size_t at; /* of the next document */
	struct header h;
	struct arena *arena;
	const char **path; /* of the documents so far */
	size_t *bytes;
	size_t count;
	struct err *why;
};

/* Compares the pack's next file with the next document. */
static int compare(void *context, const char *path, const char *data, size_t len)
{
	struct reading *r = context;
	uint64_t bytes = 0;
	size_t need = sizeof(bytes) + len;

	if (!data)
		return -1;
	if (r->count == r->h.count || need > r->map.len - r->at)
		return err_set(r->why, ERR_INPUT, "the pack has more files");
	const uint8_t *document = r->map.bytes + r->at;
	memcpy(&bytes, document, sizeof(bytes));
	if (bytes != len || memcmp(document + sizeof(bytes), data, len) != 0)
		return err_set(r->why, ERR_INPUT, "%.256s has changed", path);
	r->path[r->count] = arena_dup(r->arena, path);
	r->bytes[r->count++] = len;
	r->at += need;
	return 0;
}

/* Reads the header. Returns a copy of the trees' bytes; the decoded trees will point into it. */
static uint8_t *read_trees(struct reading *r, const uint8_t key[CACHE_FILE_KEY])
{
	char maker[MAKER_MAX];
	struct header *h = &r->h;

	name_maker(maker);
	memcpy(h, r->map.bytes, sizeof(*h));
	if (memcmp(h->maker, maker, MAKER_MAX) != 0 || h->len != r->map.len ||
	    h->trees > r->map.len - sizeof(*h) || h->count > PACK_RULES_MAX ||
	    !cache_file_verify(key, CACHE_FILE_RULES, r->map.bytes + SEALED, r->map.len - SEALED,
			       &h->mac)) {
		err_set(r->why, ERR_INPUT, "made by another version or account, or damaged");
		return NULL;
	}
	uint8_t *trees = arena_alloc(r->arena, h->trees);
	if (r->arena->failed) {
		err_memory(r->why);
		return NULL;
	}
	memcpy(trees, r->map.bytes + sizeof(*h), h->trees);
	r->at = sizeof(*h) + h->trees;
	return trees;
}

/* Decodes the trees if the pack has not changed. */
static int read_cache(struct reading *r, const char *path, const uint8_t key[CACHE_FILE_KEY],
		      const struct node **root)
{
	const uint8_t *trees = read_trees(r, key);

	if (!trees || pack_files_read(path, compare, r, r->why) < 0)
		return -1;
	if (r->count != r->h.count || r->at != r->map.len)
		return err_set(r->why, ERR_INPUT, "the pack has fewer files");
	return trees_decode(trees, r->h.trees, r->count, r->arena, root, r->why);
}

static int add_all(struct pack *pack, const struct reading *r, const struct node *const *root,
		   const struct pack_options *options, struct err *err)
{
	for (size_t i = 0; i < r->count; i++)
		if (pack_add_tree(pack, r->path[i], r->bytes[i], root[i], options, err) < 0)
			return -1;
	return 0;
}

int tree_cache_load(struct pack *pack, const char *path, const char *file,
		    const uint8_t key[CACHE_FILE_KEY], const struct pack_options *options,
		    struct err *ret_why, struct err *err)
{
	AUTO_FREE const char **paths = calloc(PACK_RULES_MAX, sizeof(*paths));
	AUTO_FREE size_t *bytes = calloc(PACK_RULES_MAX, sizeof(*bytes));
	AUTO_FREE const struct node **root = calloc(PACK_RULES_MAX, sizeof(const struct node *));
	struct arena arena = {0};
	struct reading r = {.path = paths, .bytes = bytes, .arena = &arena, .why = ret_why};

	if (cache_file_map(file, sizeof(struct header), TREE_CACHE_MAX, &r.map, ret_why) < 0)
		return 1;
	bool is_read = paths && bytes && root && read_cache(&r, path, key, root) == 0;
	cache_file_unmap(&r.map);
	if (!is_read) {
		arena_done(&arena);
		return 1;
	}
	arena_adopt(&pack->arena, &arena);
	return add_all(pack, &r, root, options, err);
}

int tree_cache_write(const struct pack *pack, size_t first, const struct pack_record *record,
		     const char *file, const uint8_t key[CACHE_FILE_KEY], struct err *err)
{
	struct header h = {.count = pack->rulec - first};
	AUTO_FREE const struct node **root = calloc(h.count + 1, sizeof(const struct node *));
	size_t most = TREE_CACHE_MAX - sizeof(h) - record->len;

	if (!root || record->failed || h.count != record->count)
		return err_set(err, ERR_INPUT, "%s: no memory, or not all documents are rules",
			       file);
	for (size_t i = 0; i < h.count; i++)
		root[i] = pack->rule[first + i].root;
	h.trees = trees_encode(root, h.count, NULL, most);
	h.len = sizeof(h) + h.trees + record->len;
	AUTO_FREE uint8_t *bytes = h.trees ? malloc(h.len) : NULL;
	if (!bytes)
		return err_set(err, ERR_LIMIT, "%s: no memory, or over %lu bytes", file,
			       TREE_CACHE_MAX);
	name_maker(h.maker);
	memcpy(bytes, &h, sizeof(h));
	trees_encode(root, h.count, bytes + sizeof(h), h.trees);
	memcpy(bytes + sizeof(h) + h.trees, record->data, record->len);
	if (cache_file_seal(key, CACHE_FILE_RULES, bytes + SEALED, h.len - SEALED, &h.mac, err) < 0)
		return -1;
	memcpy(bytes, &h, sizeof(h));
	return cache_file_write(file, bytes, h.len, err);
}
