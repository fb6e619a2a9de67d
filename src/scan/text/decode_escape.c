/* SPDX-License-Identifier: MIT
 *
 * Escapes of single characters, replaced in place: %41 and %u0041; \x41, \u0041, \101 and others
 * with a backslash; &#65; and the named entities for punctuation. The layer is the whole text, so
 * a word with one hidden letter is whole again. Each kind is a row with its first character; a
 * text without these characters costs three memchr. Common escapes (\n, \") are replaced too but
 * do not justify a layer.
 */
#include <stdio.h>
#include <string.h>

#include "base/scope.h"
#include "base/utf8.h"
#include "scan/text/decode_private.h"

enum { ENTITY_MAX = 12, HOW_MAX = 32 };

struct in {
	const char *s;
	size_t len, at;
};

/* An escape and its value. */
struct out {
	uint32_t value;
	size_t used; /* characters of the escape; 0: not an escape */
	bool byte;   /* a byte, maybe of a longer UTF-8 character; else a code point */
	bool plain;  /* too common to justify a layer */
};

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static char peek(const struct in *in, size_t ahead)
{
	return (char)(in->at + ahead < in->len ? in->s[in->at + ahead] : '\0');
}

/* Reads up to MOST digits of BASE, AHEAD of the place; returns their number. */
static size_t digits(const struct in *in, size_t ahead, size_t most, int base, uint32_t *ret)
{
	size_t n = 0;

	*ret = 0;
	for (int v; n < most && (v = hex_digit(peek(in, ahead + n))) >= 0 && v < base; n++)
		*ret = *ret * (uint32_t)base + (uint32_t)v;
	return n;
}

static bool is_character(uint32_t c)
{
	return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c != 0x7f && c <= 0x10ffff);
}

/* Exactly COUNT hex digits. */
static struct out fixed(const struct in *in, size_t ahead, size_t count, bool byte)
{
	struct out o = {.byte = byte};

	if (digits(in, ahead, count, 16, &o.value) == count && is_character(o.value))
		o.used = ahead + count;
	return o;
}

/* {41}: one to six hex digits in braces. */
static struct out braced(const struct in *in, size_t ahead)
{
	struct out o = {0};
	size_t n = digits(in, ahead + 1, 6, 16, &o.value);

	if (n && peek(in, ahead) == '{' && peek(in, ahead + 1 + n) == '}' && is_character(o.value))
		o.used = ahead + n + 2;
	return o;
}

static struct out read_percent(const struct in *in)
{
	if ((peek(in, 1) | 0x20) == 'u')
		return fixed(in, 2, 4, false);
	struct out o = fixed(in, 1, 2, true);
	/* printf also produces %0d and %0a for numbers. */
	o.plain = o.value < 0x20;
	return o;
}

/* \ud83d\ude00: adds the second half of a pair. A half alone is not a character. */
static struct out pair_up(const struct in *in, struct out o)
{
	struct in rest = {in->s, in->len, in->at + o.used};

	if (!o.used || o.value < 0xd800 || o.value > 0xdfff)
		return o;
	struct out low = {0};
	if (o.value < 0xdc00 && peek(&rest, 0) == '\\' && peek(&rest, 1) == 'u')
		low = fixed(&rest, 2, 4, false);
	if (!low.used || low.value < 0xdc00 || low.value > 0xdfff) {
		o.value = UTF8_REPLACEMENT;
		return o;
	}
	o.value = 0x10000 + ((o.value - 0xd800) << 10) + (low.value - 0xdc00);
	o.used += low.used;
	return o;
}

/* \101, \40 before a character that is not a digit, and \0101 as in echo and printf. */
static struct out read_octal(const struct in *in)
{
	struct out o = {.byte = true};
	size_t most = peek(in, 1) == '0' ? 4 : 3, n = digits(in, 1, most, 8, &o.value);

	if (o.value > 0xff)
		n = digits(in, 1, --n, 8, &o.value);
	if (n >= 2 && is_character(o.value))
		o.used = 1 + n;
	return o;
}

/* \n and similar. An escaped backslash counts only when an escape follows it. */
static struct out read_simple(const struct in *in)
{
	static const char from[] = "ntr\"'/\\`", to[] = "\n\t\r\"'/\\`";
	char c = peek(in, 1);
	const char *p = c ? strchr(from, c) : NULL;

	if (!p)
		return (struct out){0};
	bool nested = c == '\\' && peek(in, 2) && strchr("xuU01", peek(in, 2));
	return (struct out){(uint32_t)to[p - from], 2, true, !nested};
}

static struct out read_backslash(const struct in *in)
{
	char c = peek(in, 1);

	if (c == 'x' || c == 'u') {
		if (peek(in, 2) == '{')
			return braced(in, 2);
		return c == 'x' ? fixed(in, 2, 2, true) : pair_up(in, fixed(in, 2, 4, false));
	}
	if (c == 'U')
		return fixed(in, 2, 8, false);
	return c >= '0' && c <= '7' ? read_octal(in) : read_simple(in);
}

static const struct {
	char name[8];
	char value;
} entities[] = {
	{"lt", '<'},	 {"gt", '>'},	  {"amp", '&'},	     {"quot", '"'},   {"apos", '\''},
	{"nbsp", ' '},	 {"sol", '/'},	  {"bsol", '\\'},    {"colon", ':'},  {"semi", ';'},
	{"lpar", '('},	 {"rpar", ')'},	  {"lsqb", '['},     {"rsqb", ']'},   {"lcub", '{'},
	{"rcub", '}'},	 {"period", '.'}, {"comma", ','},    {"lowbar", '_'}, {"dollar", '$'},
	{"vert", '|'},	 {"grave", '`'},  {"num", '#'},	     {"percnt", '%'}, {"plus", '+'},
	{"equals", '='}, {"excl", '!'},	  {"quest", '?'},    {"ast", '*'},    {"commat", '@'},
	{"Tab", '\t'},	 {"hyphen", '-'}, {"NewLine", '\n'},
};

static struct out read_named(const struct in *in)
{
	size_t left = in->len - in->at - 1;
	const char *name = in->s + in->at + 1;
	const char *end = memchr(name, ';', left < ENTITY_MAX ? left : ENTITY_MAX);

	for (size_t i = 0; end && i < ARRAY_SIZE(entities); i++)
		if (strlen(entities[i].name) == (size_t)(end - name) &&
		    !memcmp(entities[i].name, name, (size_t)(end - name)))
			return (struct out){(uint32_t)entities[i].value, (size_t)(end - name) + 2,
					    true, false};
	return (struct out){0};
}

/* Any number of leading zeros, with or without the semicolon, as browsers accept it. */
static struct out read_entity(const struct in *in)
{
	struct out o = {0};
	bool is_hex = (peek(in, 2) | 0x20) == 'x';
	size_t ahead = is_hex ? 3 : 2;

	if (peek(in, 1) != '#')
		return read_named(in);
	while (peek(in, ahead) == '0')
		ahead++;
	size_t n = digits(in, ahead, 7, is_hex ? 16 : 10, &o.value);
	if (n && is_character(o.value))
		o.used = ahead + n + (peek(in, ahead + n) == ';');
	return pair_up(in, o);
}

static const struct kind {
	char first;
	const char *name;
	struct out (*read)(const struct in *in);
} kinds[] = {
	{'%', "url", read_percent}, {'\\', "escape", read_backslash}, {'&', "html", read_entity}};
enum { KINDS = ARRAY_SIZE(kinds) };

/* The next occurrence of each kind's first character. */
struct next {
	const char *at[KINDS];
};

static const char *find(const struct kind *k, const char *from, const char *end)
{
	const char *p = from < end ? memchr(from, k->first, (size_t)(end - from)) : NULL;

	return p ? p : end;
}

/* The kind whose first character comes first at or after FROM. */
static size_t nearest(struct next *next, const char *from, const char *end)
{
	size_t first = 0;

	for (size_t i = 0; i < KINDS; i++) {
		if (next->at[i] < from)
			next->at[i] = find(&kinds[i], from, end);
		if (next->at[i] < next->at[first])
			first = i;
	}
	return first;
}

struct result {
	char *data; /* as long as the text: every escape is longer than what it stands for */
	size_t len;
	size_t first, last; /* the part of the text that has escapes */
	unsigned used;	    /* kinds, as bits */
};

static void put(struct result *r, const struct out *o)
{
	if (o->byte)
		r->data[r->len++] = (char)o->value;
	else
		r->len += utf8_put(r->data + r->len, o->value);
}

static void copy(struct result *r, const char *from, const char *to)
{
	memcpy(r->data + r->len, from, (size_t)(to - from));
	r->len += (size_t)(to - from);
}

static void note(struct result *r, size_t kind, size_t at, size_t used)
{
	if (!r->used)
		r->first = at;
	r->last = at + used;
	r->used |= 1U << kind;
}

/* Without R->data nothing is written: the first pass only finds out whether a layer is needed. */
static void replace(struct result *r, const char *s, size_t len)
{
	const char *end = s + len, *from = s, *copied = s;
	struct next next;

	for (size_t i = 0; i < KINDS; i++)
		next.at[i] = find(&kinds[i], s, end);
	while (from < end) {
		size_t kind = nearest(&next, from, end);
		const char *at = next.at[kind];
		struct in in = {s, len, (size_t)(at - s)};
		if (at == end)
			break;
		struct out o = kinds[kind].read(&in);
		from = at + (o.used ? o.used : 1);
		if (o.used && !o.plain)
			note(r, kind, in.at, o.used);
		if (!r->data && r->used)
			return;
		if (!o.used || !r->data)
			continue;
		copy(r, copied, at);
		put(r, &o);
		copied = from;
	}
	if (r->data)
		copy(r, copied, end);
}

static void name_kinds(unsigned used, char to[HOW_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < KINDS; i++)
		if (used >> i & 1)
			n += (size_t)snprintf(to + n, HOW_MAX - n, "%s%s", n ? "+" : "",
					      kinds[i].name);
}

bool decode_escapes(struct decoder *d, const char *data, size_t len)
{
	struct result r = {0};
	char how[HOW_MAX];

	replace(&r, data, len);
	if (!r.used)
		return true;
	char *const *scratch = decode_scratch(d);
	if (!scratch)
		return false;
	r = (struct result){.data = scratch[0]};
	replace(&r, data, len);
	name_kinds(r.used, how);
	return decode_add(d, &(struct decode_part){how, r.data, r.len, r.first, r.last - r.first});
}
