/* SPDX-License-Identifier: MIT
 *
 * What the finders share: the search for a run of characters of a set, the test whether bytes are
 * text, and the list of layers.
 *
 * The list has each layer once, in the order of the calls, up to the bounds. Otherwise, what a
 * layer in place copies from its parent would be found again at every depth.
 *
 * Nearly every run of letters decodes to something, but only text that a person or an interpreter
 * could read is worth a scan. A short layer must be printable nearly throughout, a longer one
 * mostly. Of binary data the readable stretches are kept: they contain the commands of a pickle or
 * a program. PowerShell's encoded commands are UTF-16.
 */
#include "scan/text/decode_private.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/scope.h"
#include "base/utf8.h"
#include "scan/text/decode.h"

enum { BLOCK = 8, CHUNK = 2 * BLOCK };
_Static_assert(DECODE_RUN_MIN >= 2 * BLOCK - 1, "a run covers a block");

typedef uint8_t lanes __attribute__((vector_size(CHUNK)));

/* Bit I: block I at P is in the class throughout. */
static unsigned full_blocks(const struct decode_class *class, const uint8_t *p)
{
	lanes text, in = {0};
	uint64_t half[2];

	memcpy(&text, p, CHUNK);
	for (size_t i = 0; i < class->ranges; i++) {
		uint8_t low = class->range[i].low, span = (uint8_t)(class->range[i].high - low);
		in |= (lanes)(((text | class->range[i].fold) - low) <= span);
	}
	memcpy(half, &in, CHUNK);
	return (half[0] == UINT64_MAX) | (unsigned)(half[1] == UINT64_MAX) << 1;
}

/* For the end of the text, where no whole block fits: tests every sixteenth character. */
static size_t next_in_rest(const uint8_t *ask, const uint8_t *s, size_t len, size_t at)
{
	size_t seen = at; /* all of AT..SEEN is in */

	for (size_t probe = at + DECODE_RUN_MIN - 1; probe < len;) {
		size_t i = probe + 1;
		while (i > seen && ask[s[i - 1]])
			i--;
		if (i == seen)
			return at;
		at = i;
		seen = probe + 1;
		probe = at + DECODE_RUN_MIN - 1;
	}
	return len;
}

static size_t begin_of(const uint8_t *ask, const uint8_t *s, size_t first, size_t at)
{
	while (at > first && ask[s[at - 1]])
		at--;
	return at;
}

size_t decode_next_run(const struct decode_class *class, const char *data, size_t len, size_t at)
{
	const uint8_t *s = (const uint8_t *)data, *ask = class->ask;
	size_t first = at;

	while (len - at >= CHUNK) {
		unsigned full = full_blocks(class, s + at);
		if (!full) {
			at += CHUNK;
			continue;
		}
		at += full & 1 ? 0 : BLOCK;
		first = begin_of(ask, s, first, at);
		for (at += BLOCK; at < len && ask[s[at]];)
			if (++at - first >= DECODE_RUN_MIN)
				return first;
		first = at;
	}
	return next_in_rest(ask, s, len, begin_of(ask, s, first, at));
}

enum {
	SHORT_PERCENT = 90,
	LONG_PERCENT = 70,
	UTF16_PERCENT = 70, /* percent of the high bytes that are zero */
	UTF16_MIN = 8,
};

static bool is_printable(unsigned char c)
{
	return (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\t' || c == '\r';
}

/* The length of the printable character at AT, or 0. */
static size_t printable_at(const char *data, size_t len, size_t at)
{
	if (!(data[at] & 0x80))
		return is_printable((unsigned char)data[at]);
	struct utf8_char c = utf8_next(data, len, at);
	return c.broken || c.value < 0xa0 ? 0 : c.len;
}

/* How many bytes may be unprintable. */
static size_t allowed(size_t len)
{
	return len * (100 - (len < DECODE_SHORT ? SHORT_PERCENT : LONG_PERCENT)) / 100;
}

struct decode_measure decode_measure(const char *data, size_t len, bool give_up)
{
	struct decode_measure m = {0};
	size_t run = 0, most = give_up ? allowed(len) : len;

	for (size_t at = 0; at < len && at - m.printable <= most;) {
		size_t n = printable_at(data, len, at);
		run = n ? run + n : 0;
		m.printable += n;
		if (run > m.longest)
			m.longest = run;
		at += n ? n : 1;
	}
	return m;
}

bool decode_is_text(const struct decode_measure *m, size_t len)
{
	return len && len - m->printable <= allowed(len);
}

size_t decode_keep_printable(char *data, size_t len, const struct decode_measure *m)
{
	size_t out = 0;

	if ((len - m->printable) * 100 <= len * (100 - SHORT_PERCENT))
		return len;
	for (size_t at = 0, n; at < len; at += n ? n : 1) {
		n = printable_at(data, len, at);
		memmove(data + out, data + at, n);
		out += n;
	}
	return out;
}

enum decode_utf16 decode_guess_utf16(const char *data, size_t len)
{
	size_t zero[2] = {0}, pairs = len / 2;

	if (len < UTF16_MIN || !memchr(data, 0, len))
		return DECODE_NOT_UTF16;
	for (size_t i = 0; i < 2 * pairs; i++)
		zero[i % 2] += data[i] == 0;
	if (zero[1] * 100 >= pairs * UTF16_PERCENT && zero[0] * 100 < pairs * UTF16_PERCENT)
		return DECODE_UTF16LE;
	if (zero[0] * 100 >= pairs * UTF16_PERCENT && zero[1] * 100 < pairs * UTF16_PERCENT)
		return DECODE_UTF16BE;
	return DECODE_NOT_UTF16;
}

size_t decode_from_utf16(const char *data, size_t len, enum decode_utf16 order, char *out)
{
	const uint8_t *s = (const uint8_t *)data;
	size_t low = order == DECODE_UTF16BE, n = 0;

	for (size_t i = 0; i + 1 < len; i += 2) {
		uint32_t c = (uint32_t)s[i + !low] << 8 | s[i + low];
		bool surrogate = c >= 0xd800 && c < 0xe000;
		n += utf8_put(out + n, surrogate ? UTF8_REPLACEMENT : c);
	}
	return n;
}

static size_t keep_stretch(char *data, size_t out, size_t from, size_t to)
{
	if (to - from < DECODE_STRETCH_MIN)
		return out;
	if (out)
		data[out++] = '\n';
	memmove(data + out, data + from, to - from);
	return out + (to - from);
}

size_t decode_stretches(char *data, size_t len)
{
	size_t out = 0, from = 0, at = 0;

	while (at < len) {
		size_t n = printable_at(data, len, at);
		if (!n) {
			out = keep_stretch(data, out, from, at);
			from = at + 1;
		}
		at += n ? n : 1;
	}
	return keep_stretch(data, out, from, len);
}

enum { TABLE_MIN = 64, PROBES_MAX = 64, LIST_MIN = 16 };

char *const *decode_scratch(struct decoder *d)
{
	for (int i = 0; i < DECODE_SCRATCHES && !d->failed; i++)
		if (!d->scratch[i])
			d->failed = !(d->scratch[i] = malloc(d->text_len));
	return d->failed ? NULL : d->scratch;
}

/* FNV-1a over words. Layers with equal hashes are compared. */
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
	/* Short texts differ only in the word's highest bytes. */
	hash = (hash ^ hash >> 29) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 32;
}

/* The slot of this layer, or an empty one. An attacker can make a long chain of collisions: after
 * PROBES_MAX it returns NULL, and the layer may be listed twice. */
static struct decode_slot *slot_of(struct decoder *d, uint64_t hash, const char *data, size_t len)
{
	for (size_t n = 0; n < PROBES_MAX; n++) {
		struct decode_slot *s = &d->table[(hash + n) % d->table_size];
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
	AUTO_FREE struct decode_slot *old = d->table;

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

/* The bound that a layer of LEN bytes would exceed. */
static enum decode_bound bound_of(const struct decoder *d, size_t len)
{
	if (d->depth > d->limits.depth)
		return DECODE_DEPTH;
	if (d->out->count >= d->limits.count)
		return DECODE_COUNT;
	return len > d->limits.bytes - d->out->bytes ? DECODE_BYTES : DECODE_COMPLETE;
}

static void append(struct decoder *d, const struct decode_part *part, struct decode_slot *slot,
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
		*slot = (struct decode_slot){hash, out->count};
}

bool decode_add(struct decoder *d, const struct decode_part *part)
{
	if (!grow(d)) {
		d->failed = true;
		return false;
	}
	uint64_t hash = hash_of(part->data, part->len);
	struct decode_slot *slot = slot_of(d, hash, part->data, part->len);
	if (slot && slot->number)
		return true;
	enum decode_bound bound = bound_of(d, part->len);
	if (bound == DECODE_COMPLETE)
		append(d, part, slot, hash);
	else if (d->out->bound == DECODE_COMPLETE)
		d->out->bound = bound;
	/* When only the bytes are used up, a smaller layer may still fit. */
	return !d->failed && (bound == DECODE_COMPLETE || bound == DECODE_BYTES);
}

void decoder_done(struct decoder *d)
{
	for (int i = 0; i < DECODE_SCRATCHES; i++)
		free(d->scratch[i]);
	free(d->table);
}
