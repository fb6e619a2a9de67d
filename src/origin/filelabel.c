/* SPDX-License-Identifier: MIT
 *
 * One row for each way to find a file. A row only ever goes down. Beside them a row for each size that
 * any of those files has, and one without a meaning of its own whose version changes with every other.
 */
#include "origin/filelabel.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_VERSION = 1, ROW_MAX = 1 + LABEL_PACKED_MAX, EXACT = 4096 };
#define MARKS "v"
_Static_assert(3 * FILES_EACH + 1 <= STORE_OPS_MAX,
	       "three rows for each file fit into a transaction");

typedef char key_text[STORE_KEY_MAX + 1];

/* How a file is found: false when it cannot be found that way. */
enum way { BY_PLACE, BY_CONTENT, WAYS };

static bool way_key(enum way way, const struct file_key *f, key_text ret)
{
	char hex[2 * KEEPER_SHA256 + 1];

	sodium_bin2hex(hex, sizeof(hex), f->sha256, KEEPER_SHA256);
	if (way == BY_PLACE)
		snprintf(ret, STORE_KEY_MAX + 1, "i.%" PRIx64 ".%" PRIx64 ".%s", (uint64_t)f->dev,
			 (uint64_t)f->ino, hex);
	else
		snprintf(ret, STORE_KEY_MAX + 1, "h.%s", hex);
	return way == BY_PLACE ? f->ino != 0 : f->bytes >= FILE_HASH_MIN;
}

/* *RET_VERSION 0: there is no row. */
static int read_row(struct keeper *k, const char *key, struct label *ret, uint64_t *ret_version,
		    struct err *err)
{
	AUTO_ITEM struct store_item item = {0};

	if (store_get(k->store, STORE_FILE, key, &item, err) < 0)
		return -1;
	*ret_version = item.version;
	if (!item.version)
		return 0;
	struct unpacker u = {.data = item.value, .len = item.len};
	bool old = unpack_uint(&u, 1) != ROW_VERSION;
	label_unpack(&u, ret);
	return old || !unpack_is_done(&u) ? err_set(err, ERR_INPUT, "a label is damaged") : 0;
}

static bool is_same(const struct label *a, const struct label *b)
{
	return a->integrity == b->integrity && a->secrecy == b->secrecy && a->count == b->count &&
	       a->more == b->more;
}

/* Joins what is there, and expects that it stays so. 1: that is something new. */
static int add_row(struct keeper *k, const char *key, const struct label *label,
		   struct store_tx *tx, struct err *err)
{
	uint8_t row[ROW_MAX];
	struct packer p = {.data = row, .room = sizeof(row)};
	struct label before, after = *label;
	uint64_t version = 0;

	if (read_row(k, key, &before, &version, err) < 0)
		return -1;
	if (version)
		label_join(&after, &before);
	/* A join only adds. */
	if (version && is_same(&after, &before)) {
		store_expect(tx, STORE_FILE, key, version);
		return 0;
	}
	pack_uint(&p, ROW_VERSION, 1);
	label_pack(&p, &after);
	store_put(tx, STORE_FILE, key, row, p.len, version);
	return 1;
}

static void put_sign(struct store_tx *tx, const char *key, uint64_t expected)
{
	static const uint8_t row[] = {ROW_VERSION};

	store_put(tx, STORE_FILE, key, row, sizeof(row), expected);
}

int file_marks_load(struct keeper *k, uint64_t *ret, struct err *err)
{
	AUTO_ITEM struct store_item item = {0};

	if (store_get(k->store, STORE_FILE, MARKS, &item, err) < 0)
		return -1;
	*ret = item.version;
	return 0;
}

void file_marks_expect(uint64_t version, bool adds, struct store_tx *tx)
{
	if (adds || version == STORE_NEW)
		put_sign(tx, MARKS, version);
	else
		store_expect(tx, STORE_FILE, MARKS, version);
}

void file_marks_touch(struct store_tx *tx)
{
	put_sign(tx, MARKS, STORE_ANY);
}

/* One for each size below EXACT; then about a thousand for each power of two. */
static uint32_t size_class(uint64_t bytes)
{
	if (bytes < EXACT)
		return (uint32_t)bytes;
	unsigned shift = 53 - (unsigned)__builtin_clzll(bytes); /* leaves eleven bits */
	return EXACT + shift * 2048 + (uint32_t)(bytes >> shift);
}
_Static_assert(EXACT + 53 * 2048 + 2048 <= FILE_SIZES, "the largest size has a class");

static void put_size(struct store_tx *tx, uint64_t bytes)
{
	key_text key;

	snprintf(key, sizeof(key), "s.%" PRIx32, size_class(bytes));
	put_sign(tx, key, STORE_ANY);
}

static int see_size(void *context, const struct store_item *item, struct err *err)
{
	struct file_sizes *s = context;
	unsigned long n = strtoul(item->key + 2, NULL, 16);

	if (n >= FILE_SIZES)
		return err_set(err, ERR_INPUT, "a size is damaged");
	s->bit[n / 8] |= (uint8_t)(1U << n % 8);
	s->any = true;
	return 0;
}

int file_sizes_load(struct keeper *k, struct file_sizes *ret, struct err *err)
{
	struct store_range range = {.prefix = "s.", .after = ""};

	memset(ret, 0, sizeof(*ret));
	return store_list(k->store, STORE_FILE, &range, see_size, ret, err) < 0 ? -1 : 0;
}

bool file_sizes_has(const struct file_sizes *s, uint64_t bytes)
{
	uint32_t n = size_class(bytes);

	return s->bit[n / 8] >> n % 8 & 1;
}

/* One row is not written twice in a transaction: is it one of an earlier file too? */
static bool is_twice(const struct file_key *file, size_t i, enum way way)
{
	for (size_t n = 0; n < i; n++)
		if (memcmp(file[i].sha256, file[n].sha256, KEEPER_SHA256) == 0 &&
		    (way == BY_CONTENT ? file[n].bytes >= FILE_HASH_MIN
				       : file[i].dev == file[n].dev && file[i].ino == file[n].ino))
			return true;
	return false;
}

/* FILE[I], after those before it. 1: that is something new. */
static int add_ways(struct keeper *k, const struct file_key *file, size_t i,
		    const struct label *label, struct store_tx *tx, struct err *err)
{
	bool any = false;
	key_text key;

	for (int way = 0; way < WAYS; way++) {
		if (!way_key((enum way)way, &file[i], key) || is_twice(file, i, (enum way)way))
			continue;
		int added = add_row(k, key, label, tx, err);
		if (added < 0)
			return -1;
		any |= added;
	}
	return any;
}

int file_labels_add(struct keeper *k, const struct file_key *file, size_t count,
		    const struct label *label, struct store_tx *tx, struct err *err)
{
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		int added = add_ways(k, file, i, label, tx, err);
		if (added < 0)
			return -1;
		if (added)
			put_size(tx, file[i].bytes);
		any |= added;
	}
	if (any)
		file_marks_touch(tx);
	return any;
}

static int commit_some(struct keeper *k, const struct file_key *file, size_t count,
		       const struct label *label, struct err *err)
{
	AUTO_TX struct store_tx tx = {0};
	int any = file_labels_add(k, file, count, label, &tx, err);

	return any > 0 ? store_commit(k->store, &tx, err) : any;
}

int file_labels_commit(struct keeper *k, const struct file_key *file, size_t count,
		       const struct label *label, struct err *err)
{
	int tries = 0;

	if (count > FILES_MAX)
		return err_set(err, ERR_LIMIT, "over %d files", FILES_MAX);
	for (size_t at = 0; at < count;) {
		size_t n = count - at < FILES_EACH ? count - at : FILES_EACH;
		*err = (struct err){0};
		if (commit_some(k, file + at, n, label, err) == 0) {
			at += n;
			tries = 0;
		} else if (err->code != ERR_CONFLICT || ++tries == KEEPER_TRIES_MAX) {
			return -1;
		}
	}
	return 0;
}

int file_label_find(struct keeper *k, const struct file_key *file, struct label *ret,
		    bool *ret_known, struct err *err)
{
	struct label all = label_top();
	key_text key;

	*ret_known = false;
	for (int way = 0; way < WAYS; way++) {
		struct label one;
		uint64_t version = 0;
		if (!way_key((enum way)way, file, key))
			continue;
		if (read_row(k, key, &one, &version, err) < 0)
			return -1;
		if (version) {
			label_join(&all, &one);
			*ret_known = true;
		}
	}
	*ret = *ret_known ? all : label_unknown();
	return 0;
}

int file_label_keep(struct keeper *k, const uint8_t sha256[KEEPER_SHA256], uint64_t bytes,
		    const struct label *label, struct store_tx *tx, struct err *err)
{
	const struct file_key f = {.sha256 = sha256, .bytes = FILE_HASH_MIN};
	int added = add_ways(k, &f, 0, label, tx, err);

	if (added <= 0)
		return added;
	put_size(tx, bytes);
	file_marks_touch(tx);
	return 0;
}

static void dir_key(enum dir_mark mark, dev_t dev, ino_t ino, key_text ret)
{
	static const char letter[DIR_MARKS] = {[DIR_WRITTEN] = 'd', [DIR_ABOVE] = 'u'};

	snprintf(ret, STORE_KEY_MAX + 1, "%c.%" PRIx64 ".%" PRIx64, letter[mark], (uint64_t)dev,
		 (uint64_t)ino);
}

int dir_label_find(struct keeper *k, enum dir_mark mark, dev_t dev, ino_t ino, struct label *ret,
		   bool *ret_known, struct err *err)
{
	uint64_t version = 0;
	key_text key;

	dir_key(mark, dev, ino, key);
	*ret = label_unknown();
	if (read_row(k, key, ret, &version, err) < 0)
		return -1;
	*ret_known = version != 0;
	return 0;
}

static int see_row(void *context, const struct store_item *item, struct err *err)
{
	(void)item, (void)err;
	*(bool *)context = true;
	return 0;
}

int dir_label_any(struct keeper *k, bool *ret, struct err *err)
{
	struct store_range range = {.prefix = "d.", .after = "", .limit = 1};

	*ret = false;
	return store_list(k->store, STORE_FILE, &range, see_row, ret, err) < 0 ? -1 : 0;
}

int dir_label_add(struct keeper *k, enum dir_mark mark, dev_t dev, ino_t ino,
		  const struct label *label, struct store_tx *tx, struct err *err)
{
	key_text key;

	dir_key(mark, dev, ino, key);
	return add_row(k, key, label, tx, err);
}
