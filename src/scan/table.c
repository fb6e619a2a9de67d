/* SPDX-License-Identifier: MIT
 *
 * Gathers what a table is made of: words, and what they mean, equal parts of it once. Arrays grow to a
 * maximum, and whatever did not fit is the whole table's failure, which table_make() tells.
 */
#include "scan/table.h"

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

/* The new item at the end of an array, NULL when it cannot grow. */
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

/* Equal ones once. Too many of them is the table's failure: none of what it returns counts then. */
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

/* Number 0 is none. Those of one pattern are often the same, and they come together. */
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
