/* SPDX-License-Identifier: MIT
 *
 * One pass decodes, one normalises, and a third runs only when the text may have a lookalike
 * letter. ASCII, which is most text, is recognised eight bytes at a time and needs none of them.
 * Only characters that normalisation can change go through NFKC, each run together with the ASCII
 * letter before it, which a mark may join.
 */
#include "scan/text/normal.h"

#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "base/utf8.h"
#include "scan/text/nfkc.h"

/* The top bit of each of eight bytes. */
#define TOPS 0x8080808080808080u

struct buffer {
	char *data;
	size_t len, room, max;
	bool failed; /* memory is out, or the text would be longer than MAX; then OVER is set too */
	bool over;
};

/* Removed after normalisation. */
static const struct {
	uint32_t low, high;
} dropped[] = {{0x180e, 0x180e}, {0x200b, 0x200f}, {0x202a, 0x202e},
	       {0x2060, 0x2060}, {0x2066, 0x2069}, {0xfeff, 0xfeff}};

/* Lookalikes are searched only in a text with one of these. */
static const struct {
	uint32_t low, high;
} triggers[] = {{0x131, 0x131}, {0x1c0, 0x1c0}, {0x370, 0x4ff}, {0x578, 0x578}};

static const struct lookalike {
	uint32_t from;
	char to;
} lookalikes[] = {
#define LOOKALIKE(from, to) {from, to},
#include "scan/text/lookalike.def"
#undef LOOKALIKE
};
enum { LOOKALIKE_END = 0x600 }; /* beyond all of them */

/* Of the first 256 pages of 256 characters, those with a dropped character or a trigger. */
static const bool odd_page[256] = {
	[0x01] = true, [0x03] = true, [0x04] = true, [0x05] = true,
	[0x18] = true, [0x20] = true, [0xfe] = true,
};

static bool is_dropped(uint32_t c)
{
	for (size_t i = 0; i < ARRAY_SIZE(dropped); i++)
		if (c >= dropped[i].low && c <= dropped[i].high)
			return true;
	return false;
}

static bool is_trigger(uint32_t c)
{
	for (size_t i = 0; i < ARRAY_SIZE(triggers); i++)
		if (c >= triggers[i].low && c <= triggers[i].high)
			return true;
	return false;
}

static uint32_t latin(uint32_t c)
{
	size_t low = 0, high = ARRAY_SIZE(lookalikes);

	while (low < high) {
		size_t mid = (low + high) / 2;
		if (lookalikes[mid].from < c)
			low = mid + 1;
		else
			high = mid;
	}
	return low < ARRAY_SIZE(lookalikes) && lookalikes[low].from == c
		       ? (uint32_t)lookalikes[low].to
		       : c;
}

static bool grow(struct buffer *b, size_t more)
{
	size_t room = b->room ? b->room : 256;

	if (b->len + more <= b->room)
		return true;
	while (room < b->len + more)
		room *= 2;
	if (room > b->max)
		room = b->max;
	b->over = b->len + more > b->max;
	char *grown = b->over ? NULL : realloc(b->data, room);
	if (!grown) {
		b->failed = true;
		return false;
	}
	b->data = grown;
	b->room = room;
	return true;
}

static void add(struct buffer *b, const char *data, size_t len)
{
	if (len && grow(b, len)) {
		memcpy(b->data + b->len, data, len);
		b->len += len;
	}
}

static void add_point(struct buffer *b, uint32_t c)
{
	if (grow(b, UTF8_CHAR_MAX))
		b->len += utf8_put(b->data + b->len, c);
}

/* The number of ASCII bytes from AT on. */
static size_t ascii_run(const char *data, size_t len, size_t at)
{
	size_t i = at;
	uint64_t word;

	for (; i + sizeof(word) <= len; i += sizeof(word)) {
		memcpy(&word, data + i, sizeof(word));
		if (word & TOPS)
			break;
	}
	while (i < len && !(data[i] & 0x80))
		i++;
	return i - at;
}

/* The number of bits in TOPS, which has only top bits of bytes. */
static inline size_t count_tops(uint64_t tops)
{
	return (size_t)((tops >> 7) * 0x0101010101010101u >> 56);
}

/* A continuation byte is no unit; the first byte of a character of four bytes counts as two. */
static size_t count_utf16(const char *data, size_t len, bool *wide)
{
	size_t n = 0, pairs = 0, i = 0;
	uint64_t w;

	for (; i + sizeof(w) <= len; i += sizeof(w)) {
		memcpy(&w, data + i, sizeof(w));
		n += sizeof(w) - count_tops(w & ~(w << 1) & TOPS);
		pairs += count_tops(w & w << 1 & w << 2 & w << 3 & TOPS);
	}
	for (; i < len; i++) {
		unsigned char c = (unsigned char)data[i];
		n += (c & 0xc0) != 0x80;
		pairs += c >= 0xf0;
	}
	*wide = pairs;
	return n + pairs;
}

size_t normal_utf16_at(const char *form, size_t offset)
{
	bool wide;

	return count_utf16(form, offset, &wide);
}

size_t normal_byte_at(const char *form, size_t len, size_t unit)
{
	size_t at = 0;

	for (size_t n = 0; at < len; at++) {
		unsigned char c = (unsigned char)form[at];
		if ((c & 0xc0) != 0x80 && n >= unit)
			break;
		n += ((c & 0xc0) != 0x80) + (c >= 0xf0);
	}
	return at;
}

/* The number of bytes from AT on that belong to characters up to U+FFFF. */
static size_t narrow_run(const char *data, size_t len, size_t at)
{
	size_t i = at;
	uint64_t w;

	for (; i + sizeof(w) <= len; i += sizeof(w)) {
		memcpy(&w, data + i, sizeof(w));
		if (w & w << 1 & w << 2 & w << 3 & TOPS)
			break;
	}
	while (i < len && (unsigned char)data[i] < 0xf0)
		i++;
	return i - at;
}

/* Sets the fields that follow from DATA. */
static int measure(struct scan_text *t, struct err *err)
{
	struct buffer b = {.max = 2 * t->len + UTF8_CHAR_MAX};
	bool wide;

	t->ascii = ascii_run(t->data, t->len, 0) == t->len;
	t->unit = t->data;
	t->unit_len = t->utf16 = t->len;
	if (t->ascii)
		return 0;
	t->utf16 = count_utf16(t->data, t->len, &wide);
	if (!wide)
		return 0;
	for (size_t at = 0, run; at < t->len; at += run) {
		run = narrow_run(t->data, t->len, at);
		add(&b, t->data + at, run);
		if (at + run == t->len)
			break;
		struct utf8_char c = utf8_next(t->data, t->len, at + run);
		add_point(&b, utf8_high(c.value));
		add_point(&b, utf8_low(c.value));
		run += c.len;
	}
	t->owned_unit = b.data;
	t->unit = b.data;
	t->unit_len = b.len;
	if (b.failed)
		return err_memory(err);
	return 0;
}

static bool is_valid(const char *data, size_t len)
{
	for (size_t at = 0; at < len;) {
		at += ascii_run(data, len, at);
		if (at == len)
			break;
		struct utf8_char c = utf8_next(data, len, at);
		if (c.broken)
			return false;
		at += c.len;
	}
	return true;
}

static void replace_broken(const char *data, size_t len, struct buffer *b)
{
	for (size_t at = 0; at < len;) {
		size_t from = at;
		struct utf8_char c = {0};
		while ((at += ascii_run(data, len, at)) < len &&
		       !(c = utf8_next(data, len, at)).broken)
			at += c.len;
		add(b, data + from, at - from);
		if (at == len)
			break;
		add_point(b, c.value);
		at += c.len;
	}
}

int normal_decode(const char *data, size_t len, struct scan_text *ret, struct err *err)
{
	struct buffer b = {.max = 3 * len + UTF8_CHAR_MAX};

	*ret = (struct scan_text){.data = data, .len = len};
	if (len > NORMAL_TEXT_MAX)
		return err_set(err, ERR_LIMIT, "text: longer than %zu bytes", NORMAL_TEXT_MAX);
	if (!is_valid(data, len)) {
		replace_broken(data, len, &b);
		ret->owned = b.data;
		ret->data = b.data;
		ret->len = b.len;
	}
	if (b.failed)
		err_memory(err);
	else if (measure(ret, err) == 0)
		return 0;
	normal_done(ret);
	return -1;
}

/* Is the character kept? Sets *TRIGGER for a trigger. */
static bool is_kept(uint32_t c, bool *trigger)
{
	if (c > 0xffff || !odd_page[c >> 8])
		return true;
	*trigger |= is_trigger(c);
	return !is_dropped(c);
}

/* Composes and writes all but the last KEEP characters. */
static void flush(struct nfkc *n, size_t keep, struct buffer *b, bool *trigger)
{
	if (!n->count)
		return;
	nfkc_compose(n);
	b->failed |= n->failed;
	if (keep > n->count || b->failed)
		keep = 0;
	for (size_t i = 0; i < n->count - keep && !b->failed; i++)
		if (is_kept((uint32_t)n->point[i], trigger))
			add_point(b, (uint32_t)n->point[i]);
	if (keep)
		memmove(n->point, n->point + n->count - keep, keep * sizeof(*n->point));
	n->count = keep;
}

/* FROM: the start of unchanged text that has not been copied yet. While there is some, N is
 * empty. */
static void normalise(const struct scan_text *raw, struct buffer *b, bool *trigger)
{
	struct nfkc n = {0};
	size_t from = 0;

	for (size_t at = 0; at < raw->len && !b->failed;) {
		size_t run = ascii_run(raw->data, raw->len, at);
		if (run) {
			flush(&n, 0, b, trigger);
			at += run;
			continue;
		}
		struct utf8_char c = utf8_next(raw->data, raw->len, at);
		bool inert = nfkc_is_inert(c.value);
		if (inert)
			flush(&n, 0, b, trigger);
		else if (nfkc_is_full(&n, c.value))
			flush(&n, 1, b, trigger);
		if (!inert || !is_kept(c.value, trigger)) {
			add(b, raw->data + from, at - from);
			from = at + c.len;
		}
		/* A mark may join the letter before it. */
		if (!inert && !n.count && at && !(raw->data[at - 1] & 0x80) && b->len)
			nfkc_add(&n, (unsigned char)b->data[--b->len]);
		if (!inert)
			nfkc_add(&n, c.value);
		at += c.len;
	}
	flush(&n, 0, b, trigger);
	add(b, raw->data + from, raw->len - from);
	nfkc_done(&n);
}

/* In place: a Latin letter is shorter than the character it replaces. */
static void replace_lookalikes(struct buffer *b)
{
	size_t out = 0, from = 0;

	for (size_t at = 0; at < b->len;) {
		at += ascii_run(b->data, b->len, at);
		if (at == b->len)
			break;
		struct utf8_char c = utf8_next(b->data, b->len, at);
		uint32_t to = c.value < LOOKALIKE_END ? latin(c.value) : c.value;
		if (to != c.value) {
			memmove(b->data + out, b->data + from, at - from);
			out += at - from;
			b->data[out++] = (char)to;
			from = at + c.len;
		}
		at += c.len;
	}
	memmove(b->data + out, b->data + from, b->len - from);
	b->len = out + (b->len - from);
}

static int change(const struct scan_text *raw, bool lookalike, struct scan_text *ret,
		  struct err *err)
{
	size_t growth = NORMAL_GROWTH_MAX * raw->len, most = NORMAL_GROWN_MAX;
	struct buffer b = {.max = (growth < most ? growth : most) + UTF8_CHAR_MAX};
	bool trigger = false;

	*ret = *raw;
	ret->owned = ret->owned_unit = NULL;
	if (raw->ascii)
		return 0;
	normalise(raw, &b, &trigger);
	if (trigger && lookalike)
		replace_lookalikes(&b);
	if (b.over || b.len > NORMAL_GROWN_MAX) {
		free(b.data);
		return err_set(err, ERR_LIMIT, "text: its normal form is longer than %zu bytes",
			       NORMAL_GROWN_MAX);
	}
	if (b.failed) {
		free(b.data);
		return err_memory(err);
	}
	if (b.len == raw->len && b.data && !memcmp(b.data, raw->data, b.len)) {
		free(b.data);
		return 0;
	}
	*ret = (struct scan_text){.data = b.data ? b.data : "", .len = b.len, .owned = b.data};
	if (measure(ret, err) == 0)
		return 0;
	normal_done(ret);
	return -1;
}

int normal_fold(const struct scan_text *raw, struct scan_text *ret, struct err *err)
{
	return change(raw, true, ret, err);
}

int normal_strip(const struct scan_text *raw, struct scan_text *ret, struct err *err)
{
	return change(raw, false, ret, err);
}

void normal_done(struct scan_text *text)
{
	free(text->owned);
	free(text->owned_unit);
	*text = (struct scan_text){0};
}
