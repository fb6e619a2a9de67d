/* SPDX-License-Identifier: MIT
 *
 * Two loops: one for ASCII, which has no branch that depends on the text, and one for other
 * characters.
 */
#include "scan/text/fold.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

static const struct {
	uint32_t low, high;
} spaces[] = {
	{'\t', '\r'},	  {' ', ' '},	    {0xa0, 0xa0},     {0x1680, 0x1680}, {0x2000, 0x200a},
	{0x2028, 0x2029}, {0x202f, 0x202f}, {0x205f, 0x205f}, {0x3000, 0x3000}, {0xfeff, 0xfeff},
};

bool fold_is_space(uint32_t c)
{
	for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]) && c >= spaces[i].low; i++)
		if (c <= spaces[i].high)
			return true;
	return false;
}

size_t fold_char(uint32_t c, char *out)
{
	if (fold_is_space(c))
		c = ' ';
	else if (c - 'A' < 26)
		c += 'a' - 'A';
	else if (c == 0x17f)
		c = 's';
	else if (c == 0x212a)
		c = 'k';
	return utf8_put(out, c);
}

/* Room for a text of LEN bytes. */
static int make_room(struct folded *f, size_t len, struct err *err)
{
	size_t room = len + FOLD_PAD;

	if (len > FOLD_TEXT_MAX)
		return err_set(err, ERR_LIMIT, "text: %zu bytes, at most %zu", len, FOLD_TEXT_MAX);
	if (f->room >= room)
		return 0;
	fold_done(f);
	room += room / 4;
	f->byte = malloc(room);
	f->map = calloc(room, sizeof(*f->map));
	if (!f->byte || !f->map) {
		fold_done(f);
		return err_memory(err);
	}
	f->room = room;
	return 0;
}

enum { SPACE = 1, NEWLINE = 2, CONTROL = 4 };

static const uint8_t ascii_kind[256] = {
	[0 ... 8] = CONTROL,	  ['\t'] = SPACE,
	['\n'] = SPACE | NEWLINE, ['\v'] = SPACE | CONTROL,
	['\f'] = SPACE | CONTROL, ['\r'] = SPACE | NEWLINE,
	[0xe ... 0x1f] = CONTROL, [' '] = SPACE,
	[0x7f] = CONTROL,
};

static inline uint8_t lower(uint8_t c)
{
	return (uint8_t)((unsigned)c - 'A' < 26 ? c | 32 : c);
}

typedef uint8_t vector __attribute__((vector_size(16)));
typedef uint32_t places __attribute__((vector_size(16)));

/* Copies and lowers sixteen bytes of ASCII without two adjacent spaces; most text is such. The
 * byte before them is ASCII too. */
static bool fold_plain(const char *text, size_t at, uint8_t *byte, uint32_t *map)
{
	const places four = {0, 1, 2, 3};
	vector now, before;
	uint64_t half[2];

	memcpy(&now, text + at, sizeof(now));
	memcpy(&before, text + at - 1, sizeof(before));
	vector odd = (vector)(now < ' ') | (vector)(now >= 0x7f) |
		     ((vector)(now <= ' ') & (vector)(before <= ' '));
	memcpy(half, &odd, sizeof(half));
	if (half[0] | half[1])
		return false;
	now |= (vector)(now - 'A' < 26) & 32;
	memcpy(byte, &now, sizeof(now));
	for (uint32_t i = 0; i < 16; i += 4) {
		places p = four + (uint32_t)(at + i);
		memcpy(map + i, &p, sizeof(p));
	}
	return true;
}

/* A space after a space overwrites it. */
static size_t fold_ascii(struct folded *f, const char *text, size_t len)
{
	uint8_t *byte = f->byte;
	uint32_t *map = f->map;
	size_t k = 0, i = 0;
	uint32_t before = 0, seen = 0;

	while (i < len) {
		size_t end = i + 8 < len ? i + 8 : len;

		for (; i < end; i++) {
			uint8_t c = (uint8_t)text[i];
			uint32_t kind = ascii_kind[c], space = kind & SPACE;
			uint32_t again = space & before, old = map[k - again];

			k -= again;
			byte[k] = space ? ' ' : lower(c);
			map[k] = (again ? old : (uint32_t)i) | kind >> 1 << 31;
			seen |= kind;
			k++;
			before = space;
		}
		while (i + 16 <= len && fold_plain(text, i, byte + k, map + k)) {
			i += 16;
			k += 16;
			before = text[i - 1] == ' ';
		}
	}
	f->control = seen & CONTROL;
	return k;
}

/* Of the first 256 pages of 256 characters, those with a character beyond ASCII that folds. */
static const bool odd_page[256] = {
	[0x00] = true, [0x01] = true, [0x16] = true, [0x20] = true,
	[0x21] = true, [0x30] = true, [0xfe] = true,
};

/* Copies LEN bytes from AT to place K; returns the next place. */
static size_t fold_copied(struct folded *f, const char *text, size_t len, size_t at, size_t k)
{
	for (size_t i = 0; i < len; i++) {
		f->byte[k + i] = (uint8_t)text[at + i];
		f->map[k + i] = (uint32_t)(at + i);
	}
	return k + len;
}

/* May it become a space or a letter of ASCII? */
static size_t fold_odd(struct folded *f, const char *text, const struct utf8_char *c, size_t at,
		       size_t k)
{
	char out[UTF8_CHAR_MAX];
	size_t n = fold_char(c->value, out);

	if (n > 1)
		return fold_copied(f, text, c->len, at, k);
	f->letter |= out[0] != ' ';
	if (out[0] != ' ' || !k || f->byte[k - 1] != ' ') {
		f->byte[k] = (uint8_t)out[0];
		f->map[k++] = (uint32_t)at;
	}
	if (fold_is_newline(c->value))
		f->map[k - 1] |= FOLD_NEWLINE;
	return k;
}

/* Copies the character at AT, which is not ASCII, to place K; returns its length. */
static size_t fold_beyond(struct folded *f, const char *text, size_t len, size_t at, size_t *k)
{
	struct utf8_char c = utf8_next(text, len, at);

	/* Half of a surrogate pair, in three bytes. utf8_next() calls it broken; here it is
	 * copied. */
	if (c.broken) {
		*k = fold_copied(f, text, 1, at, *k);
		return 1;
	}
	f->point[c.value % FOLD_POINTS / 64] |= (uint64_t)1 << c.value % 64;
	if (c.value <= 0xffff && odd_page[c.value >> 8])
		*k = fold_odd(f, text, &c, at, *k);
	else
		*k = fold_copied(f, text, c.len, at, *k);
	return c.len;
}

static size_t fold_wide(struct folded *f, const char *text, size_t len)
{
	size_t k = 0;
	uint32_t seen = 0, ascii = 0;

	memset(f->point, 0, sizeof(f->point));
	for (size_t i = 0; i < len;) {
		uint8_t c = (uint8_t)text[i];
		uint32_t kind = ascii_kind[c];

		if (c >= 0x80) {
			i += fold_beyond(f, text, len, i, &k);
			ascii = 0;
			continue;
		}
		seen |= kind;
		if (!(kind & SPACE) || !k || f->byte[k - 1] != ' ') {
			f->byte[k] = kind & SPACE ? ' ' : lower(c);
			f->map[k++] = (uint32_t)i;
		}
		if (kind & NEWLINE)
			f->map[k - 1] |= FOLD_NEWLINE;
		i++;
		if (++ascii % 8)
			continue;
		for (; i + 16 <= len && fold_plain(text, i, f->byte + k, f->map + k); i += 16)
			k += 16;
	}
	f->control = seen & CONTROL;
	return k;
}

int fold_text(struct folded *f, const char *text, size_t len, bool ascii, struct err *err)
{
	if (make_room(f, len, err) < 0)
		return -1;
	f->map[0] = 0;
	f->letter = false;
	f->len = ascii ? fold_ascii(f, text, len) : fold_wide(f, text, len);
	memset(f->byte + f->len, 0xff, FOLD_PAD);
	f->map[f->len] = (uint32_t)len;
	return 0;
}

/* Bytes up to the next space or END, eight at a time. The padding after the text has no space. */
static size_t word_length(const uint8_t *from, const uint8_t *end)
{
	const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
	const uint8_t *at = from;

	for (; at < end; at += sizeof(uint64_t)) {
		uint64_t w;
		memcpy(&w, at, sizeof(w));
		w ^= ones * ' ';
		w = (w - ones) & ~w & tops;
		if (w)
			return (size_t)(at - from) + (size_t)__builtin_ctzll(w) / 8;
	}
	return (size_t)(end - from);
}

/* The longest row of equal words of LEAST bytes or more. */
static size_t most_equal_words(const struct folded *f, size_t least)
{
	const uint8_t *before = f->byte, *at = f->byte, *end = f->byte + f->len;
	size_t before_len = 0, most = 0, now = 0;

	while (at < end) {
		size_t len = word_length(at, end);

		if (len >= least && len == before_len && !memcmp(at, before, len))
			now++;
		else
			now = len >= least;
		most = now > most ? now : most;
		before = at;
		before_len = len;
		at += len + 1;
	}
	return most;
}

enum { TIMES = 3 };

/* Does the word after the space at SPACE stand TIMES times in a row? */
static bool is_said_again(const struct folded *f, size_t space)
{
	const uint8_t *first = f->byte + space, *end = f->byte + f->len;
	size_t len = first < end ? 1 + word_length(first + 1, end) : 0;

	return len > 1 && (size_t)(end - first) >= TIMES * len &&
	       !memcmp(first, first + len, (TIMES - 1) * len) &&
	       (first + TIMES * len == end || first[TIMES * len] == ' ');
}

/* All but the last TIMES words, with the spaces between them, have at least STRIDE bytes, and from
 * each of these bytes the next space is followed by TIMES of the words. So testing one place in
 * STRIDE is enough. Only where a word is repeated that often, which is rare, are all of them
 * counted. */
bool fold_has_equal_words(const struct folded *f, size_t count, size_t len)
{
	size_t stride = count > TIMES ? (len + 1) * (count - TIMES) - 1 : 0;
	const uint8_t *end = f->byte + f->len;

	for (size_t at = 0; stride; at += stride) {
		if (at >= f->len)
			return false;
		size_t space = at + word_length(f->byte + at, end);
		if (is_said_again(f, space))
			break;
		/* All places up to the space lead to the same one. */
		at = space + 1 > at + stride ? space + 1 - stride : at;
	}
	return most_equal_words(f, len) >= count;
}

void fold_done(struct folded *f)
{
	free(f->byte);
	free(f->map);
	memset(f, 0, sizeof(*f));
}
