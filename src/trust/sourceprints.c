/* SPDX-License-Identifier: MIT
 *
 * An item is some sections, each a part of one list. The lists of a source are sorted, its items
 * are in order, so what is read one after the other is sorted again; that is checked.
 */
#include "trust/sourceprints.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "trust/pack.h"

enum {
	HEAD = 5, /* of a section: which list, how many */
	SECTION_MAX = SOURCE_CHUNK / sizeof(uint64_t),
	/* Where the parts of a key begin: see next_key. */
	KEY_TIME = ID_HEX,
	KEY_SOURCE = KEY_TIME + 16 + 1,
	KEY_NUMBER = KEY_SOURCE + ID_HEX,
};
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "items are the bytes of the lists");

struct writer {
	struct keeper *k;
	const struct source *source;
	struct sourceprints *out;
	unsigned items;
};

/* Conversation, time, source, number: all of fixed length, so that they sort. */
static void next_key(struct writer *w)
{
	char conversation[ID_HEX], id[ID_HEX];

	snprintf(w->out->key, sizeof(w->out->key), "%s.%016" PRIx64 ".%s.%04x",
		 id_hex(&w->source->conversation, conversation), w->source->time_us,
		 id_hex(&w->source->id, id), w->items++);
}

void sourceprints_put_last(const struct sourceprints *p, struct store_tx *tx)
{
	if (p->buf.len)
		store_put(tx, STORE_FINGERPRINTS, p->key, p->buf.data, p->buf.len, STORE_NEW);
}

static int flush(struct writer *w, struct err *err)
{
	AUTO_TX struct store_tx tx = {0};

	sourceprints_put_last(w->out, &tx);
	w->out->buf.len = 0;
	next_key(w);
	return store_commit(w->k->store, &tx, err);
}

static int write_list(struct writer *w, int list, const struct prints *p, struct err *err)
{
	struct buf *b = &w->out->buf;

	for (size_t at = 0; at < p->count;) {
		uint8_t head[HEAD];
		struct packer h = {.data = head, .room = sizeof(head)};
		size_t n = p->count - at < SECTION_MAX ? p->count - at : SECTION_MAX;
		if (b->len >= SOURCE_CHUNK && flush(w, err) < 0)
			return -1;
		pack_uint(&h, (uint64_t)list, 1);
		pack_uint(&h, n, 4);
		buf_add(b, head, h.len);
		buf_add(b, p->list + at, n * sizeof(*p->list));
		if (b->failed)
			return err_memory(err);
		w->out->bytes += h.len + n * sizeof(*p->list);
		at += n;
	}
	return 0;
}

int sourceprints_key(const char *key, struct sourceprints_key *ret, struct err *err)
{
	char *end[2] = {NULL, NULL};

	if (strlen(key) <= KEY_NUMBER || !id_parse(key + KEY_SOURCE, ID_HEX - 1, &ret->source))
		return err_set(err, ERR_INPUT, "fingerprints of nothing");
	ret->time_us = strtoull(key + KEY_TIME, &end[0], 16);
	ret->number = (unsigned)strtoul(key + KEY_NUMBER, &end[1], 16);
	if (end[0] != key + KEY_SOURCE - 1 || *end[1])
		return err_set(err, ERR_INPUT, "fingerprints of nothing");
	return 0;
}

void sourceprints_prefix(const struct id *conversation, char ret[ID_HEX + 1])
{
	id_hex(conversation, ret);
	memcpy(ret + ID_HEX - 1, ".", 2);
}

int sourceprints_put(struct keeper *k, const struct source *s, const struct index *ix,
		     struct sourceprints *ret, struct err *err)
{
	struct writer w = {.k = k, .source = s, .out = ret};

	*ret = (struct sourceprints){.buf = {.most = STORE_VALUE_MAX}};
	next_key(&w);
	for (int i = 0; i < INDEX_LISTS; i++)
		if (write_list(&w, i, &ix->list[i], err) < 0)
			return -1;
	return 0;
}

void sourceprints_done(struct sourceprints *p)
{
	buf_done(&p->buf);
}

/* Takes a section; the list goes on where the item before ended. */
static int read_section(struct unpacker *u, struct index *ix, struct err *err)
{
	unsigned list = unpack_enum(u, INDEX_LISTS);
	size_t n = (size_t)unpack_uint(u, 4);
	struct prints *p = &ix->list[list];

	if (u->failed || n > SECTION_MAX || n > (u->len - u->at) / sizeof(uint64_t))
		return err_set(err, ERR_INPUT, "fingerprints are damaged");
	uint64_t *grown = reallocarray(p->list, p->count + n + 1, sizeof(*grown));
	if (!grown)
		return err_memory(err);
	p->list = grown;
	p->room = p->count + n + 1;
	unpack_bytes(u, p->list + p->count, n * sizeof(uint64_t));
	if (!prints_are_sorted(p->list + (p->count ? p->count - 1 : 0), n + (p->count ? 1 : 0)))
		return err_set(err, ERR_INPUT, "fingerprints are out of order");
	p->count += n;
	return 0;
}

int sourceprints_read(const struct store_item *item, struct index *ix, struct err *err)
{
	struct unpacker u = {.data = item->value, .len = item->len};

	while (!unpack_is_done(&u))
		if (read_section(&u, ix, err) < 0)
			return -1;
	return 0;
}
