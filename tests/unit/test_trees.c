/* SPDX-License-Identifier: MIT
 *
 * Trees as bytes: what comes back is the same, and what is no tree is refused: at every maximum and
 * one above it, cut anywhere, with any byte changed.
 */
#include "rule/trees.h"

#include <stdlib.h>

#include "base/scope.h"
#include "same.h"
#include "tap.h"
#include "yaml/yaml.h"

static const char *const documents[] = {
	"a: 1\nb: [x, -9223372036854775808, 1.5, -0.0, .nan, -.inf, true, false, ~, '']\n",
	"- &a {k: [1, 2, {deep: \"nul \\0 in it\"}]}\n- *a\n- {<<: *a, l: 2}\n- [*a, *a]\n",
	"k\xc3\xa9y: \"\\u00e9\\U0001F600 \\x01\"\n\n\n\nlong: |\n  one\n  two\n",
	"[]\n",
	"{}\n",
	"just a string\n",
	"[[[[{a: [{b: [[]]}]}]]]]\n",
};
enum { DOCUMENTS = ARRAY_SIZE(documents) };

static void test_same(void)
{
	const struct node *root[DOCUMENTS], *back[DOCUMENTS] = {0};
	struct arena arena = {0};
	struct err err = {0};
	unsigned line;

	for (size_t i = 0; i < DOCUMENTS; i++)
		ok(yaml_read(documents[i], strlen(documents[i]), &arena, &root[i], &line, &err) ==
			   0,
		   "document %zu", i);
	size_t need = trees_encode(root, DOCUMENTS, NULL, SIZE_MAX);
	AUTO_FREE uint8_t *bytes = malloc(need);
	ok(need && bytes && trees_encode(root, DOCUMENTS, bytes, need) == need, "%zu bytes", need);
	ok(trees_encode(root, DOCUMENTS, NULL, need - 1) == 0, "one less is too few");
	ok(trees_decode(bytes, need, DOCUMENTS, &arena, back, &err) == 0, "they come back");
	for (size_t i = 0; i < DOCUMENTS; i++)
		ok(same_tree(root[i], back[i]), "document %zu is the same", i);
	ok(trees_decode(bytes, need, DOCUMENTS - 1, &arena, back, &err) < 0, "one fewer asked for");
	ok(trees_decode(bytes, need, DOCUMENTS + 1, &arena, back, &err) < 0, "one more asked for");
	arena_done(&arena);
}

/* Bytes of its exact size, so that the sanitizer sees a read past the end. */
static bool is_tree(const void *data, size_t len)
{
	AUTO_FREE uint8_t *copy = malloc(len ? len : 1);
	const struct node *root = NULL;
	struct arena arena = {0};
	struct err err = {0};

	if (copy && len)
		memcpy(copy, data, len);
	bool good = copy && trees_decode(copy, len, 1, &arena, &root, &err) == 0;
	arena_done(&arena);
	if (!good && !err.message[0])
		printf("# refused without a word\n");
	return good;
}

static void test_damage(void)
{
	struct arena arena = {0};
	const struct node *root;
	struct err err = {0};
	unsigned line;
	size_t good = 0;
	uint8_t bytes[1024];

	yaml_read(documents[1], strlen(documents[1]), &arena, &root, &line, &err);
	size_t len = trees_encode(&root, 1, bytes, sizeof(bytes));
	for (size_t i = 0; i < len; i++)
		good += is_tree(bytes, i);
	ok(len && is_tree(bytes, len) && !good, "no part of a tree is a tree");
	bytes[len] = 0;
	ok(!is_tree(bytes, len + 1), "nor is more than a tree");
	size_t refused = 0;
	for (size_t i = 0; i < len * 255; i++) {
		uint8_t was = bytes[i / 255];
		bytes[i / 255] ^= (uint8_t)(i % 255 + 1);
		refused += !is_tree(bytes, len);
		bytes[i / 255] = was;
	}
	ok(refused > len, "every change of a byte is survived, %zu of %zu are refused", refused,
	   len * 255);
	arena_done(&arena);
}

#define ROW(good, name, bytes)                                                                     \
	{                                                                                          \
		good, name, bytes, sizeof(bytes) - 1                                               \
	}

static void test_bad(void)
{
	static const struct {
		bool good;
		const char *name, *bytes;
		size_t len;
	} rows[] = {
		ROW(true, "null", "\0\1"),
		ROW(false, "a kind too many", "\7\1"),
		ROW(true, "true", "\1\1\1"),
		ROW(false, "more than true", "\1\1\2"),
		ROW(true, "the last line", "\0\xff\xff\xff\xff\x0f"),
		ROW(false, "one more", "\0\x80\x80\x80\x80\x10"),
		ROW(false, "a number without an end", "\0\x80\x80\x80\x80\x80\x80\0"),
		ROW(true, "a string", "\4\1\2ab\0"),
		ROW(false, "without its NUL", "\4\1\2abc"),
		ROW(false, "past the end", "\4\1\5ab\0"),
		ROW(false, "far past the end",
		    "\4\1\xff\xff\xff\xff\x0f"
		    "ab\0"),
		ROW(false, "half a character", "\4\1\1\xc3\0"),
		ROW(false, "a surrogate", "\4\1\3\xed\xa0\x80\0"),
		ROW(false, "bad after sixteen good",
		    "\4\1\x14"
		    "0123456789abcdef"
		    "01\xff"
		    "2\0"),
		ROW(true, "the same, good",
		    "\4\1\x14"
		    "0123456789abcdef"
		    "01\xc2\xa0\0"),
		ROW(false, "seven bytes of a number",
		    "\2\1"
		    "1234567"),
		ROW(true, "all eight",
		    "\2\1"
		    "12345678"),
		ROW(false, "a list of more than there is", "\5\1\2\0\1"),
		ROW(false, "a list of very much", "\5\1\xd0\x86\3\0\1"),
		ROW(true, "a map", "\6\1\1\1k\0\1\0\1"),
		ROW(false, "a key that is no text", "\6\1\1\1\xff\0\1\0\1"),
		ROW(false, "a key without a value", "\6\1\1\1k\0\1"),
		ROW(false, "nothing", ""),
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		ok(is_tree(rows[i].bytes, rows[i].len) == rows[i].good, "%s", rows[i].name);
}

struct bytes {
	uint8_t *data;
	size_t len;
};

static void put(struct bytes *b, const char *data, size_t len)
{
	memcpy(b->data + b->len, data, len);
	b->len += len;
}

static void put_number(struct bytes *b, size_t n)
{
	for (; n > 0x7f; n >>= 7)
		b->data[b->len++] = (uint8_t)(n | 0x80);
	b->data[b->len++] = (uint8_t)n;
}

/* COUNT times ITEM in a list, a map or a string. */
static bool is_good_many(char kind, size_t count, const char *item, size_t len)
{
	AUTO_FREE uint8_t *room = malloc(count * len + 16);
	struct bytes b = {room, 0};

	put(&b, &kind, 1);
	put(&b, "\1", 1);
	put_number(&b, count);
	for (size_t i = 0; i < count; i++)
		put(&b, item, len);
	if (kind == NODE_STRING)
		put(&b, "", 1);
	return is_tree(b.data, b.len);
}

static bool is_good_depth(size_t depth)
{
	char bytes[4 * YAML_DEPTH_MAX];
	size_t len = 0;

	for (size_t i = 0; i < depth; i++) {
		bytes[len++] = NODE_LIST;
		bytes[len++] = 1;
		bytes[len++] = i + 1 < depth;
	}
	return is_tree(bytes, len);
}

/* Trees that come to COUNT nodes together. */
static bool is_good_total(size_t count)
{
	enum { TREES = PACK_NODES_MAX / YAML_NODES_MAX + 1 };
	AUTO_FREE uint8_t *room = malloc(2 * count + 16 * TREES);
	const struct node *root[TREES];
	struct bytes b = {room, 0};
	struct arena arena = {0};
	struct err err = {0};
	size_t trees = 0;

	for (size_t left = count; left; trees++) {
		size_t size = left < YAML_NODES_MAX ? left : YAML_NODES_MAX;
		put(&b, "\5\1", 2);
		put_number(&b, size - 1);
		for (size_t i = 1; i < size; i++)
			put(&b, "\0\1", 2);
		left -= size;
	}
	bool good = trees_decode(b.data, b.len, trees, &arena, root, &err) == 0;
	arena_done(&arena);
	return good;
}

static void test_maxima(void)
{
	ok(is_good_depth(YAML_DEPTH_MAX) && !is_good_depth(YAML_DEPTH_MAX + 1), "depth");
	ok(is_good_many(NODE_LIST, YAML_NODES_MAX - 1, "\0\1", 2) &&
		   !is_good_many(NODE_LIST, YAML_NODES_MAX, "\0\1", 2),
	   "values of one tree");
	ok(is_good_many(NODE_MAP, YAML_KEYS_MAX, "\1k\0\1\0\1", 6) &&
		   !is_good_many(NODE_MAP, YAML_KEYS_MAX + 1, "\1k\0\1\0\1", 6),
	   "keys of one map");
	ok(is_good_many(NODE_STRING, YAML_STRING_MAX, "x", 1) &&
		   !is_good_many(NODE_STRING, YAML_STRING_MAX + 1, "x", 1),
	   "bytes of a string");
	ok(is_good_total(PACK_NODES_MAX) && !is_good_total(PACK_NODES_MAX + 1),
	   "values of all trees");
}

int main(void)
{
	test_same();
	test_damage();
	test_bad();
	test_maxima();
	return tap_done();
}
