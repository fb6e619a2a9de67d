/* SPDX-License-Identifier: MIT
 *
 * A table of disguises and their meanings, and the tags that can be inside a word. Reads the bytes
 * once; looks ahead at most ATOM_TAG_MAX bytes.
 */
#include "trust/evidence/atom_refang.h"

#include <ctype.h>
#include <string.h>

#include "base/scope.h"

enum { OTHER = 128, WIDE_MAX = 127 };

static const struct {
	char written[8], means[8];
} rows[] = {
	{"[.]", "."},	       {"(.)", "."},	      {"{.}", "."},	     {"[dot]", "."},
	{"(dot)", "."},	       {"{dot}", "."},	      {"[:]", ":"},	     {"[://]", "://"},
	{"[/]", "/"},	       {"[@]", "@"},	      {"[at]", "@"},	     {"(at)", "@"},
	{"hxxp", "http"},      {"\xc2\xad", ""}, /* soft hyphen */
	{"\xe2\x80\x8b", ""},			 /* U+200B, and what else is not seen */
	{"\xe2\x80\x8c", ""},  {"\xe2\x80\x8d", ""},  {"\xe2\x81\xa0", ""},  {"\xef\xbb\xbf", ""},
	{"\xe2\x80\x90", "-"}, /* U+2010 to U+2015, the minus, small and wide ones */
	{"\xe2\x80\x91", "-"}, {"\xe2\x80\x92", "-"}, {"\xe2\x80\x93", "-"}, {"\xe2\x80\x94", "-"},
	{"\xe2\x80\x95", "-"}, {"\xe2\x88\x92", "-"}, {"\xef\xb9\xa3", "-"}, {"\xef\xbc\x8d", "-"},
	{"\xe3\x80\x82", "."}, /* dots, to IDNA (RFC 3490) */
	{"\xef\xbc\x8e", "."}, {"\xef\xbd\xa1", "."},
};

/* What they, and tags, begin with. */
static const bool begins[256] = {
	['['] = true, ['('] = true,  ['{'] = true,  ['<'] = true,  ['h'] = true,
	['H'] = true, [0xc2] = true, [0xe2] = true, [0xe3] = true, [0xef] = true};

/* Tags that do not end a word. */
static const char tags[][8] = {"wbr", "b",   "i",   "u",    "s",    "em",    "a",
			       "tt",  "sub", "sup", "span", "font", "code",  "kbd",
			       "bdi", "bdo", "big", "mark", "ins",  "small", "strong"};

static size_t tag_at(const char *p, size_t len)
{
	size_t most = len < ATOM_TAG_MAX ? len : ATOM_TAG_MAX, name = 1, end;

	if (len > 4 && memcmp(p, "<!--", 4) == 0) {
		const char *close = memmem(p + 4, most - 4, "-->", 3);
		return close ? (size_t)(close - p) + 3 : 0;
	}
	name += len > 1 && p[1] == '/';
	for (end = name; end < most && isalpha((unsigned char)p[end]); end++)
		;
	for (size_t i = 0; i < ARRAY_SIZE(tags); i++) {
		if (strlen(tags[i]) != end - name ||
		    strncasecmp(p + name, tags[i], end - name) != 0)
			continue;
		const char *close = memchr(p + end, '>', most - end);
		return close ? (size_t)(close - p) + 1 : 0;
	}
	return 0;
}

/* How many bytes stand for *RET_MEANS; 0: these stand for themselves. */
static size_t mark_at(const char *p, size_t len, const char **ret_means)
{
	*ret_means = "";
	if (*p == '<')
		return tag_at(p, len);
	if (len > 2 && memcmp(p, "\xef\xb8", 2) == 0 && (uint8_t)p[2] >= 0x80 &&
	    (uint8_t)p[2] <= 0x8f)
		return 3; /* a variation selector */
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t n = strlen(rows[i].written);
		*ret_means = rows[i].means;
		if ((rows[i].written[0] | 32) == (*p | 32) && n <= len &&
		    strncasecmp(p, rows[i].written, n) == 0)
			return n;
	}
	return 0;
}

static void put(struct atom_refanged *w, char c, size_t from, size_t wide)
{
	w->text[w->len] = c;
	w->from[w->len] = (uint32_t)from;
	w->wide[w->len++] = (uint8_t)wide;
}

/* Writes MEANS in place of N bytes at AT. If MEANS is empty, these bytes are skipped: a word that only
 * ends before them counts as written plainly. */
static void take(struct atom_refanged *w, const char *means, size_t at, size_t n)
{
	w->is_other = true;
	for (size_t i = 0; means[i]; i++)
		put(w, means[i], at, OTHER | (n < WIDE_MAX ? n : WIDE_MAX));
}

size_t atom_refang(struct atom_refanged *w, const char *text, size_t len, size_t at,
		   const uint8_t classes[256], unsigned class)
{
	const char *means;

	w->len = w->behind = 0;
	w->is_other = false;
	for (; at < len && w->len + 4 < ATOM_REFANGED_MAX; at++) {
		char c = text[at];
		size_t n = begins[(uint8_t)c] ? mark_at(text + at, len - at, &means) : 0;
		if (n) {
			take(w, means, at, n);
			at += n - 1;
		} else if (classes[(uint8_t)c] & class) {
			put(w, c, at, 1);
		} else {
			break;
		}
	}
	for (; w->behind < 2 && at + w->behind < len; w->behind++)
		w->text[w->len + w->behind] = text[at + w->behind];
	return at < len && !w->len && !w->is_other ? at + 1 : at;
}

bool atom_refanged_place(const struct atom_refanged *w, size_t *at, size_t *len)
{
	size_t last = *at + *len - 1, from = w->from[*at];
	size_t to = w->from[last] + (w->wide[last] & WIDE_MAX);
	bool is_other = to - from != *len;

	for (size_t i = *at; i <= last && !is_other; i++)
		is_other = w->wide[i] & OTHER;
	*at = from;
	*len = to - from;
	return is_other;
}
