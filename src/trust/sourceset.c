/* SPDX-License-Identifier: MIT
 *
 * All that was read in a conversation, to compare code with. It is sorted by time, so that reading it at
 * once and reading it in parts give the same. Versions of the store's items say what is new: times do not,
 * because a source is stamped before it is committed.
 */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "trust/sourceprints.h"

struct loader {
	struct source_set *set;
	bool again; /* some were there before */
	size_t at;  /* the source of the last item */
};

/* Which one has that id; COUNT: none. Items of one source follow each other. */
static size_t find(const struct loader *l, const struct sourceprints_key *key)
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

/* A place for one that is new, in l->at; 0: it is older than all there is room for. */
static int make_room(struct loader *l, const struct sourceprints_key *key, struct err *err)
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
	struct sourceprints_key key;

	if (sourceprints_key(item->key, &key, err) < 0)
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
		return 0; /* it was there already when the others were read */
	seen->items = key.number + 1;
	seen->is_untied = false;
	return sourceprints_read(item, &l->set->index[i], err);
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

	sourceprints_prefix(&c->id, prefix);
	if (store_list(k->store, STORE_FINGERPRINTS, &range, read_item, &l, err))
		return -1;
	return sort(s, err);
}

/* Nothing was forgotten since: what was read is still all there was. */
static bool goes_on(const struct source_set *s, const struct conversation *c)
{
	return s->version && s->version <= c->version && id_is_same(&s->conversation, &c->id) &&
	       s->forgotten == c->forgotten;
}

/* Whatever is put from now on comes with a later version of the conversation than C's, also what is listed
 * here already: that is met again next time. */
int source_set_load(struct keeper *k, const struct conversation *c, struct source_set *set,
		    struct err *err)
{
	if (!goes_on(set, c))
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
