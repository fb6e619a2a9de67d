/* SPDX-License-Identifier: MIT
 *
 * Makes JSON objects from rows, and JSON strings from bytes.
 */
#include "show/jsonval.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "show/glyph.h"

json_t *jsonval_object(const struct json_field *fields, const void *of)
{
	json_t *o = json_object();

	for (; fields->name; fields++) {
		json_t *value = fields->make(of);
		if (value)
			json_object_set_new(o, fields->name, value);
	}
	return o;
}

json_t *jsonval_list(const struct json_field *fields, const void *first, size_t size, size_t count)
{
	json_t *all = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(all, jsonval_object(fields, (const char *)first + i * size));
	return all;
}

json_t *jsonval_array(void)
{
	json_t *a = json_array();

	return a ? a : json_null();
}

json_t *jsonval_map(void)
{
	json_t *o = json_object();

	return o ? o : json_null();
}

json_t *jsonval_number(uint64_t n)
{
	return json_integer((json_int_t)n);
}

json_t *jsonval_word(const char *word)
{
	return word ? json_string(word) : json_null();
}

static json_t *base64_json(const char *data, size_t len)
{
	size_t size = sodium_base64_ENCODED_LEN(len, sodium_base64_VARIANT_ORIGINAL);
	AUTO_FREE char *text = malloc(size);

	if (!text)
		return NULL;
	sodium_bin2base64(text, size, (const unsigned char *)data, len,
			  sodium_base64_VARIANT_ORIGINAL);
	return json_string(text);
}

json_t *jsonval_text(const char *s, size_t len)
{
	json_t *plain = json_stringn(s, len);

	return plain ? plain : base64_json(s, len);
}

json_t *jsonval_encoding(const char *s, size_t len)
{
	json_t *plain = json_stringn(s, len);

	json_decref(plain);
	return plain ? NULL : json_string("base64");
}

json_t *jsonval_set(unsigned set, const char *(*name)(unsigned i))
{
	json_t *all = json_array();

	for (unsigned i = 0; name(i); i++)
		if (set & 1U << i)
			json_array_append_new(all, json_string(name(i)));
	return all;
}

json_t *jsonval_id(const struct id *id)
{
	char hex[ID_HEX];

	return json_string(id_hex(id, hex));
}

json_t *jsonval_hex(const uint8_t *data, size_t len)
{
	char hex[2 * 64 + 1];

	return json_string(len <= 64 ? sodium_bin2hex(hex, sizeof(hex), data, len) : "");
}

json_t *jsonval_readable(const char *s)
{
	AUTO_FREE char *out = malloc(strlen(s) * GLYPH_SHOWN_MAX + 1);
	size_t len = 0;

	if (!out)
		return json_null();
	for (const unsigned char *p = (const unsigned char *)s; *p;) {
		unsigned need = glyph_length(*p), have = 1;
		while (have < need && (p[have] & 0xc0) == 0x80)
			have++;
		uint32_t c = glyph_decode(p, have == need ? need : 1);
		if (c >= GLYPH_BROKEN) {
			len += glyph_show(c, out + len);
			p++;
			continue;
		}
		memcpy(out + len, p, need);
		len += need;
		p += need;
	}
	return json_stringn(out, len);
}

static void print_escaped(uint32_t c)
{
	if (c > 0xffff)
		printf("\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10),
		       0xdc00 + ((c - 0x10000) & 0x3ff));
	else
		printf("\\u%04x", c);
}

/* JSON's syntax is ASCII, so any other character is inside a string. */
static void print_text(const char *text, size_t size)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t from = 0;

	for (size_t i = 0, len; i < size; i += len) {
		len = glyph_length(p[i]);
		if (len > size - i)
			len = 1;
		uint32_t c = glyph_decode(p + i, (unsigned)len);
		if (c < 0x7f || c >= GLYPH_BROKEN || (!glyph_is_obeyed(c) && !glyph_is_format(c)))
			continue;
		fwrite(p + from, 1, i - from, stdout);
		print_escaped(c);
		from = i + len;
	}
	fwrite(p + from, 1, size - from, stdout);
}

int jsonval_dump(json_t *v, size_t flags)
{
	AUTO_FREE char *text = json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY | flags);

	json_decref(v);
	if (!text) /* V is NULL, or out of memory */
		memory_note();
	if (memory_is_out()) /* the text may be incomplete; main reports it */
		return -1;
	print_text(text, strlen(text));
	putchar('\n');
	return 0;
}

void jsonval_print(json_t *v)
{
	jsonval_dump(v, JSON_REAL_PRECISION(6));
}
