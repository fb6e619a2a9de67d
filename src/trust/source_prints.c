/* SPDX-License-Identifier: MIT
 *
 * Items of fingerprints, and the set of a conversation's sources. An item has sections, each a part
 * of one list. The lists of a source are sorted and its items are in order, so the joined lists are
 * sorted too; the reader checks that. The set is sorted by time, so that loading at once and in parts
 * give the same. Versions of items, and not times, show what is new: a source gets its time before it
 * is committed.
 */
#include "trust/source_prints.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "trust/pack.h"

enum {
	HEAD = 5, /* bytes before a section: list and count */
	SECTION_MAX = SOURCE_CHUNK / sizeof(uint64_t),
	/* Offsets in a key: see next_key. */
	KEY_TIME = ID_HEX,
	KEY_SOURCE = KEY_TIME + 16 + 1,
	KEY_NUMBER = KEY_SOURCE + ID_HEX,
};
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "items are the bytes of the lists");

struct writer {
	struct keeper *k;
	const struct source *source;
	struct source_prints *out;
	unsigned items;
};

/* Conversation, time, source, number: of fixed length, so that keys sort. */
static void next_key(struct writer *w)
{
	char conversation[ID_HEX], id[ID_HEX];

	snprintf(w->out->key, sizeof(w->out->key), "%s.%016" PRIx64 ".%s.%04x",
		 id_hex(&w->source->conversation, conversation), w->source->time_us,
		 id_hex(&w->source->id, id), w->items++);
}

void source_prints_put_last(const struct source_prints *p, struct store_tx *tx)
{
	if (p->buf.len)
		store_put(tx, STORE_FINGERPRINTS, p->key, p->buf.data, p->buf.len, STORE_NEW);
}

static int flush(struct writer *w, struct err *err)
{
	AUTO_TX struct store_tx tx = {0};

	source_prints_put_last(w->out, &tx);
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

/* The parts of a key. */
struct source_prints_key {
	uint64_t time_us;
	struct id source;
	unsigned number; /* of the item, from 0 */
};

static int parse_key(const char *key, struct source_prints_key *ret, struct err *err)
{
	char *end[2] = {NULL, NULL};

	if (strlen(key) <= KEY_NUMBER || !id_parse(key + KEY_SOURCE, ID_HEX - 1, &ret->source))
		return err_set(err, ERR_INPUT, "the key of a fingerprint item is damaged");
	ret->time_us = strtoull(key + KEY_TIME, &end[0], 16);
	ret->number = (unsigned)strtoul(key + KEY_NUMBER, &end[1], 16);
	if (end[0] != key + KEY_SOURCE - 1 || *end[1])
		return err_set(err, ERR_INPUT, "the key of a fingerprint item is damaged");
	return 0;
}

void source_prints_prefix(const struct id *conversation, char ret[ID_HEX + 1])
{
	id_hex(conversation, ret);
	memcpy(ret + ID_HEX - 1, ".", 2);
}

int source_prints_put(struct keeper *k, const struct source *s, const struct index *ix,
		      struct source_prints *ret, struct err *err)
{
	struct writer w = {.k = k, .source = s, .out = ret};

	*ret = (struct source_prints){.buf = {.most = STORE_VALUE_MAX}};
	next_key(&w);
	for (int i = 0; i < INDEX_LISTS; i++)
		if (write_list(&w, i, &ix->list[i], err) < 0)
			return -1;
	return 0;
}

void source_prints_done(struct source_prints *p)
{
	buf_done(&p->buf);
}

/* Appends a section to its list. */
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

/* Adds the item to IX. The items of a source must come in order. */
static int read_prints(const struct store_item *item, struct index *ix, struct err *err)
{
	struct unpacker u = {.data = item->value, .len = item->len};

	while (!unpack_is_done(&u))
		if (read_section(&u, ix, err) < 0)
			return -1;
	return 0;
}

struct loader {
	struct source_set *set;
	bool again; /* the set had sources before */
	size_t at;  /* place of the source of the last item */
};

/* The place of the source; COUNT if it is new. Items of one source follow each other. */
static size_t find(const struct loader *l, const struct source_prints_key *key)
{
	const struct source_set *s = l->set;

	if (l->at < s->count && id_is_same(&s->id[l->at], &key->source))
		return l->at;
	if (!l->again && key->number == 0)
		return s->count;
	for (size_t i = 0; i < s->count; i++)
		if (id_is_same(&s->id[i], &key->source))
			return i;
	return s->count;
}

static size_t oldest(const struct source_set *s)
{
	size_t found = 0;

	for (size_t i = 1; i < s->count; i++)
		if (s->seen[i].time_us < s->seen[found].time_us)
			found = i;
	return found;
}

static int grow(struct source_set *s, struct err *err)
{
	struct id *ids = reallocarray(s->id, s->count + 1, sizeof(*ids));
	if (ids)
		s->id = ids;
	struct index *indexes = reallocarray(s->index, s->count + 1, sizeof(*indexes));
	if (indexes)
		s->index = indexes;
	struct source_seen *seen = reallocarray(s->seen, s->count + 1, sizeof(*seen));
	if (seen)
		s->seen = seen;
	if (!ids || !indexes || !seen)
		return err_memory(err);
	s->index[s->count++] = (struct index){0};
	return 0;
}

/* Sets l->at to the place of a new source. 0: the set is full of newer ones. */
static int make_room(struct loader *l, const struct source_prints_key *key, struct err *err)
{
	struct source_set *s = l->set;

	if (s->count < SOURCE_SET_MAX) {
		if (grow(s, err) < 0)
			return -1;
		l->at = s->count - 1;
	} else {
		l->at = oldest(s);
		if (key->time_us < s->seen[l->at].time_us)
			return 0;
		index_done(&s->index[l->at]);
		s->index[l->at] = (struct index){0};
	}
	s->id[l->at] = key->source;
	s->seen[l->at] = (struct source_seen){.time_us = key->time_us};
	return 1;
}

static int read_item(void *context, const struct store_item *item, struct err *err)
{
	struct loader *l = context;
	struct source_prints_key key;

	if (parse_key(item->key, &key, err) < 0)
		return -1;
	size_t i = find(l, &key);
	if (i == l->set->count) {
		int room = make_room(l, &key, err);
		if (room <= 0)
			return room;
		i = l->at;
	}
	l->at = i;
	struct source_seen *seen = &l->set->seen[i];
	if (key.number < seen->items)
		return 0; /* read before */
	seen->items = key.number + 1;
	seen->is_untied = false;
	return read_prints(item, &l->set->index[i], err);
}

struct place {
	struct id id;
	struct index index;
	struct source_seen seen;
};

static int by_time(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->seen.time_us != y->seen.time_us)
		return x->seen.time_us < y->seen.time_us ? -1 : 1;
	return memcmp(&x->id, &y->id, sizeof(x->id));
}

static int sort(struct source_set *s, struct err *err)
{
	AUTO_FREE struct place *all = calloc(s->count + 1, sizeof(*all));

	if (!all)
		return err_memory(err);
	for (size_t i = 0; i < s->count; i++)
		all[i] = (struct place){s->id[i], s->index[i], s->seen[i]};
	qsort(all, s->count, sizeof(*all), by_time);
	for (size_t i = 0; i < s->count; i++) {
		s->id[i] = all[i].id;
		s->index[i] = all[i].index;
		s->seen[i] = all[i].seen;
	}
	return 0;
}

static int load(struct keeper *k, const struct conversation *c, struct source_set *s,
		struct err *err)
{
	struct loader l = {.set = s, .again = s->count > 0};
	char prefix[ID_HEX + 1];
	struct store_range range = {.prefix = prefix, .after = "", .newer = s->version};

	source_prints_prefix(&c->id, prefix);
	if (store_list(k->store, STORE_FINGERPRINTS, &range, read_item, &l, err))
		return -1;
	return sort(s, err);
}

/* Can SET be extended? Not after an eviction. */
static bool can_extend(const struct source_set *s, const struct conversation *c)
{
	return s->version && s->version <= c->version && id_is_same(&s->conversation, &c->id) &&
	       s->forgotten == c->forgotten;
}

/* Items that are committed from now on have a later version than C; the next load sees them, and skips
 * those that this one has read already. */
int source_set_load(struct keeper *k, const struct conversation *c, struct source_set *set,
		    struct err *err)
{
	if (!can_extend(set, c))
		source_set_done(set);
	if (load(k, c, set, err) < 0) {
		source_set_done(set);
		return -1;
	}
	set->conversation = c->id;
	set->version = c->version;
	set->forgotten = c->forgotten;
	return 0;
}

void source_set_done(struct source_set *s)
{
	for (size_t i = 0; i < s->count; i++)
		index_done(&s->index[i]);
	free(s->index);
	free(s->id);
	free(s->seen);
	*s = (struct source_set){0};
}
