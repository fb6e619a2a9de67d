/* SPDX-License-Identifier: MIT
 *
 * Gathers words and their meanings, equal parts once, then makes the table's arrays. Arrays grow to a
 * maximum; if anything did not fit, table_make() fails. Words are sorted, so that those with the same
 * beginning stand together and the tree of letters is written in one pass, a node's first child right
 * behind it.
 */
#include "scan/find/literal_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

const size_t table_item_size[TABLE_SECTIONS] = {
	[TABLE_MAP8] = 1,
	[TABLE_MAP6] = 1,
	[TABLE_MAP5] = 1,
	[TABLE_MAP4] = 1,
	[TABLE_MAP3] = 1,
	[TABLE_MAP2] = 1,
	[TABLE_LONG] = 1,
	[TABLE_SHORT] = 1,
	[TABLE_ROOTS] = sizeof(struct table_root),
	[TABLE_NODES] = sizeof(struct table_node),
	[TABLE_ENTRIES] = sizeof(struct table_entry),
	[TABLE_SLOTS] = sizeof(struct table_slot),
	[TABLE_REACHES] = sizeof(struct reach),
	[TABLE_SETS] = sizeof(struct reach_set),
	[TABLE_GUARDS] = sizeof(struct table_guard),
	[TABLE_GUARD_SETS] = sizeof(struct reach_set),
	[TABLE_ALWAYS] = sizeof(uint32_t),
	[TABLE_POINTS] = sizeof(uint16_t),
	[TABLE_ABOUT] = sizeof(struct table_pattern),
};

enum { GUARDS_BACK = 200, REACH_BITS = 18, REACHES_MAX = 1 << REACH_BITS >> 1 };

void table_done(struct table *t)
{
	for (int i = 0; i < TABLE_SECTIONS; i++)
		free(t->array[i].data);
	memset(t, 0, sizeof(*t));
}

int table_maker_init(struct table_maker *m, size_t patterns, struct err *err)
{
	memset(m, 0, sizeof(*m));
	reach_sets_init(&m->sets);
	reach_sets_init(&m->guard_sets);
	m->about.data = calloc(patterns + 1, sizeof(struct table_pattern));
	m->about.count = patterns;
	m->reach_index = calloc((size_t)1 << REACH_BITS, sizeof(*m->reach_index));
	if (m->about.data && m->reach_index && !m->sets.failed && !m->guard_sets.failed)
		return 0;
	table_maker_done(m);
	return err_memory(err);
}

void table_maker_done(struct table_maker *m)
{
	free(m->word);
	free(m->slots.data);
	free(m->reaches.data);
	free(m->always.data);
	free(m->about.data);
	free(m->points.data);
	free(m->reach_index);
	reach_sets_done(&m->sets);
	reach_sets_done(&m->guard_sets);
	free(m->guards.data);
	memset(m, 0, sizeof(*m));
}

/* A new item at the end of an array; NULL when it cannot grow. */
static void *grow(struct table_maker *m, void **data, size_t *count, size_t *room, size_t size)
{
	if (*count == *room) {
		size_t want = *room ? *room * 2 : 1024;
		void *grown = want <= TABLE_ENTRIES_MAX ? realloc(*data, want * size) : NULL;
		if (!grown) {
			m->failed = true;
			return NULL;
		}
		*data = grown;
		*room = want;
	}
	return (char *)*data + (*count)++ * size;
}

/* Adds an item once. If there are too many, the table fails and the returned number is not used. */
uint32_t table_add_reach(struct table_maker *m, const struct reach *r)
{
	uint64_t hash = hash_bytes(0, r, sizeof(*r));
	uint32_t at;

	for (at = (uint32_t)(hash >> 20) % (1 << REACH_BITS); m->reach_index[at];
	     at = (at + 1) % (1 << REACH_BITS)) {
		const struct reach *old = (struct reach *)m->reaches.data + m->reach_index[at] - 1;
		if (reach_is_same(old, r))
			return m->reach_index[at] - 1;
	}
	if (m->reaches.count == REACHES_MAX) {
		m->failed = true;
		return 0;
	}
	struct reach *new =
		grow(m, &m->reaches.data, &m->reaches.count, &m->reaches_room, sizeof(*new));
	if (!new)
		return 0;
	*new = *r;
	m->reach_index[at] = (uint32_t)m->reaches.count;
	return (uint32_t)m->reaches.count - 1;
}

/* Number 0 means none. Items of one pattern are often equal and adjacent. */
uint16_t table_add_guard(struct table_maker *m, const struct table_guard *guard)
{
	const struct table_guard *old = m->guards.data;
	size_t first = m->guards.count > GUARDS_BACK ? m->guards.count - GUARDS_BACK : 1;

	for (size_t i = first; i < m->guards.count; i++)
		if (!memcmp(&old[i], guard, sizeof(*guard)))
			return (uint16_t)i;
	if (m->guards.count == TABLE_GUARDS_MAX)
		return 0;
	struct table_guard *new = NULL;
	for (size_t i = m->guards.count ? 1 : 0; i < 2; i++) {
		new = grow(m, &m->guards.data, &m->guards.count, &m->guards_room, sizeof(*new));
		if (!new)
			return 0;
		*new = (struct table_guard){.set = {0}};
	}
	*new = *guard;
	return (uint16_t)(m->guards.count - 1);
}

uint32_t table_add_slot(struct table_maker *m, struct table_slot slot)
{
	struct table_slot *new =
		grow(m, &m->slots.data, &m->slots.count, &m->slots_room, sizeof(*new));

	if (!new)
		return 0;
	*new = slot;
	return (uint32_t)m->slots.count - 1;
}

void table_add_word(struct table_maker *m, const struct str *str, struct table_entry entry)
{
	void *data = m->word;
	struct table_word *new = grow(m, &data, &m->words, &m->words_room, sizeof(*new));

	m->word = data;
	if (!new)
		return;
	memset(new, 0, sizeof(*new));
	new->str.len = str->len;
	memcpy(new->str.byte, str->byte, str->len);
	new->entry = entry;
	new->entry.edge = str->edge;
}

void table_add_always(struct table_maker *m, uint32_t pattern)
{
	uint32_t *new = grow(m, &m->always.data, &m->always.count, &m->always_room, sizeof(*new));

	if (new)
		*new = pattern;
}

void table_add_point(struct table_maker *m, uint16_t point)
{
	uint16_t *new = grow(m, &m->points.data, &m->points.count, &m->points_room, sizeof(*new));

	if (new)
		*new = point;
}

struct table_pattern *table_about(struct table_maker *m, uint32_t pattern)
{
	return (struct table_pattern *)m->about.data + pattern;
}

static int compare(const void *a, const void *b)
{
	const struct table_word *x = a, *y = b;
	int order = memcmp(x->str.byte, y->str.byte, STR_MAX);

	if (order)
		return order;
	if (x->str.len != y->str.len)
		return x->str.len - y->str.len;
	return x->entry.slot < y->entry.slot ? -1 : x->entry.slot > y->entry.slot;
}

struct writer {
	struct table *t;
	const struct table_word *word;
	size_t words;
};

static void *array(struct writer *w, enum table_section s)
{
	return w->t->array[s].data;
}

/* The words from FROM on that share their first DEPTH letters with it. */
static size_t same_until(const struct writer *w, size_t from, size_t to, size_t depth)
{
	size_t end = from + 1;

	while (end < to && w->word[end].str.len >= depth &&
	       !memcmp(w->word[end].str.byte, w->word[from].str.byte, depth))
		end++;
	return end;
}

/* Writes a node for words that share DEPTH letters, then its children, down to the words' ends. */
static uint32_t add_node(struct writer *w, size_t from, size_t to, size_t depth)
{
	struct table_node *node = array(w, TABLE_NODES);
	struct table_entry *entry = array(w, TABLE_ENTRIES);
	size_t *entries = &w->t->array[TABLE_ENTRIES].count;
	uint32_t at = (uint32_t)w->t->array[TABLE_NODES].count++, last = 0;

	node[at].next_byte = (uint8_t)w->word[from].str.byte[depth - 1];
	node[at].entry_kid = (uint32_t)*entries << 1;
	for (; from < to && w->word[from].str.len == depth; from++)
		entry[(*entries)++] = w->word[from].entry;
	while (from < to) {
		size_t end = same_until(w, from, to, depth + 1);
		uint32_t kid = add_node(w, from, end, depth + 1);

		if (last)
			node[last].next_byte |= kid << 8;
		else
			node[at].entry_kid |= 1;
		last = kid;
		from = end;
	}
	return at;
}

static void set_bit(uint8_t *map, uint64_t bit)
{
	map[bit / 8] |= (uint8_t)(1 << (bit % 8));
}

static const struct table_tier tiers[TABLE_TIERS] = TABLE_TIER_LIST;

/* Sets the bits for a literal's first bytes in the maps that are tested first. */
static void add_first(struct writer *w, size_t tier, uint64_t bytes)
{
	if (tiers[tier].bytes >= 4)
		set_bit(array(w, TABLE_LONG),
			table_hash(bytes & UINT32_MAX) >> (32 - TABLE_LONG_BITS));
	else if (tiers[tier].bytes == 2)
		set_bit(array(w, TABLE_SHORT), bytes & 0xffff);
	/* A single byte is found before any other byte. */
	for (uint32_t next = 0; tiers[tier].bytes == 1 && next < 256; next++) {
		set_bit(array(w, TABLE_SHORT), (uint32_t)bytes | next << 8);
		set_bit(array(w, TABLE_MAP2),
			table_hash(bytes | next << 8) >> (32 - tiers[tier - 1].bits));
	}
}

static void add_root(struct writer *w, size_t tier, const struct str *str, uint32_t node)
{
	struct table_array *roots = &w->t->array[TABLE_ROOTS];
	struct table_root *root = roots->data;
	uint64_t bytes = table_bytes((const uint8_t *)str->byte) & tiers[tier].mask;
	uint32_t hash = table_hash(bytes);
	size_t at = table_mix(hash + tiers[tier].salt) & (roots->count - 1);

	add_first(w, tier, bytes);
	if (tiers[tier].bits)
		set_bit(array(w, TABLE_MAP8 + (int)tier), hash >> (32 - tiers[tier].bits));
	while (root[at].node)
		at = (at + 1) & (roots->count - 1);
	root[at] = (struct table_root){bytes, (uint32_t)tier, node};
}

static size_t tier_of(const struct str *str)
{
	size_t i = 0;

	while (str->len < tiers[i].bytes)
		i++;
	return i;
}

static int by_tier(const void *a, const void *b)
{
	const struct table_word *x = a, *y = b;
	size_t i = tier_of(&x->str), k = tier_of(&y->str);

	return i != k ? (i < k ? -1 : 1) : compare(a, b);
}

/* Words of one tier share as many bytes as it has. */
static size_t same_beginning(const struct table_word *word, size_t words, size_t from)
{
	size_t end = from + 1, i = tier_of(&word[from].str);

	while (end < words && tier_of(&word[end].str) == i &&
	       !memcmp(word[end].str.byte, word[from].str.byte, tiers[i].bytes))
		end++;
	return end;
}

static void write_words(struct writer *w)
{
	struct table_array *nodes = &w->t->array[TABLE_NODES];

	/* Node 0 is none. */
	nodes->count = 1;
	for (size_t from = 0, end; from < w->words; from = end) {
		size_t i = tier_of(&w->word[from].str);

		end = same_beginning(w->word, w->words, from);
		add_root(w, i, &w->word[from].str, add_node(w, from, end, tiers[i].bytes));
	}
	((struct table_node *)nodes->data)[nodes->count++].entry_kid =
		(uint32_t)w->t->array[TABLE_ENTRIES].count << 1;
}

/* At most half of the roots is used. */
static size_t roots_for(const struct table_maker *m)
{
	size_t room = 64, used = 0;

	for (size_t i = 0; i < m->words; i = same_beginning(m->word, m->words, i))
		used++;
	while (room < used * 2)
		room *= 2;
	return room;
}

/* The letters of all words: the maximum number of nodes, plus node 0 and the one after the last. */
static size_t letters(const struct table_maker *m)
{
	size_t sum = 3;

	for (size_t i = 0; i < m->words; i++)
		sum += m->word[i].str.len;
	return sum;
}

static bool reserve(struct table_maker *m, struct table *t)
{
	size_t count[TABLE_SECTIONS] = {
		[TABLE_LONG] = (1 << TABLE_LONG_BITS) / 8,
		[TABLE_SHORT] = (1 << 16) / 8,
		[TABLE_ROOTS] = roots_for(m),
		[TABLE_NODES] = letters(m),
		[TABLE_ENTRIES] = m->words + 1,
		[TABLE_SETS] = m->sets.count,
		[TABLE_GUARD_SETS] = m->guard_sets.count,
	};
	bool good = true;

	for (int i = TABLE_MAP8; i <= TABLE_MAP2; i++)
		count[i] = ((size_t)1 << tiers[i - TABLE_MAP8].bits) / 8;
	for (int i = 0; i < TABLE_SECTIONS; i++) {
		if (!count[i])
			continue;
		t->array[i].data = calloc(count[i], table_item_size[i]);
		t->array[i].count = count[i];
		good &= t->array[i].data != NULL;
	}
	t->array[TABLE_ENTRIES].count = 0;
	return good;
}

static void hand_over(struct table_array *from, struct table_array *to)
{
	*to = *from;
	*from = (struct table_array){0};
}

int table_make(struct table_maker *m, struct table *ret, struct err *err)
{
	struct table t = {0};

	if (m->words)
		qsort(m->word, m->words, sizeof(*m->word), by_tier);
	if (m->failed || m->sets.failed || m->guard_sets.failed || letters(m) > TABLE_NODES_MAX ||
	    !reserve(m, &t)) {
		table_done(&t);
		return err_memory(err);
	}
	struct writer w = {.t = &t, .word = m->word, .words = m->words};
	write_words(&w);
	memcpy(t.array[TABLE_SETS].data, m->sets.set, m->sets.count * sizeof(*m->sets.set));
	memcpy(t.array[TABLE_GUARD_SETS].data, m->guard_sets.set,
	       m->guard_sets.count * sizeof(*m->guard_sets.set));
	hand_over(&m->guards, &t.array[TABLE_GUARDS]);
	hand_over(&m->slots, &t.array[TABLE_SLOTS]);
	hand_over(&m->reaches, &t.array[TABLE_REACHES]);
	hand_over(&m->always, &t.array[TABLE_ALWAYS]);
	hand_over(&m->points, &t.array[TABLE_POINTS]);
	hand_over(&m->about, &t.array[TABLE_ABOUT]);
	*ret = t;
	table_maker_done(m);
	return 0;
}
