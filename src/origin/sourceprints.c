/* SPDX-License-Identifier: MIT
 *
 * An item is some sections, each a part of one list. The lists of a source are sorted, its items
 * are in order, so what is read one after the other is sorted again; that is checked.
 */
#include "origin/sourceprints.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"

enum {
	HEAD = 5, /* of a section: which list, how many */
	SECTION_MAX = SOURCE_CHUNK / sizeof(uint64_t),
	KEY_DOMAIN = ID_HEX - 1,
	KEY_SOURCE = KEY_DOMAIN + 1 + 16 + 1,
};
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "items are the bytes of the lists");

struct writer {
	struct keeper *k;
	const struct source *source;
	struct sourceprints *out;
	unsigned items;
};

/* Domain, time, source, number: all of fixed length, so that they sort. */
static void next_key(struct writer *w)
{
	char domain[ID_HEX], id[ID_HEX];

	snprintf(w->out->key, sizeof(w->out->key), "%s.%016" PRIx64 ".%s.%04x",
		 id_hex(&w->source->domain, domain), w->source->time_us, id_hex(&w->source->id, id),
		 w->items++);
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
			return err_set(err, ERR_SYSTEM, "out of memory");
		w->out->bytes += h.len + n * sizeof(*p->list);
		at += n;
	}
	return 0;
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
		return err_set(err, ERR_SYSTEM, "out of memory");
	p->list = grown;
	p->room = p->count + n + 1;
	unpack_bytes(u, p->list + p->count, n * sizeof(uint64_t));
	if (!prints_are_sorted(p->list + (p->count ? p->count - 1 : 0), n + (p->count ? 1 : 0)))
		return err_set(err, ERR_INPUT, "fingerprints are out of order");
	p->count += n;
	return 0;
}

static bool key_source(const char *key, struct id *ret)
{
	return strlen(key) > KEY_SOURCE + ID_HEX - 1 && id_parse(key + KEY_SOURCE, ID_HEX - 1, ret);
}

static int grow_set(struct source_set *s, const struct id *id, struct err *err)
{
	if (s->count && id_is_same(&s->id[s->count - 1], id))
		return 0;
	if (s->count == SOURCE_SET_MAX) { /* the oldest makes room */
		index_done(&s->index[0]);
		memmove(s->id, s->id + 1, (SOURCE_SET_MAX - 1) * sizeof(*s->id));
		memmove(s->index, s->index + 1, (SOURCE_SET_MAX - 1) * sizeof(*s->index));
		s->count--;
		s->more = true;
	}
	struct id *ids = reallocarray(s->id, s->count + 1, sizeof(*ids));
	if (ids)
		s->id = ids;
	struct index *indexes = reallocarray(s->index, s->count + 1, sizeof(*indexes));
	if (indexes)
		s->index = indexes;
	if (!ids || !indexes)
		return err_set(err, ERR_SYSTEM, "out of memory");
	s->id[s->count] = *id;
	s->index[s->count++] = (struct index){0};
	return 0;
}

static int read_item(void *context, const struct store_item *item, struct err *err)
{
	struct source_set *s = context;
	struct unpacker u = {.data = item->value, .len = item->len};
	struct id id;

	if (!key_source(item->key, &id))
		return err_set(err, ERR_INPUT, "fingerprints of nothing");
	if (grow_set(s, &id, err) < 0)
		return -1;
	while (!unpack_is_done(&u))
		if (read_section(&u, &s->index[s->count - 1], err) < 0)
			return -1;
	return 0;
}

int source_set_load(struct keeper *k, const struct domain *d, struct source_set *ret,
		    struct err *err)
{
	*ret = (struct source_set){.more = d->forgotten > 0};
	for (size_t i = 0; i < d->memberc; i++) {
		char prefix[ID_HEX + 1];
		struct store_range range = {.prefix = prefix, .after = ""};
		id_hex(&d->member[i], prefix);
		memcpy(prefix + ID_HEX - 1, ".", 2);
		if (store_list(k->store, STORE_FINGERPRINTS, &range, read_item, ret, err)) {
			source_set_done(ret);
			return -1;
		}
	}
	return 0;
}

void source_set_done(struct source_set *s)
{
	for (size_t i = 0; i < s->count; i++)
		index_done(&s->index[i]);
	free(s->index);
	free(s->id);
	*s = (struct source_set){0};
}

struct eviction {
	struct store_tx *tx;
	uint64_t left, keep, gone;
};

/* Oldest first. 1: enough, or as much as a transaction takes. */
static int evict_item(void *context, const struct store_item *item, struct err *err)
{
	struct eviction *e = context;

	(void)err;
	if (e->left <= e->keep || e->tx->count >= STORE_OPS_MAX - 2)
		return 1;
	store_delete(e->tx, STORE_FINGERPRINTS, item->key, item->version);
	e->left = e->left > item->len ? e->left - item->len : 0;
	e->gone += item->len;
	return 0;
}

/* One transaction. */
static int evict_some(struct keeper *k, struct domain *d, uint64_t keep, struct err *err)
{
	AUTO_TX struct store_tx tx = {0};
	struct id id = d->id;

	if (domain_load(k, &id, d, err) < 0)
		return -1;
	struct eviction e = {&tx, d->print_bytes, keep, 0};
	for (size_t i = 0; i < d->memberc && e.left > keep; i++) {
		char prefix[ID_HEX + 1];
		struct store_range range = {.prefix = prefix, .after = ""};
		id_hex(&d->member[i], prefix);
		memcpy(prefix + ID_HEX - 1, ".", 2);
		if (store_list(k->store, STORE_FINGERPRINTS, &range, evict_item, &e, err) < 0)
			return -1;
	}
	if (tx.count == 0)
		e.left = 0; /* there are none: what was counted is off */
	d->print_bytes = e.left;
	d->forgotten += e.gone;
	domain_put(d, &tx);
	if (store_commit(k->store, &tx, err) < 0)
		return -1;
	d->version = tx.version;
	return 0;
}

int source_evict(struct keeper *k, struct domain *d, uint64_t keep, struct err *err)
{
	int tries = 0;

	do {
		*err = (struct err){0};
		if (evict_some(k, d, keep, err) < 0 &&
		    (err->code != ERR_CONFLICT || ++tries == KEEPER_TRIES_MAX))
			return -1;
	} while (err->code == ERR_CONFLICT || d->print_bytes > keep);
	return 0;
}
