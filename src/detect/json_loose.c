/* SPDX-License-Identifier: MIT
 *
 * A reader for documents that are almost JSON. Programs differ in what they accept (the last or
 * the first of two equal keys, comments, an extra comma, JSON5). This reader accepts all of it and
 * keeps everything: of two equal keys, both. It recurses at most JSON_DEPTH_MAX deep. It must not
 * be used where a document must have one meaning.
 */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "base/utf8.h"
#include "detect/json_read.h"

struct reader {
	const char *data;
	size_t len, at;
	unsigned line, depth;
	size_t nodes;
	struct arena *arena;
	struct err *err;
};

/* An item of a list or map while their number is unknown. */
struct item {
	struct text key;
	unsigned line;
	const struct node *value;
	struct item *next;
};

static int refuse(const struct reader *r, const char *what)
{
	return err_set(r->err, ERR_INPUT, "JSON, line %u: %s", r->line, what);
}

static bool is_at(const struct reader *r, const char *s)
{
	size_t len = strlen(s);

	return r->len - r->at >= len && memcmp(r->data + r->at, s, len) == 0;
}

/* Moves past the next END, or to the end of the text. */
static void skip_past(struct reader *r, const char *end)
{
	while (r->at < r->len && !is_at(r, end))
		r->line += r->data[r->at++] == '\n';
	/* A line's end is left for the line counter. */
	if (r->at < r->len && *end != '\n')
		r->at += strlen(end);
}

/* Blanks, comments, byte order marks. */
static void skip(struct reader *r)
{
	while (r->at < r->len) {
		if (is_at(r, "//"))
			skip_past(r, "\n");
		else if (is_at(r, "/*") && (r->at += 2))
			skip_past(r, "*/");
		else if (is_at(r, "\xef\xbb\xbf"))
			r->at += 3;
		else if (r->data[r->at] && strchr(" \t\r\n\v\f", r->data[r->at]))
			r->line += r->data[r->at++] == '\n';
		else
			return;
	}
}

static bool take(struct reader *r, char c)
{
	skip(r);
	if (r->at == r->len || r->data[r->at] != c)
		return false;
	r->at++;
	return true;
}

/* COUNT hexadecimal digits, or -1. */
static long read_hex(const struct reader *r, size_t at, size_t count)
{
	char digits[8] = "";

	if (r->len - at < count)
		return -1;
	memcpy(digits, r->data + at, count);
	/* strtol would take a sign and blanks. */
	if (strspn(digits, "0123456789abcdefABCDEF") != count)
		return -1;
	return strtol(digits, NULL, 16);
}

/* The four digits HIGH have been read. Half a pair becomes U+FFFD. */
static uint32_t join_units(struct reader *r, long high)
{
	long low = -1;

	if (high < 0xd800 || high > 0xdfff)
		return (uint32_t)high;
	if (high < 0xdc00 && is_at(r, "\\u"))
		low = read_hex(r, r->at + 2, 4);
	if (low < 0xdc00 || low > 0xdfff)
		return UTF8_REPLACEMENT;
	r->at += 6;
	return 0x10000 + ((uint32_t)(high - 0xd800) << 10) + (uint32_t)(low - 0xdc00);
}

/* After a backslash. The result is never longer than the escape. */
static size_t read_escape(struct reader *r, char *out)
{
	static const char names[] = "bfnrtv0", signs[] = "\b\f\n\r\t\v";
	char c = r->data[r->at++];
	const char *name = c ? strchr(names, c) : NULL;
	long hex;

	if (c == 'u' && (hex = read_hex(r, r->at, 4)) >= 0) {
		r->at += 4;
		return utf8_put(out, join_units(r, hex));
	}
	if (c == 'x' && (hex = read_hex(r, r->at, 2)) >= 0) {
		r->at += 2;
		return utf8_put(out, (uint32_t)hex);
	}
	r->line += c == '\n';
	if (c == '\n')
		return 0;
	*out = (char)(name ? signs[name - names] : c);
	return 1;
}

/* The closing quote of the string at AT, or LEN. */
static size_t find_quote(const struct reader *r)
{
	char quote = r->data[r->at];
	size_t at = r->at + 1;

	while (at < r->len && r->data[at] != quote)
		at += r->data[at] == '\\' ? 2 : 1;
	return at < r->len ? at : r->len;
}

static int read_string(struct reader *r, struct text *ret)
{
	size_t end = find_quote(r), len = 0;

	if (end == r->len)
		return refuse(r, "a string has no end");
	char *out = arena_alloc(r->arena, end - r->at + UTF8_CHAR_MAX);
	if (r->arena->failed)
		return refuse(r, "out of memory");
	for (r->at++; r->at < end;) {
		char c = r->data[r->at++];
		if (c == '\\') {
			len += read_escape(r, out + len);
			continue;
		}
		r->line += c == '\n';
		out[len++] = c;
	}
	r->at = end + 1;
	out[len] = '\0';
	*ret = (struct text){out, len};
	return 0;
}

/* Text without quotes: a key, a number, true. */
static int read_word(struct reader *r, struct text *ret)
{
	size_t from = r->at, len;

	while (r->at < r->len && r->data[r->at] && !strchr(" \t\r\n\v\f,:]}[{\"'/", r->data[r->at]))
		r->at++;
	len = r->at - from;
	if (!len)
		return refuse(r, "neither a value nor a key");
	char *copy = arena_alloc(r->arena, len + 1);
	if (r->arena->failed)
		return refuse(r, "out of memory");
	memcpy(copy, r->data + from, len);
	copy[len] = '\0';
	*ret = (struct text){copy, len};
	return 0;
}

static const struct {
	const char *word;
	enum node_kind kind;
	bool truth;
} words[] = {{"true", NODE_BOOL, true},
	     {"false", NODE_BOOL, false},
	     {"null", NODE_NULL, false},
	     {"undefined", NODE_NULL, false}};

static int read_scalar(struct reader *r, struct node *n)
{
	struct text word = {"", 0};
	char *end;

	if (read_word(r, &word) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strcmp(words[i].word, word.s) == 0) {
			n->kind = words[i].kind;
			n->truth = words[i].truth;
			return 0;
		}
	n->kind = NODE_FLOAT;
	n->number = strtod(word.s, &end);
	return *end ? refuse(r, "neither a value nor a key") : 0;
}

static int read_value(struct reader *r, const struct node **ret);

static int read_key(struct reader *r, struct text *ret)
{
	skip(r);
	if ((is_at(r, "\"") || is_at(r, "'") ? read_string : read_word)(r, ret) < 0)
		return -1;
	return take(r, ':') ? 0 : refuse(r, "a key has no value");
}

static void make_list(struct reader *r, const struct item *first, size_t count, struct node *n)
{
	const struct node **item = arena_alloc(r->arena, (count + 1) * sizeof(const struct node *));

	n->kind = NODE_LIST;
	for (size_t i = 0; !r->arena->failed && i < count; i++, first = first->next)
		item[i] = first->value;
	n->list.count = r->arena->failed ? 0 : count;
	n->list.item = item;
}

static void make_map(struct reader *r, const struct item *first, size_t count, struct node *n)
{
	struct node_pair *pair = arena_alloc(r->arena, (count + 1) * sizeof(*pair));

	n->kind = NODE_MAP;
	for (size_t i = 0; !r->arena->failed && i < count; i++, first = first->next)
		pair[i] = (struct node_pair){first->key, first->value, first->line};
	n->map.count = r->arena->failed ? 0 : count;
	n->map.pair = pair;
}

static int read_item(struct reader *r, bool is_map, struct item **ret)
{
	struct item *item = arena_alloc(r->arena, sizeof(*item));

	if (r->arena->failed)
		return refuse(r, "out of memory");
	*item = (struct item){.line = r->line};
	if ((is_map && read_key(r, &item->key) < 0) || read_value(r, &item->value) < 0)
		return -1;
	*ret = item;
	return 0;
}

/* The contents of a list or map after its bracket. */
static int read_items(struct reader *r, char close, struct node *n)
{
	struct item *first = NULL, **end = &first;
	size_t count = 0;

	if (++r->depth > JSON_DEPTH_MAX)
		return err_set(r->err, ERR_LIMIT,
			       "JSON, line %u: nested lists and maps: at most %d", r->line,
			       JSON_DEPTH_MAX);
	n->height = 1;
	while (!take(r, close)) {
		struct item *item = NULL;
		if (read_item(r, close == '}', &item) < 0 || !item || !item->value)
			return -1;
		n->size += item->value->size;
		if (item->value->height + 1 > n->height)
			n->height = item->value->height + 1;
		*end = item;
		end = &item->next;
		count++;
		if (!take(r, ',') && (r->at == r->len || r->data[r->at] != close))
			return refuse(r, "a list or map has no end");
	}
	r->depth--;
	(close == '}' ? make_map : make_list)(r, first, count, n);
	return 0;
}

static int read_value(struct reader *r, const struct node **ret)
{
	struct node *n = arena_alloc(r->arena, sizeof(*n));
	int status;

	skip(r);
	if (r->arena->failed)
		return refuse(r, "out of memory");
	if (++r->nodes > JSON_NODES_MAX)
		return err_set(r->err, ERR_LIMIT, "JSON, line %u: values: at most %d", r->line,
			       JSON_NODES_MAX);
	*n = (struct node){.kind = NODE_NULL, .line = r->line, .size = 1};
	if (is_at(r, "\"") || is_at(r, "'")) {
		n->kind = NODE_STRING;
		status = read_string(r, &n->text);
	} else if (take(r, '{')) {
		status = read_items(r, '}', n);
	} else if (take(r, '[')) {
		status = read_items(r, ']', n);
	} else {
		status = read_scalar(r, n);
	}
	*ret = n;
	return status;
}

int json_read_loose(const char *data, size_t len, unsigned line, struct arena *arena,
		    const struct node **ret, struct err *err)
{
	struct reader r = {.data = data, .len = len, .line = line, .arena = arena, .err = err};
	const struct node *root = NULL;

	if (len > JSON_BYTES_MAX)
		return err_set(err, ERR_LIMIT, "JSON: longer than %zu bytes", JSON_BYTES_MAX);
	if (read_value(&r, &root) < 0)
		return -1;
	skip(&r);
	if (r.at < r.len)
		return refuse(&r, "something follows");
	if (arena->failed)
		return err_memory(err);
	*ret = root;
	return 0;
}
