/* SPDX-License-Identifier: MIT
 *
 * One row for each way to find a file. A row only ever goes down.
 */
#include "origin/filelabel.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>

enum { ROW_VERSION = 1, ROW_MAX = 1 + LABEL_PACKED_MAX, EACH = 64 };
_Static_assert(2 * EACH <= STORE_OPS_MAX, "two rows for each file fit into a transaction");

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

/* Joins what is there, and expects that it stays so. */
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
	pack_uint(&p, ROW_VERSION, 1);
	label_pack(&p, &after);
	store_put(tx, STORE_FILE, key, row, p.len, version);
	return 0;
}

static int commit_some(struct keeper *k, const struct file_key *file, size_t count,
		       const struct label *label, struct err *err)
{
	AUTO_TX struct store_tx tx = {0};
	key_text key;

	for (size_t i = 0; i < count; i++)
		for (int way = 0; way < WAYS; way++)
			if (way_key((enum way)way, &file[i], key) &&
			    add_row(k, key, label, &tx, err) < 0)
				return -1;
	return tx.count ? store_commit(k->store, &tx, err) : 0;
}

/* Two files of one content would be one row twice in a transaction: each is written alone then. */
static bool has_twins(const struct file_key *file, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t n = 0; n < i; n++)
			if (sodium_memcmp(file[i].sha256, file[n].sha256, KEEPER_SHA256) == 0)
				return true;
	return false;
}

int file_labels_commit(struct keeper *k, const struct file_key *file, size_t count,
		       const struct label *label, struct err *err)
{
	int tries = 0;

	if (count > FILES_MAX)
		return err_set(err, ERR_LIMIT, "over %d files", FILES_MAX);
	for (size_t at = 0; at < count;) {
		size_t n = count - at < EACH ? count - at : EACH;
		if (has_twins(file + at, n))
			n = 1;
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

int file_label_keep(struct keeper *k, const uint8_t sha256[KEEPER_SHA256],
		    const struct label *label, struct store_tx *tx, struct err *err)
{
	const struct file_key f = {.sha256 = sha256, .bytes = FILE_HASH_MIN};
	key_text key;

	return way_key(BY_CONTENT, &f, key) ? add_row(k, key, label, tx, err) : 0;
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
