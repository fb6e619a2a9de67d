/* SPDX-License-Identifier: MIT
 *
 * See fileslost.h. The rows stand among the labels of files. That one is new does not change the number of
 * those (file_marks_load): runs that begin at the same time would all be news to each other. Who looks
 * at files asks before and after it instead.
 */
#include "origin/fileslost.h"

#include <stdio.h>
#include <string.h>

#include "base/digest.h"
#include "origin/filelabel.h"

enum { ROW_MAX = 1 + 8 + LABEL_PACKED_MAX + 8 };
#define SIGNED "cordon lost files 1\n"
#define ALL "l" /* also the key of the row that several are in */

typedef char key_text[STORE_KEY_MAX + 1];

/* The first byte of a row says which it is. */
static const struct {
	uint8_t byte;
	const char *words;
} whys[LOST_WHYS] = {
	[LOST_OPEN] = {2, "has not ended, or was killed before it was known what it wrote"},
	[LOST_MUCH] = {1, "wrote more than could be remembered"},
};

const char *lost_why_words(unsigned why)
{
	return why < LOST_WHYS ? whys[why].words : NULL;
}

bool lost_is_several(const struct id *run)
{
	static const struct id several;

	return id_is_same(run, &several);
}

static void key_of(const struct id *run, key_text ret)
{
	char hex[ID_HEX];

	snprintf(ret, STORE_KEY_MAX + 1, lost_is_several(run) ? ALL : ALL ".%s", id_hex(run, hex));
}

static int read_row(const struct store_item *item, struct lost_run *ret, struct err *err)
{
	struct unpacker u = {.data = item->value, .len = item->len};
	const char *hex = item->key + sizeof(ALL ".") - 1;
	uint8_t byte = (uint8_t)unpack_uint(&u, 1);
	unsigned why = 0;

	*ret = (struct lost_run){.version = item->version};
	while (why < LOST_WHYS && whys[why].byte != byte)
		why++;
	ret->why = (enum lost_why)why;
	ret->since = (int64_t)unpack_uint(&u, 8);
	label_unpack(&u, &ret->label);
	bool is_all = strcmp(item->key, ALL) == 0;
	bool is_named = is_all || id_parse(hex, strlen(hex), &ret->run);
	/* Rows of earlier versions do not say it. */
	ret->last = !is_all ? ret->since : u.at < u.len ? (int64_t)unpack_uint(&u, 8) : INT64_MAX;
	return why == LOST_WHYS || !is_named || !unpack_is_done(&u)
		       ? err_set(err, ERR_INPUT, "a label is damaged")
		       : 0;
}

struct each {
	lost_run_fn *fn;
	void *context;
};

static int see_row(void *context, const struct store_item *item, struct err *err)
{
	const struct each *e = context;
	struct lost_run run;

	return read_row(item, &run, err) < 0 ? -1 : e->fn(e->context, &run, err);
}

int files_lost_each(struct keeper *k, lost_run_fn *fn, void *context, struct err *err)
{
	struct store_range range = {.prefix = ALL, .after = ""};
	struct each each = {fn, context};

	return store_list(k->store, STORE_FILE, &range, see_row, &each, err);
}

static int join(void *context, const struct lost_run *run, struct err *err)
{
	struct files_lost *l = context;

	(void)err;
	if (!l->by[run->why].any || run->since < l->by[run->why].since)
		l->by[run->why].since = run->since;
	label_join(&l->by[run->why].label, &run->label);
	l->by[run->why].any = true;
	if (run->version > l->newest)
		l->newest = run->version;
	if (run->last > l->last)
		l->last = run->last;
	if (l->count < LOST_ROWS_MAX) {
		l->run[l->count] = run->run;
		l->version[l->count] = run->version;
	}
	l->count++;
	return 0;
}

int files_lost_load(struct keeper *k, struct files_lost *ret, struct err *err)
{
	*ret = (struct files_lost){0};
	for (int i = 0; i < LOST_WHYS; i++)
		ret->by[i].label = label_top();
	return files_lost_each(k, join, ret, err) < 0 ? -1 : 0;
}

static void put_row(const struct lost_run *run, uint64_t expected, struct store_tx *tx)
{
	uint8_t row[ROW_MAX];
	struct packer p = {.data = row, .room = sizeof(row)};
	key_text key;

	key_of(&run->run, key);
	pack_uint(&p, whys[run->why].byte, 1);
	pack_uint(&p, (uint64_t)run->since, 8);
	label_pack(&p, &run->label);
	if (lost_is_several(&run->run))
		pack_uint(&p, (uint64_t)run->last, 8);
	store_put(tx, STORE_FILE, key, row, p.len, expected);
}

/* Whoever of them goes on takes nothing out when it ends: that is the price of so many. */
static void make_one(const struct files_lost *l, struct store_tx *tx)
{
	struct lost_run all = {
		.why = LOST_MUCH, .since = INT64_MAX, .last = l->last, .label = label_top()};
	uint64_t expected = STORE_NEW;
	key_text key;

	for (int i = 0; i < LOST_WHYS; i++)
		if (l->by[i].any) {
			label_join(&all.label, &l->by[i].label);
			all.since = l->by[i].since < all.since ? l->by[i].since : all.since;
		}
	for (size_t i = 0; i < LOST_ROWS_MAX; i++) {
		if (lost_is_several(&l->run[i])) {
			expected = l->version[i];
			continue;
		}
		key_of(&l->run[i], key);
		store_delete(tx, STORE_FILE, key, l->version[i]);
	}
	put_row(&all, expected, tx);
}

void files_lost_open(const struct files_lost *lost, const struct lost_run *run, struct store_tx *tx)
{
	if (lost->count > LOST_ROWS_MAX)
		make_one(lost, tx);
	put_row(run, STORE_NEW, tx);
}

void files_lost_close(const struct id *run, struct store_tx *tx)
{
	key_text key;

	key_of(run, key);
	store_delete(tx, STORE_FILE, key, STORE_ANY);
}

void files_lost_add(const struct lost_run *run, struct store_tx *tx)
{
	put_row(run, STORE_ANY, tx);
	file_marks_touch(tx);
}

int files_lost_find(struct keeper *k, const struct id *run, struct lost_run *ret, struct err *err)
{
	AUTO_ITEM struct store_item item = {0};
	key_text key;

	key_of(run, key);
	if (store_get(k->store, STORE_FILE, key, &item, err) < 0)
		return -1;
	if (!item.version)
		return 0;
	return read_row(&item, ret, err) < 0 ? -1 : 1;
}

void lost_run_label_digest(const struct lost_run *run, uint8_t ret[KEEPER_SHA256])
{
	uint8_t bytes[LABEL_PACKED_MAX];
	struct packer p = {.data = bytes, .room = sizeof(bytes)};

	label_pack(&p, &run->label);
	digest_of(ret, bytes, p.len);
}

void lost_run_digest(const struct lost_run *run, const uint8_t label[KEEPER_SHA256],
		     uint8_t ret[KEEPER_SHA256])
{
	uint8_t bytes[sizeof(SIGNED) + ID_BYTES + 1 + 8 + 8 + KEEPER_SHA256];
	struct packer p = {.data = bytes, .room = sizeof(bytes)};

	pack_bytes(&p, SIGNED, sizeof(SIGNED) - 1);
	pack_bytes(&p, run->run.byte, ID_BYTES);
	pack_uint(&p, whys[run->why].byte, 1);
	pack_uint(&p, (uint64_t)run->since, 8);
	pack_uint(&p, run->version, 8);
	pack_bytes(&p, label, KEEPER_SHA256);
	digest_of(ret, bytes, p.len);
}

void files_lost_end(const struct lost_run *run, struct store_tx *tx)
{
	key_text key;

	key_of(&run->run, key);
	store_delete(tx, STORE_FILE, key, run->version);
}
