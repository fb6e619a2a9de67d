/* SPDX-License-Identifier: MIT
 *
 * The list of layers: the text is searched by every finder, then each layer in the order in which it
 * came, so that what lies near the surface is found before a bound is reached. A layer that is there
 * already is not added; that also keeps what an in-place layer carries on from its parent from being
 * found again at every depth.
 */
#include "scan/decode.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/scope.h"
#include "scan/decode_part.h"
#include "scan/normal.h"

enum { TABLE_MIN = 64, PROBES_MAX = 64, SCRATCHES = 3, LIST_MIN = 16 };

struct decoder {
	struct decode *out;
	struct decode_limits limits;
	size_t text_len;
	size_t parent, depth; /* what is being searched; the depth its layers get */
	const char *how;
	char *scratch[SCRATCHES];
	struct slot {
		uint64_t hash;
		size_t number; /* of the layer, and one more; 0: empty */
	} * table;	       /* layers by their content */
	size_t table_size, room;
	bool failed; /* memory is out */
};

static const struct {
	bool (*find)(struct decoder *d, const char *data, size_t len);
} finders[] = {{decode_invisible}, {decode_escapes}, {decode_runs},
	       {decode_numbers},   {decode_dumps},   {decode_quoted}};

static const char *const bound_names[] = {
	[DECODE_COMPLETE] = "",
	[DECODE_BYTES] = "bytes",
	[DECODE_COUNT] = "layers",
	[DECODE_DEPTH] = "depth",
};

const char *decode_bound_name(enum decode_bound bound)
{
	return bound_names[bound];
}

char *const *decode_scratch(struct decoder *d)
{
	for (int i = 0; i < SCRATCHES && !d->failed; i++)
		if (!d->scratch[i])
			d->failed = !(d->scratch[i] = malloc(d->text_len));
	return d->failed ? NULL : d->scratch;
}

/* FNV-1a over words: only to find equals, which are then compared. */
static uint64_t hash_of(const char *data, size_t len)
{
	uint64_t hash = HASH_BEGIN ^ len, word = 0;

	for (size_t i = 0; i < len; i += sizeof(word)) {
		size_t n = len - i < sizeof(word) ? len - i : sizeof(word);
		word = 0;
		memcpy(&word, data + i, n);
		hash = hash_add(hash, word);
		hash ^= hash >> 32;
	}
	/* Short texts differ in their last bytes, which are the word's highest. */
	hash = (hash ^ hash >> 29) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 32;
}

/* The slot of such a layer, or an empty one. A chain that somebody made on purpose is not followed
 * to its end: NULL, and a layer may be there twice. */
static struct slot *slot_of(struct decoder *d, uint64_t hash, const char *data, size_t len)
{
	for (size_t n = 0; n < PROBES_MAX; n++) {
		struct slot *s = &d->table[(hash + n) % d->table_size];
		if (!s->number)
			return s;
		const struct decode_layer *l = &d->out->list[s->number - 1];
		if (s->hash == hash && l->len == len && !memcmp(l->data, data, len))
			return s;
	}
	return NULL;
}

static bool grow_table(struct decoder *d)
{
	size_t size = d->table_size ? 2 * d->table_size : TABLE_MIN, old_size = d->table_size;
	AUTO_FREE struct slot *old = d->table;

	d->table = calloc(size, sizeof(*d->table));
	d->table_size = size;
	if (!d->table)
		return false;
	for (size_t i = 0; i < old_size; i++) {
		size_t n = old[i].number ? 0 : PROBES_MAX;
		while (n < PROBES_MAX && d->table[(old[i].hash + n) % size].number)
			n++;
		if (n < PROBES_MAX)
			d->table[(old[i].hash + n) % size] = old[i];
	}
	return true;
}

static bool grow(struct decoder *d)
{
	struct decode *out = d->out;

	if (2 * (out->count + 1) > d->table_size && !grow_table(d))
		return false;
	if (out->count < d->room)
		return true;
	size_t room = d->room ? 2 * d->room : LIST_MIN;
	struct decode_layer *list = reallocarray(out->list, room, sizeof(*list));
	if (!list)
		return false;
	out->list = list;
	d->room = room;
	return true;
}

/* Which bound a layer of LEN bytes would break. */
static enum decode_bound bound_of(const struct decoder *d, size_t len)
{
	if (d->depth > d->limits.depth)
		return DECODE_DEPTH;
	if (d->out->count >= d->limits.count)
		return DECODE_COUNT;
	return len > d->limits.bytes - d->out->bytes ? DECODE_BYTES : DECODE_COMPLETE;
}

static void append(struct decoder *d, const struct decode_part *part, struct slot *slot,
		   uint64_t hash)
{
	struct decode *out = d->out;
	char *data = arena_alloc(&out->arena, part->len);
	const char *how = *d->how ? arena_printf(&out->arena, "%s > %s", d->how, part->how)
				  : arena_dup(&out->arena, part->how);

	if (out->arena.failed) {
		d->failed = true;
		return;
	}
	memcpy(data, part->data, part->len);
	out->list[out->count++] = (struct decode_layer){
		how, data, part->len, d->parent, part->offset, part->span, d->depth};
	out->bytes += part->len;
	if (slot)
		*slot = (struct slot){hash, out->count};
}

bool decode_found(struct decoder *d, const struct decode_part *part)
{
	if (!grow(d)) {
		d->failed = true;
		return false;
	}
	uint64_t hash = hash_of(part->data, part->len);
	struct slot *slot = slot_of(d, hash, part->data, part->len);
	if (slot && slot->number)
		return true;
	enum decode_bound bound = bound_of(d, part->len);
	if (bound == DECODE_COMPLETE)
		append(d, part, slot, hash);
	else if (d->out->bound == DECODE_COMPLETE)
		d->out->bound = bound;
	/* Something smaller may still fit when only the bytes are used up. */
	return !d->failed && (bound == DECODE_COMPLETE || bound == DECODE_BYTES);
}

static bool search(struct decoder *d, const char *data, size_t len)
{
	bool go_on = true;

	for (size_t i = 0; i < ARRAY_SIZE(finders) && go_on; i++)
		go_on = finders[i].find(d, data, len);
	return go_on;
}

/* The text, then every layer there is by then. At the last depth it is only asked whether there
 * would be more. */
static void search_all(struct decoder *d, const char *data, size_t len)
{
	bool go_on = search(d, data, len);

	for (size_t i = 0; i < d->out->count && go_on; i++) {
		const struct decode_layer l = d->out->list[i];
		d->parent = i;
		d->depth = l.depth + 1;
		d->how = l.how;
		go_on = search(d, l.data, l.len);
	}
}

int decode_layers(const char *data, size_t len, const struct decode_limits *limits,
		  struct decode *ret, struct err *err)
{
	struct decoder d = {.out = ret, .text_len = len, .parent = DECODE_NO_PARENT, .how = ""};

	*ret = (struct decode){0};
	if (len > NORMAL_TEXT_MAX)
		return err_set(err, ERR_LIMIT, "text: longer than %zu bytes", NORMAL_TEXT_MAX);
	d.depth = 1;
	d.limits = limits ? *limits : (struct decode_limits){0};
	if (!d.limits.bytes)
		d.limits.bytes = DECODE_BYTES_FACTOR * len + DECODE_BYTES_EXTRA;
	if (!d.limits.count)
		d.limits.count = DECODE_COUNT_MAX + len / DECODE_COUNT_BYTES;
	if (d.limits.count > DECODE_COUNT_MOST)
		d.limits.count = DECODE_COUNT_MOST;
	if (!d.limits.depth)
		d.limits.depth = DECODE_DEPTH_MAX;
	search_all(&d, data, len);
	for (int i = 0; i < SCRATCHES; i++)
		free(d.scratch[i]);
	free(d.table);
	if (!d.failed)
		return 0;
	decode_done(ret);
	return err_memory(err);
}

void decode_done(struct decode *d)
{
	arena_done(&d->arena);
	free(d->list);
	*d = (struct decode){0};
}
