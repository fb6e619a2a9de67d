/* SPDX-License-Identifier: MIT
 *
 * The text is read once, word by word. A word is split into pieces of letters and digits. A name
 * made by a person has letters, then a few digits; a random token mixes both, or is long. The time
 * is linear for every text. This file must never know the format of a secret.
 */
#include "store/redact.h"

#include <sodium.h>
#include <string.h>

#include "base/digest.h"

#define MARK "[hash:"
enum {
	MARK_LEN = sizeof(MARK) - 1,
	OPEN_HEX = 2 * DIGEST_BYTES,
	SEALED_HEX = 16,
	LETTERS_MAX = 32, /* of a plain piece */
	MIXED_LETTERS_MAX = 16,
	NUMBER_MAX = 8,	      /* digits of a plain number, for example a date */
	SUFFIX_MAX = 4,	      /* digits before or after letters */
	SHORT_MAX = 5,	      /* i18n, k8s: may change twice between letters and digits */
	NAME_MAX_BYTES = 128, /* of one name in a path */
	HOST_MAX = 253,
	PORT_MAX = 5,
	SCHEME_MAX = 32,
	SMALL_NUMBER_MAX = 3, /* digits of a count after "name:" */
};

struct text {
	const char *p;
	size_t len;
};

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

/* Letters of any language: tokens are ASCII. */
static bool is_letter(char c)
{
	return is_upper(c) || (c >= 'a' && c <= 'z') || (unsigned char)c >= 0x80;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_one_of(char c, const char *set)
{
	return c && strchr(set, c);
}

/* The characters of a word. The rest of ASCII separates words. */
static bool is_word(char c)
{
	return is_letter(c) || is_digit(c) || is_one_of(c, "-_.~+/\\:@%?#&$");
}

static bool is_slash(char c)
{
	return c == '/' || c == '\\';
}

static size_t hex_end(struct text t, size_t at)
{
	while (at < t.len && (is_digit(t.p[at]) || (t.p[at] >= 'a' && t.p[at] <= 'f')))
		at++;
	return at;
}

/* The end of a mark that begins at AT; or AT. */
static size_t mark_end(struct text t, size_t at)
{
	if (t.len - at <= MARK_LEN || memcmp(t.p + at, MARK, MARK_LEN) != 0)
		return at;
	size_t end = hex_end(t, at + MARK_LEN), len = end - at - MARK_LEN;
	bool whole = end < t.len && t.p[end] == ']' && (len == OPEN_HEX || len == SEALED_HEX);

	return whole ? end + 1 : at;
}

static void put_hash(struct buf *out, struct text t, size_t from, size_t to)
{
	uint8_t hash[DIGEST_BYTES];

	if (from >= to)
		return;
	if (mark_end(t, from) == to) {
		buf_add(out, t.p + from, to - from);
		return;
	}
	digest_of(hash, t.p + from, to - from);
	buf_str(out, MARK);
	buf_hex(out, hash, sizeof(hash));
	buf_add(out, "]", 1);
}

/* Do the letters look like words? small, LARGE, Capital, camelCase, HTMLParser; not XnLc. */
static bool is_said(const char *p, size_t len)
{
	size_t from = 0, humps = 0;

	if (len > LETTERS_MAX)
		return false;
	while (from < len) {
		size_t upper = 0, lower = 0;
		while (from + upper < len && is_upper(p[from + upper]))
			upper++;
		while (from + upper + lower < len && !is_upper(p[from + upper + lower]))
			lower++;
		bool last = from + upper + lower == len;
		if (from > 0 && upper > 1 && !last)
			return false;
		if (from > 0 && upper > 1 && lower > 0)
			return false;
		if (upper && lower == 1 && !last && len > SHORT_MAX + 1)
			return false;
		humps++;
		from += upper + lower;
	}
	return humps <= 1 + len / 4 || len <= SHORT_MAX + 1;
}

/* Letters and digits only. */
static bool is_plain_piece(const char *p, size_t len)
{
	size_t digits = 0, changes = 0;

	for (size_t i = 0; i < len; i++) {
		digits += is_digit(p[i]);
		changes += i && is_digit(p[i]) != is_digit(p[i - 1]);
	}
	if (digits == 0)
		return is_said(p, len);
	if (digits == len)
		return len <= NUMBER_MAX;
	if (len <= SHORT_MAX)
		return changes <= 2;
	if (changes > 1 || digits > SUFFIX_MAX || len - digits > MIXED_LETTERS_MAX)
		return false;
	return is_digit(p[0]) ? is_said(p + digits, len - digits) : is_said(p, len - digits);
}

/* A word, or one name of a path. An escape as "%41" may hide anything. */
static bool is_plain(const char *p, size_t len)
{
	size_t from = 0;

	if (len > NAME_MAX_BYTES || (len > 1 && memchr(p, '%', len - 1)))
		return false;
	for (size_t i = 0; i <= len; i++) {
		if (i < len && (is_letter(p[i]) || is_digit(p[i])))
			continue;
		if (!is_plain_piece(p + from, i - from))
			return false;
		from = i + 1;
	}
	return true;
}

/* Skips signs without a meaning of their own, as in "https://host/ " or "why?". */
static size_t signs_end(struct text t, size_t at, size_t end)
{
	while (at < end && !is_letter(t.p[at]) && !is_digit(t.p[at]) && t.p[at] != '[')
		at++;
	return at;
}

/* A value ends at its closing quote, or without one (0) at a space or separator. */
static size_t value_end(struct text t, size_t at, char quote)
{
	while (at < t.len && t.p[at] != '\n' &&
	       (quote ? t.p[at] != quote
		      : !is_space(t.p[at]) && !is_one_of(t.p[at], "\"'`,;)}<>"))) {
		size_t mark = mark_end(t, at);
		at = mark > at ? mark : at + 1;
	}
	return at;
}

/* Hashes the value at AT, after spaces and an opening quote. Returns the value's end. */
static size_t put_value(struct buf *out, struct text t, size_t at)
{
	size_t from = at;
	char quote = 0;

	while (from < t.len && (t.p[from] == ' ' || t.p[from] == '\t'))
		from++;
	if (from < t.len && t.p[from] == '\\' && from + 1 < t.len &&
	    is_one_of(t.p[from + 1], "\"'"))
		from++;
	if (from < t.len && is_one_of(t.p[from], "\"'`"))
		quote = t.p[from++];
	buf_add(out, t.p + at, from - at);
	size_t to = value_end(t, from, quote);
	put_hash(out, t, from, to);
	return to;
}

static bool is_host(const char *p, size_t len)
{
	size_t at = 0;

	if (len && p[0] == '[') {
		for (at = 1; at < len && (is_digit(p[at]) || is_one_of(p[at], "abcdefABCDEF:."));
		     at++)
			;
		if (at == len || p[at++] != ']')
			return false;
	}
	for (; at < len && p[at] != ':'; at++)
		if ((!is_letter(p[at]) && !is_digit(p[at]) && !is_one_of(p[at], "-.")) ||
		    at > HOST_MAX)
			return false;
	size_t port = at < len ? len - at - 1 : 0;
	for (size_t i = at + 1; i < len; i++)
		if (!is_digit(p[i]))
			return false;
	return at > 0 && port <= PORT_MAX && (at == len || port > 0);
}

/* The address after "://". A password may contain any character, even a slash. If an @ follows the
 * first slash, the part before the slash is kept only if it is clearly a host. */
static size_t put_address(struct buf *out, struct text t, size_t at)
{
	size_t end = at, host = at;

	while (end < t.len && !is_space(t.p[end]) && !is_one_of(t.p[end], "\"'`<>")) {
		size_t mark = mark_end(t, end);
		end = mark > end ? mark : end + 1;
	}
	size_t slash = at;
	while (slash < end && !is_one_of(t.p[slash], "/?#;\\,)}"))
		slash++;
	const char *user = memrchr(t.p + at, '@', slash - at);
	if (user)
		host = (size_t)(user - t.p) + 1;
	bool more = memchr(t.p + slash, '@', end - slash) != NULL;
	bool doubt = more &&
		     (user || !memchr(t.p + host, '.', slash - host) ||
		      memchr(t.p + host, ':', slash - host) || !is_plain(t.p + host, slash - host));
	if (doubt || !is_host(t.p + host, slash - host)) {
		put_hash(out, t, at, end);
		return end;
	}
	if (user)
		put_hash(out, t, at, host - 1);
	buf_add(out, t.p + (user ? host - 1 : host), slash - host + (user ? 1 : 0));
	size_t signs = signs_end(t, slash, end);
	if (signs < end)
		signs = slash + (slash < end); /* keep one sign, hash the rest */
	buf_add(out, t.p + slash, signs - slash);
	put_hash(out, t, signs, end);
	return end;
}

/* In ":443", ":12:3" and ":/path" a number or a path follows the colon; anything else is a value. */
static bool is_value_colon(struct text t, size_t at, size_t end)
{
	size_t next = at + 1, digits = next;

	if (next == end || is_slash(t.p[next]) || t.p[next] == ':')
		return false;
	while (digits < end && is_digit(t.p[digits]))
		digits++;
	return digits == next || digits - next > PORT_MAX ||
	       (digits < end && is_one_of(t.p[digits], "_@%+~$&")) ||
	       (digits < end && is_letter(t.p[digits]));
}

/* Names between slashes. In a path that begins with / ~ or . each name is judged alone; otherwise
 * it may be one token with slashes in it. */
static void put_path(struct buf *out, struct text t, size_t at, size_t end)
{
	bool rooted = at < end && (is_slash(t.p[at]) || t.p[at] == '~' || t.p[at] == '.');
	bool all = true;

	for (size_t from = at, i = at; i <= end; i++)
		if (i == end || is_slash(t.p[i]) || t.p[i] == ':') {
			all = all && is_plain(t.p + from, i - from);
			from = i + 1;
		}
	if (all || !rooted) {
		if (all)
			buf_add(out, t.p + at, end - at);
		else
			put_hash(out, t, at, end);
		return;
	}
	for (size_t from = at, i = at; i <= end; i++)
		if (i == end || is_slash(t.p[i]) || t.p[i] == ':') {
			if (is_plain(t.p + from, i - from))
				buf_add(out, t.p + from, i - from);
			else
				put_hash(out, t, from, i);
			buf_add(out, t.p + i, i < end);
			from = i + 1;
		}
}

/* The end of a word's path, before its query, fragment or value. */
static size_t path_end(struct text t, size_t at, size_t end, bool *ret_value)
{
	size_t last = end;

	while (last > at && !is_letter(t.p[last - 1]) && !is_digit(t.p[last - 1]))
		last--; /* "why?" has no query */
	*ret_value = true;
	for (size_t i = at; i < last; i++) {
		if (is_one_of(t.p[i], "?#&"))
			return i;
		if (t.p[i] == ':' && is_value_colon(t, i, end))
			return i;
	}
	*ret_value = false;
	return end;
}

static size_t word_end(struct text t, size_t at)
{
	while (at < t.len && is_word(t.p[at]))
		at++;
	return at;
}

/* If the word at AT is a URL, where its "://" is; or 0. */
static size_t scheme_end(struct text t, size_t at, size_t end)
{
	for (size_t i = at; i + 2 < end && i - at <= SCHEME_MAX; i++) {
		if (t.p[i] == ':' && t.p[i + 1] == '/' && t.p[i + 2] == '/')
			return is_plain(t.p + at, i - at) ? i : 0;
		if (!is_letter(t.p[i]) && !is_digit(t.p[i]) && !is_one_of(t.p[i], "+.-:"))
			return 0;
	}
	return 0;
}

/* -p, --password: the next word is its value, unless it is an option too. */
static bool is_option(struct text t, size_t at, size_t end)
{
	bool is = end - at > 1 && t.p[at] == '-' && (is_letter(t.p[at + 1]) || t.p[at + 1] == '-');

	return is && end + 1 < t.len && is_one_of(t.p[end], " \t\"',") && t.p[end + 1] != '-';
}

/* X-Api-Key: the rest of the line is its value. */
static bool is_header(struct text t, size_t at, size_t end)
{
	const char *slash = memrchr(t.p + at, '/', end - at);
	size_t name = slash ? (size_t)(slash - t.p) + 1 : at;

	return end - name > 2 && t.p[end - 1] == ':' && is_upper(t.p[name]) &&
	       memchr(t.p + name, '-', end - name);
}

/* "password: hunter2": the end of a value to be hashed, or END. A word of letters, a small number,
 * a path or a URL stays. */
static size_t named_value_end(struct text t, size_t at, size_t end, size_t from)
{
	bool has_name = end - at > 1 && t.p[end - 1] == ':' && from > end && from < t.len;

	if (!has_name || is_slash(t.p[from]) || scheme_end(t, from, word_end(t, from)))
		return end;
	size_t to = value_end(t, from, 0), digits = from, letters = from;
	while (digits < to && is_digit(t.p[digits]))
		digits++;
	while (letters < to && (is_letter(t.p[letters]) || is_one_of(t.p[letters], "-.")))
		letters++;
	bool stays = letters == to || (digits == to && to - from <= SMALL_NUMBER_MAX);
	return stays ? end : to;
}

static size_t put_word(struct buf *out, struct text t, size_t at)
{
	size_t end = word_end(t, at), scheme = scheme_end(t, at, end);
	bool has_value = false;

	if (scheme && !(scheme + 3 < t.len && is_slash(t.p[scheme + 3]))) {
		buf_add(out, t.p + at, scheme + 3 - at);
		return put_address(out, t, scheme + 3);
	}
	if (scheme) { /* file:///home */
		buf_add(out, t.p + at, scheme + 3 - at);
		at = scheme + 3;
	}
	/* -pSECRET, an option with its value attached */
	if (end - at > 2 && t.p[at] == '-' && is_letter(t.p[at + 1])) {
		buf_add(out, t.p + at, 2);
		put_hash(out, t, at + 2, end);
	} else {
		size_t path = path_end(t, at, end, &has_value);
		put_path(out, t, at, path);
		if (has_value) {
			buf_add(out, t.p + path, 1);
			end = value_end(t, path + 1, 0);
			put_hash(out, t, path + 1, end);
			return end;
		}
	}
	if (is_header(t, at, end)) {
		size_t line = value_end(t, end, '\n');
		size_t from = end + (end < line && t.p[end] == ' ');
		buf_add(out, t.p + end, from - end);
		put_hash(out, t, from, line);
		return line;
	}
	size_t next = end;
	while (next < t.len && is_one_of(t.p[next], " \t"))
		next++;
	size_t value = named_value_end(t, at, end, next);
	if (value > end) {
		buf_add(out, t.p + end, next - end);
		put_hash(out, t, next, value);
		return value;
	}
	if (!is_option(t, at, end))
		return end;
	/* In a list of arguments, quotes and a comma may stand between option and value. */
	size_t gap = end;
	while (gap < t.len && is_one_of(t.p[gap], "\"', \t"))
		gap++;
	if (gap >= t.len || t.p[gap] == '-')
		return end;
	char quote = (char)(gap > end && !is_one_of(t.p[gap - 1], " \t") ? t.p[gap - 1] : 0);
	buf_add(out, t.p + end, gap - end);
	end = value_end(t, gap, (char)(quote == ',' ? 0 : quote));
	put_hash(out, t, gap, end);
	return end;
}

/* Does a value follow, as in "name": value and name = value? */
static bool is_sign(struct text t, size_t at)
{
	if (t.p[at] == '=')
		return true;
	return t.p[at] == ':' && at > 0 && is_one_of(t.p[at - 1], "\"'`");
}

void redact(struct buf *out, const char *text, size_t len)
{
	struct text t = {text, len};

	for (size_t at = 0; at < len;) {
		size_t mark = mark_end(t, at);
		if (mark > at) {
			buf_add(out, text + at, mark - at);
			at = mark;
		} else if (is_sign(t, at)) {
			size_t from = at;
			while (at < len && is_one_of(text[at], "=:>"))
				at++;
			buf_add(out, text + from, at - from);
			at = put_value(out, t, at);
		} else if (is_word(text[at]) && t.p[at] != '#' && t.p[at] != '?') {
			at = put_word(out, t, at);
		} else {
			buf_add(out, text + at++, 1);
		}
	}
}

/* The first byte of the next open mark, or the end. */
static size_t next_open(struct text t, size_t at)
{
	while (at < t.len) {
		const char *p = memmem(t.p + at, t.len - at, MARK, MARK_LEN);
		if (!p)
			return t.len;
		at = (size_t)(p - t.p);
		if (mark_end(t, at) == at + REDACT_OPEN_MAX)
			return at;
		at++;
	}
	return t.len;
}

bool redact_is_open(const void *text, size_t len)
{
	return next_open((struct text){text, len}, 0) < len;
}

void redact_seal(struct buf *out, const void *text, size_t len, const uint8_t key[REDACT_KEY])
{
	struct text t = {text, len};

	for (size_t at = 0; at < len;) {
		size_t open = next_open(t, at);
		uint8_t hash[crypto_generichash_BYTES_MIN];
		buf_add(out, t.p + at, open - at);
		if (open == len)
			return;
		crypto_generichash(hash, sizeof(hash), (const uint8_t *)t.p + open + MARK_LEN,
				   OPEN_HEX, key, REDACT_KEY);
		buf_str(out, MARK);
		buf_hex(out, hash, SEALED_HEX / 2);
		buf_add(out, "]", 1);
		at = open + REDACT_OPEN_MAX;
	}
}
