/* SPDX-License-Identifier: MIT
 *
 * Base64 and hex: runs of characters of one class. Whether a run is there at all is found by
 * decode_next_run() at little cost. A run may go on behind a line's end or in the next string of a
 * list; what is not text when its pieces are joined is tried piece by piece. Letters that stand
 * directly before a run shift it, so base64 is tried at four places and hex at two.
 */
#include <string.h>

#include "scan/decode.h"
#include "scan/decode_part.h"

enum { MORE_MIN = 4, STRETCHES_FROM = 64 };

/* What a character stands for, and one more; 0: it is of no run. */
/* clang-format off */
static const uint8_t base64_value[256] = {
	['+'] = 63, ['-'] = 63, ['/'] = 64, ['_'] = 64,
	['0'] = 53, 54, 55, 56, 57, 58, 59, 60, 61, 62,
	['A'] = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
		14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
	['a'] = 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39,
		40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52,
};
static const uint8_t hex_value[256] = {
	['0'] = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
	['A'] = 11, 12, 13, 14, 15, 16,
	['a'] = 11, 12, 13, 14, 15, 16,
};
/* clang-format on */

struct alphabet {
	const char *how, *how_utf16;
	const uint8_t *value;
	struct decode_class class;
	size_t bits;   /* of one character */
	size_t shifts; /* places at which a byte can begin */
};
/* clang-format off */
static const struct alphabet base64 = {
	"base64", "base64+utf-16", base64_value,
	{base64_value, 6, {{'a', 'z', 0x20}, {'0', '9', 0}, {'+', '+', 0}, {'-', '-', 0},
			   {'/', '/', 0}, {'_', '_', 0}}},
	6, 4};
static const struct alphabet hex = {
	"hex", "hex+utf-16", hex_value, {hex_value, 2, {{'0', '9', 0}, {'a', 'f', 0x20}}}, 4, 2};
/* clang-format on */

/* One parent being searched. */
struct search {
	struct decoder *d;
	const struct alphabet *a;
	const char *s;
	size_t len;
	char *chars, *bytes, *text; /* scratch */
	size_t n;		    /* characters gathered */
};

static bool is_in(const struct alphabet *a, char c)
{
	return a->value[(unsigned char)c] != 0;
}

static size_t run_end(const struct search *q, size_t at)
{
	while (at < q->len && is_in(q->a, q->s[at]))
		at++;
	return at;
}

/* The length of one separator at AT: space, a quote, a comma, or what joins strings. 0: none. A line
 * break may also be written \n. */
static size_t separator(const struct search *q, size_t at, bool *breaks)
{
	char c = q->s[at], next = at + 1 < q->len ? q->s[at + 1] : '\0';

	if (c == '\n' || c == '"' || c == '\'' || c == '`')
		*breaks = true;
	else if (c == '\\' && (next == 'n' || next == 'r'))
		return *breaks = true, 2;
	else if (c == '+')
		return next == ' ' || next == '"' || next == '\'' || next == '\n';
	else
		return c == ' ' || c == '\t' || c == '\r' || c == '\\' || c == ',' || c == '.';
	return 1;
}

/* Where the run that ended at END goes on; 0: nowhere. */
static size_t next_piece(const struct search *q, size_t end)
{
	size_t at = end, step;
	bool breaks = false;

	while (at < q->len && at - end < DECODE_GAP_MAX && (step = separator(q, at, &breaks)))
		at += step;
	if (!breaks || at >= q->len || run_end(q, at) - at < MORE_MIN)
		return 0;
	return at;
}

static size_t unpack(const struct alphabet *a, const char *in, size_t n, char *out)
{
	uint32_t word = 0;
	size_t bits = 0, len = 0;

	for (size_t i = 0; i < n; i++) {
		word = word << a->bits | (uint32_t)(a->value[(unsigned char)in[i]] - 1);
		bits += a->bits;
		if (bits >= 8) {
			bits -= 8;
			out[len++] = (char)(word >> bits);
		}
	}
	return len;
}

struct answer {
	const char *how, *data;
	size_t len;
};

/* What the gathered characters say when read from SHIFT on, if that is text. *LONGEST: the most
 * that is readable in a row. */
static bool read_whole(struct search *q, size_t shift, struct answer *ret, size_t *longest)
{
	size_t len = unpack(q->a, q->chars + shift, q->n - shift, q->bytes);
	struct decode_measure m = decode_measure(q->bytes, len, q->n < STRETCHES_FROM);

	*ret = (struct answer){q->a->how, q->bytes, len};
	*longest = m.longest;
	if (decode_is_text(&m, len))
		return true;
	enum decode_utf16 order = decode_guess_utf16(q->bytes, len);
	if (!order)
		return false;
	len = decode_from_utf16(q->bytes, len, order, q->text);
	m = decode_measure(q->text, len, true);
	*ret = (struct answer){q->a->how_utf16, q->text, len};
	return decode_is_text(&m, len);
}

/* As text, or else what is readable in it from where most of it is. */
static bool read_any(struct search *q, struct answer *ret)
{
	size_t best = 0, best_shift = 0, longest;

	for (size_t shift = 0; shift < q->a->shifts && shift < q->n; shift++) {
		if (read_whole(q, shift, ret, &longest))
			return true;
		if (longest > best) {
			best = longest;
			best_shift = shift;
		}
	}
	if (q->n < STRETCHES_FROM || best < DECODE_STRETCH_MIN)
		return false;
	size_t len = unpack(q->a, q->chars + best_shift, q->n - best_shift, q->bytes);
	*ret = (struct answer){q->a->how, q->bytes, decode_stretches(q->bytes, len)};
	return true;
}

/* Tells what the gathered characters say; false: nothing. *GO_ON: whether more is wanted. */
static bool tell(struct search *q, size_t offset, size_t end, bool *go_on)
{
	struct answer a;

	if (!read_any(q, &a))
		return false;
	*go_on = decode_found(q->d,
			      &(struct decode_part){a.how, a.data, a.len, offset, end - offset});
	return true;
}

static void gather(struct search *q, size_t from, size_t to)
{
	memcpy(q->chars + q->n, q->s + from, to - from);
	q->n += to - from;
}

/* Each piece for itself. */
static bool tell_pieces(struct search *q, size_t at, size_t end)
{
	bool go_on = true;

	for (size_t stop; at < end && go_on; at = next_piece(q, stop)) {
		stop = run_end(q, at);
		q->n = 0;
		gather(q, at, stop);
		if (q->n >= DECODE_RUN_MIN)
			tell(q, at, stop, &go_on);
		if (stop == end)
			break;
	}
	return go_on;
}

/* The run at AT with all its pieces. */
static bool take_run(struct search *q, size_t at, size_t *ret_end)
{
	size_t end = at, pieces = 0;
	bool go_on = true;

	q->n = 0;
	for (size_t piece = at; piece || !pieces; piece = next_piece(q, end), pieces++) {
		end = run_end(q, piece);
		gather(q, piece, end);
	}
	*ret_end = end;
	if (tell(q, at, end, &go_on) || pieces == 1)
		return go_on;
	return tell_pieces(q, at, end);
}

static bool search(struct decoder *d, const struct alphabet *a, const char *s, size_t len)
{
	struct search q = {.d = d, .a = a, .s = s, .len = len};
	bool go_on = true;

	for (size_t at = decode_next_run(&a->class, s, len, 0); at < len && go_on;
	     at = decode_next_run(&a->class, s, len, at)) {
		char *const *scratch = decode_scratch(d);
		if (!scratch)
			return false;
		q.chars = scratch[0];
		q.bytes = scratch[1];
		q.text = scratch[2];
		go_on = take_run(&q, at, &at);
	}
	return go_on;
}

bool decode_base64(struct decoder *d, const char *data, size_t len)
{
	return search(d, &base64, data, len);
}

bool decode_hex(struct decoder *d, const char *data, size_t len)
{
	return search(d, &hex, data, len);
}
