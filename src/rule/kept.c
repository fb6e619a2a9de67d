/* SPDX-License-Identifier: MIT
 *
 * Header, trees, documents. The trees have a sum, so that half a file is noticed; the documents
 * need none: they are compared. That is done file by file while the pack is walked, so the
 * documents are never in memory as a whole.
 */
#include "rule/kept.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/kept.h"
#include "base/scope.h"
#include "rule/trees.h"
#include "yaml/yaml.h"

#include "build_id.h"

enum { MAKER_MAX = 80, RECORD_START = 1 << 20 };

struct header {
	char maker[MAKER_MAX]; /* what decides how trees come out */
	uint64_t sum;	       /* of the rest of the header, and of the trees */
	uint64_t len;	       /* of the file */
	uint64_t trees;	       /* their bytes */
	uint64_t count;
};

static void name_maker(char ret[MAKER_MAX])
{
	memset(ret, 0, MAKER_MAX);
	snprintf(ret, MAKER_MAX, "cordon %.32s, libyaml %.20s\n", CORDON_BUILD_ID, yaml_library());
}

static uint64_t sum_of(const uint8_t *bytes, size_t trees)
{
	size_t skip = offsetof(struct header, len);

	return kept_sum(bytes + skip, sizeof(struct header) - skip + trees);
}

void record_add(struct pack_record *r, const char *data, size_t len)
{
	uint64_t bytes = len;
	size_t need = r->len + sizeof(bytes) + len; /* both are bounded by PACK_BYTES_MAX */

	if (need > r->room) {
		size_t room = need * 2 > RECORD_START ? need * 2 : RECORD_START;
		uint8_t *grown = r->failed ? NULL : realloc(r->data, room);
		r->failed = !grown;
		if (!grown)
			return;
		r->data = grown;
		r->room = room;
	}
	memcpy(r->data + r->len, &bytes, sizeof(bytes));
	memcpy(r->data + r->len + sizeof(bytes), data, len);
	r->len = need;
	r->count++;
}

void record_done(struct pack_record *record)
{
	free(record->data);
	*record = (struct pack_record){0};
}

/* A file that is being read. */
struct reading {
	int fd;
	size_t len, at; /* of the file; of the next document */
	struct header h;
	uint8_t *buf; /* room for a document and its length */
	struct arena *arena;
	const char **path; /* of the documents so far */
	size_t *bytes;
	size_t count;
	struct err *why;
};

/* The pack's next file, and the next document: are they the same? */
static int compare(void *context, const char *path, const char *data, size_t len)
{
	struct reading *r = context;
	uint64_t bytes = 0;
	size_t need = sizeof(bytes) + len;

	if (!data)
		return -1;
	if (r->count == r->h.count || need > r->len - r->at)
		return err_set(r->why, ERR_INPUT, "the pack has more files");
	if (pread(r->fd, r->buf, need, (off_t)r->at) != (ssize_t)need)
		return err_set(r->why, ERR_INPUT, "it ends early");
	memcpy(&bytes, r->buf, sizeof(bytes));
	if (bytes != len || memcmp(r->buf + sizeof(bytes), data, len) != 0)
		return err_set(r->why, ERR_INPUT, "%.256s is another one", path);
	r->path[r->count] = arena_dup(r->arena, path);
	r->bytes[r->count++] = len;
	r->at += need;
	return 0;
}

/* The header and the trees' bytes. */
static uint8_t *read_trees(struct reading *r)
{
	char maker[MAKER_MAX];
	struct header *h = &r->h;

	name_maker(maker);
	if (io_read_full(r->fd, h, sizeof(*h)) != sizeof(*h) ||
	    memcmp(h->maker, maker, MAKER_MAX) != 0 || h->len != r->len ||
	    h->trees > r->len - sizeof(*h) || h->count > PACK_RULES_MAX) {
		err_set(r->why, ERR_INPUT, "not by this version, or damaged");
		return NULL;
	}
	uint8_t *bytes = arena_alloc(r->arena, sizeof(*h) + h->trees);
	if (r->arena->failed) {
		err_memory(r->why);
		return NULL;
	}
	memcpy(bytes, h, sizeof(*h));
	if (io_read_full(r->fd, bytes + sizeof(*h), h->trees) != (ssize_t)h->trees ||
	    h->sum != sum_of(bytes, h->trees)) {
		err_set(r->why, ERR_INPUT, "it is damaged");
		return NULL;
	}
	r->at = sizeof(*h) + h->trees;
	return bytes + sizeof(*h);
}

/* The trees, if the pack is what it was. */
static int read_kept(struct reading *r, const char *path, const struct node **root)
{
	const uint8_t *trees = read_trees(r);

	if (!trees || walk_files(path, compare, r, r->why) < 0)
		return -1;
	if (r->count != r->h.count || r->at != r->len)
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

int pack_load_kept(struct pack *pack, const char *path, const char *file,
		   const struct pack_options *options, struct err *ret_why, struct err *err)
{
	AUTO_FREE uint8_t *buf = malloc(sizeof(uint64_t) + YAML_BYTES_MAX);
	AUTO_FREE const char **paths = calloc(PACK_RULES_MAX, sizeof(*paths));
	AUTO_FREE size_t *bytes = calloc(PACK_RULES_MAX, sizeof(*bytes));
	AUTO_FREE const struct node **root = calloc(PACK_RULES_MAX, sizeof(const struct node *));
	struct arena arena = {0};
	struct reading r = {
		.buf = buf, .path = paths, .bytes = bytes, .arena = &arena, .why = ret_why};
	AUTO_CLOSE int fd = kept_open(file, sizeof(struct header), KEPT_FILE_MAX, &r.len, ret_why);

	if (fd < 0)
		return 1;
	r.fd = fd;
	if (!buf || !paths || !bytes || !root || read_kept(&r, path, root) < 0) {
		arena_done(&arena);
		return 1;
	}
	arena_adopt(&pack->arena, &arena);
	return add_all(pack, &r, root, options, err);
}

int pack_keep(const struct pack *pack, size_t first, const struct pack_record *record,
	      const char *file, struct err *err)
{
	struct header h = {.count = pack->rulec - first};
	AUTO_FREE const struct node **root = calloc(h.count + 1, sizeof(const struct node *));
	size_t most = KEPT_FILE_MAX - sizeof(h) - record->len;

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
			       KEPT_FILE_MAX);
	name_maker(h.maker);
	memcpy(bytes, &h, sizeof(h));
	trees_encode(root, h.count, bytes + sizeof(h), h.trees);
	h.sum = sum_of(bytes, h.trees);
	memcpy(bytes, &h, sizeof(h));
	memcpy(bytes + sizeof(h) + h.trees, record->data, record->len);
	return kept_write(file, bytes, h.len, err);
}
