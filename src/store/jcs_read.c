/* SPDX-License-Identifier: MIT
 *
 * The reader of canonical JSON. It accepts one spelling of each value and refuses every other. Its
 * input is untrusted: depth and length are bounded, and nothing is allocated.
 */
#include <string.h>

#include "base/scope.h"
#include "store/jcs.h"

struct scan {
	const uint8_t *p, *end;
	unsigned depth;
};

static bool value(struct scan *s);

static bool take(struct scan *s, const char *text)
{
	size_t len = strlen(text);

	if ((size_t)(s->end - s->p) < len || memcmp(s->p, text, len) != 0)
		return false;
	s->p += len;
	return true;
}

static bool is_tail(const struct scan *s, size_t at, uint8_t low, uint8_t high)
{
	return (size_t)(s->end - s->p) > at && s->p[at] >= low && s->p[at] <= high;
}

/* One row for each form of more than a byte (Unicode, table 3-7). */
static bool wide(struct scan *s)
{
	static const struct {
		uint8_t first, last, low, high;
		size_t len;
	} rows[] = {
		{0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
		{0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3},
		{0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
		{0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (*s->p < rows[i].first || *s->p > rows[i].last)
			continue;
		bool good = is_tail(s, 1, rows[i].low, rows[i].high);
		for (size_t k = 2; good && k < rows[i].len; k++)
			good = is_tail(s, k, 0x80, 0xbf);
		s->p += good ? rows[i].len : 0;
		return good;
	}
	return false;
}

static bool is_one_of(uint8_t c, const char *set)
{
	return c != '\0' && strchr(set, c);
}

static bool escaped(struct scan *s)
{
	size_t left = (size_t)(s->end - s->p);

	if (left >= 2 && is_one_of(s->p[1], "\"\\btnfr")) {
		s->p += 2;
		return true;
	}
	if (left < 6 || memcmp(s->p, "\\u00", 4) != 0 || (s->p[4] != '0' && s->p[4] != '1') ||
	    !is_one_of(s->p[5], "0123456789abcdef"))
		return false;
	/* Characters with a short escape must use it. */
	if (s->p[4] == '0' && is_one_of(s->p[5], "89acd"))
		return false;
	s->p += 6;
	return true;
}

static bool string(struct scan *s)
{
	if (!take(s, "\""))
		return false;
	while (s->p < s->end && *s->p != '"') {
		bool good = true;
		if (*s->p == '\\')
			good = escaped(s);
		else if (*s->p >= 0x80)
			good = wide(s);
		else if (*s->p < 0x20)
			good = false;
		else
			s->p++;
		if (!good)
			return false;
	}
	return take(s, "\"");
}

static bool number(struct scan *s)
{
	const uint8_t *from = s->p;
	int64_t n = 0;

	if (s->p < s->end && *s->p == '-')
		s->p++;
	const uint8_t *digits = s->p;
	while (s->p < s->end && *s->p >= '0' && *s->p <= '9') {
		n = n * 10 + (*s->p++ - '0');
		if (n > JCS_NUMBER_MAX)
			return false;
	}
	if (s->p == digits || (digits[0] == '0' && s->p != digits + 1))
		return false;
	return n != 0 || digits == from;
}

/* A name is printable ASCII without escapes: then byte order equals UTF-16 order (RFC 8785). */
static bool name(struct scan *s, struct jcs_span *ret)
{
	if (!take(s, "\""))
		return false;
	ret->data = s->p;
	while (s->p < s->end && *s->p >= 0x20 && *s->p < 0x7f && *s->p != '"' && *s->p != '\\')
		s->p++;
	ret->len = (size_t)(s->p - ret->data);
	return take(s, "\":");
}

static int compare(struct jcs_span a, struct jcs_span b)
{
	int order = memcmp(a.data, b.data, a.len < b.len ? a.len : b.len);

	return order ? order : (a.len > b.len) - (a.len < b.len);
}

static bool members(struct scan *s)
{
	struct jcs_span before = {0}, now;

	if (take(s, "}"))
		return true;
	for (bool first = true;; first = false) {
		if (!name(s, &now) || (!first && compare(before, now) >= 0) || !value(s))
			return false;
		before = now;
		if (take(s, "}"))
			return true;
		if (!take(s, ","))
			return false;
	}
}

static bool elements(struct scan *s)
{
	if (take(s, "]"))
		return true;
	for (;;) {
		if (!value(s))
			return false;
		if (take(s, "]"))
			return true;
		if (!take(s, ","))
			return false;
	}
}

static bool nested(struct scan *s, bool (*inside)(struct scan *s))
{
	if (s->depth > JCS_DEPTH_MAX)
		return false;
	s->p++;
	s->depth++;
	bool good = inside(s);
	s->depth--;
	return good;
}

static bool value(struct scan *s)
{
	if (s->p == s->end)
		return false;
	switch (*s->p) {
	case '{':
		return nested(s, members);
	case '[':
		return nested(s, elements);
	case '"':
		return string(s);
	case 't':
		return take(s, "true");
	case 'f':
		return take(s, "false");
	case 'n':
		return take(s, "null");
	default:
		return number(s);
	}
}

size_t jcs_value(const uint8_t *data, size_t len)
{
	struct scan s = {data, data + len, 0};

	return value(&s) ? (size_t)(s.p - data) : 0;
}

bool jcs_member(struct jcs_span object, const char *wanted, struct jcs_span *ret)
{
	struct scan s = {object.data, object.data + object.len, 1};
	struct jcs_span found;

	if (!take(&s, "{") || take(&s, "}"))
		return false;
	do {
		if (!name(&s, &found))
			return false;
		const uint8_t *from = s.p;
		if (!value(&s))
			return false;
		if (found.len == strlen(wanted) && memcmp(found.data, wanted, found.len) == 0) {
			*ret = (struct jcs_span){from, (size_t)(s.p - from)};
			return true;
		}
	} while (take(&s, ","));
	return false;
}

bool jcs_next(struct jcs_span list, size_t *at, struct jcs_span *ret)
{
	struct scan s = {list.data + *at, list.data + list.len, 1};

	if (*at == 0 ? !take(&s, "[") : !take(&s, ","))
		return false;
	const uint8_t *from = s.p;
	if (!value(&s))
		return false;
	*ret = (struct jcs_span){from, (size_t)(s.p - from)};
	*at = (size_t)(s.p - list.data);
	return true;
}

static char unescape(const uint8_t **p)
{
	static const char from[] = "\"\\btnfr", to[] = "\"\\\b\t\n\f\r";
	const char *row = strchr(from, (*p)[1]);

	if (row) {
		*p += 2;
		return to[row - from];
	}
	int low = (*p)[5] <= '9' ? (*p)[5] - '0' : (*p)[5] - 'a' + 10;
	char c = (char)(((*p)[4] - '0') * 16 + low);
	*p += 6;
	return c;
}

bool jcs_get_text(struct jcs_span v, char *ret, size_t size)
{
	struct scan s = {v.data, v.data + v.len, 0};
	size_t n = 0;

	if (size == 0 || !string(&s) || s.p != s.end)
		return false;
	for (const uint8_t *p = v.data + 1; p < s.end - 1; n++) {
		char c = (char)(*p == '\\' ? unescape(&p) : *p++);
		if (n + 1 >= size || c == '\0')
			return false;
		ret[n] = c;
	}
	ret[n] = '\0';
	return true;
}

bool jcs_get_int(struct jcs_span v, int64_t *ret)
{
	struct scan s = {v.data, v.data + v.len, 0};
	int64_t n = 0;

	if (!number(&s) || s.p != s.end)
		return false;
	for (const uint8_t *p = v.data + (v.data[0] == '-'); p < s.end; p++)
		n = n * 10 + (*p - '0');
	*ret = v.data[0] == '-' ? -n : n;
	return true;
}

bool jcs_text_at(struct jcs_span object, const char *name, char *ret, size_t size)
{
	struct jcs_span value;

	return jcs_member(object, name, &value) && jcs_get_text(value, ret, size);
}

static int digit(uint8_t c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool jcs_hex_at(struct jcs_span object, const char *name, uint8_t *ret, size_t len)
{
	struct jcs_span value;

	if (!jcs_member(object, name, &value) || value.len != 2 * len + 2 || value.data[0] != '"')
		return false;
	for (size_t i = 0; i < len; i++) {
		int high = digit(value.data[1 + 2 * i]), low = digit(value.data[2 + 2 * i]);
		if (high < 0 || low < 0)
			return false;
		ret[i] = (uint8_t)(high * 16 + low);
	}
	return true;
}
