/* SPDX-License-Identifier: MIT
 *
 * Several passes over each block; the first ones have no branch that depends on the text. Three
 * bit maps tell whether a literal may begin at a place, by its next four, three and two bytes. For
 * the remaining places there is one map for each tier, then a lookup, then a walk down the tree of
 * letters. docs/explanation/ARCHITECTURE.md says why this is not a library.
 */
#include "scan/find/literal_search.h"

enum { AHEAD = 8 };

static const struct table_tier tiers[TABLE_TIERS] = TABLE_TIER_LIST;

struct searcher {
	const struct table *t;
	const struct folded *text;
	struct search_room *room;
	search_hits_fn *take;
	void *context;
};

static inline uint32_t bit(const uint8_t *map, uint32_t at)
{
	return map[at >> 3] >> (at & 7) & 1;
}

static void filter(const struct table *t, const uint8_t *p, size_t len, struct search_room *r)
{
	const uint8_t *large = t->array[TABLE_LONG].data, *small = t->array[TABLE_SHORT].data;
	const uint8_t *three = t->array[TABLE_MAP3].data;
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		uint32_t w = (uint32_t)table_bytes(p + i);

		r->at[n] = (uint16_t)i;
		n += bit(large, table_hash(w) >> (32 - TABLE_LONG_BITS)) | bit(small, w & 0xffff) |
		     bit(three, table_hash(w & 0xffffff) >> (32 - tiers[4].bits));
	}
	r->places = n;
}

static inline uint32_t tier_bit(const struct table *t, int tier, uint64_t w)
{
	return bit(t->array[TABLE_MAP8 + tier].data,
		   table_hash(w & tiers[tier].mask) >> (32 - tiers[tier].bits))
	       << tier;
}

static void refine(const struct table *t, const uint8_t *p, struct search_room *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->places; i++) {
		uint64_t w = table_bytes(p + r->at[i]);
		uint32_t found = tier_bit(t, 0, w) | tier_bit(t, 1, w) | tier_bit(t, 2, w) |
				 tier_bit(t, 3, w) | tier_bit(t, 4, w) | tier_bit(t, 5, w);

		/* Two bytes: perhaps only the first one matches. */
		found |= (found & 1 << 5) << 1;
		r->at[n] = r->at[i];
		r->tier[n] = (uint8_t)found;
		n += found != 0;
	}
	r->places = n;
}

static inline size_t root_at(const struct table_array *roots, uint32_t tier, uint64_t bytes)
{
	return table_mix(table_hash(bytes) + tiers[tier].salt) & (roots->count - 1);
}

/* BYTES of a tier may be at AT, or the tier has none such. */
static inline uint32_t find_root(const struct table_array *roots, uint32_t tier, uint64_t bytes,
				 size_t at)
{
	const struct table_root *root = roots->data;

	while (root[at].node && (root[at].bytes != bytes || root[at].tier != tier))
		at = (at + 1) & (roots->count - 1);
	return root[at].node;
}

/* Looks up the places from FROM on. Returns how far it got: room for all tiers of one more place
 * must be left. The array of roots exceeds the first-level cache, so each root is prefetched now
 * and read later. */
static size_t list_wants(const struct table *t, const uint8_t *p, struct search_room *r,
			 size_t from)
{
	const struct table_array *roots = &t->array[TABLE_ROOTS];
	size_t n = 0;

	for (; from < r->places && n < SEARCH_WANTS; from++) {
		uint64_t w = table_bytes(p + r->at[from]);

		for (unsigned left = r->tier[from]; left; left &= left - 1) {
			uint32_t tier = (uint32_t)__builtin_ctz(left);
			size_t root = root_at(roots, tier, w & tiers[tier].mask);

			__builtin_prefetch((const struct table_root *)roots->data + root);
			r->want[n].root = (uint32_t)root;
			r->want[n].at = r->at[from];
			r->want[n++].tier = (uint16_t)tier;
		}
	}
	r->wants = n;
	return from;
}

static void look_up(const struct table *t, const uint8_t *p, struct search_room *r)
{
	const struct table_array *roots = &t->array[TABLE_ROOTS];
	size_t n = 0;

	for (size_t i = 0; i < r->wants; i++) {
		uint32_t tier = r->want[i].tier;
		uint64_t bytes = table_bytes(p + r->want[i].at) & tiers[tier].mask;
		uint32_t node = find_root(roots, tier, bytes, r->want[i].root);

		r->found[n].node = node;
		r->found[n].at = r->want[i].at;
		r->found[n].bytes = tiers[tier].bytes;
		n += node != 0;
	}
	r->founds = n;
}

static void flush(const struct searcher *s)
{
	s->take(s->context, s->room->hit, s->room->hits);
	s->room->hits = 0;
}

/* Entries are far apart in memory: the next ones are prefetched while hits are gathered. */
static void add_hit(const struct searcher *s, const struct table_entry *entry, uint32_t count,
		    size_t at, size_t len)
{
	struct search_room *r = s->room;

	__builtin_prefetch(entry);
	r->hit[r->hits++] = (struct search_hit){entry, (uint32_t)at, (uint16_t)len, count};
	if (r->hits == SEARCH_HITS)
		flush(s);
}

/* Walks down from NODE, whose LEN bytes are at AT, as far as there are literals. */
static void follow(const struct searcher *s, uint32_t node, size_t at, size_t len)
{
	const struct table_node *all = s->t->array[TABLE_NODES].data;
	const struct table_entry *entry = s->t->array[TABLE_ENTRIES].data;

	while (node) {
		uint32_t first = all[node].entry_kid >> 1;
		uint32_t count = (all[node + 1].entry_kid >> 1) - first;
		uint8_t next = s->text->byte[at + len];

		if (count)
			add_hit(s, entry + first, count, at, len);
		node = all[node].entry_kid & 1 ? node + 1 : 0;
		while (node && (uint8_t)all[node].next_byte != next)
			node = all[node].next_byte >> 8;
		len++;
	}
}

static void search_block(const struct searcher *s, size_t from, size_t len)
{
	struct search_room *r = s->room;
	const struct table_node *node = s->t->array[TABLE_NODES].data;
	const uint8_t *p = s->text->byte + from;

	filter(s->t, p, len, r);
	refine(s->t, p, r);
	for (size_t done = 0; done < r->places;) {
		done = list_wants(s->t, p, r, done);
		look_up(s->t, p, r);
		for (size_t i = 0; i < r->founds; i++) {
			if (i + AHEAD < r->founds)
				__builtin_prefetch(node + r->found[i + AHEAD].node);
			follow(s, r->found[i].node, from + r->found[i].at, r->found[i].bytes);
		}
	}
}

void search_run(const struct table *t, const struct folded *text, struct search_room *room,
		search_hits_fn *take, void *context)
{
	struct searcher s = {t, text, room, take, context};

	if (!t->array[TABLE_ENTRIES].count)
		return;
	room->hits = 0;
	for (size_t from = 0; from < text->len; from += SEARCH_BLOCK) {
		size_t left = text->len - from;
		search_block(&s, from, left < SEARCH_BLOCK ? left : SEARCH_BLOCK);
	}
	flush(&s);
}
