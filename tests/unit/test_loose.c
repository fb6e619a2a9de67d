/* SPDX-License-Identifier: MIT
 *
 * The lenient reader of JSON: it accepts what some program accepts, loses no part of it, and each
 * maximum holds at its value and one more. For valid JSON the result is the same as the strict
 * reader's.
 */
#include <stdlib.h>

#include "base/scope.h"
#include "detect/json_read.h"
#include "tap.h"

static void show(const struct node *n, char *out, size_t size);

static void show_all(const struct node *n, char *out, size_t size)
{
	for (size_t i = 0; i < node_count(n); i++) {
		size_t len = strlen(out);
		if (n->kind == NODE_MAP)
			snprintf(out + len, size - len, "%s%.*s=", i ? "," : "",
				 (int)n->map.pair[i].key.len, n->map.pair[i].key.s);
		else
			snprintf(out + len, size - len, "%s", i ? "," : "");
		len = strlen(out);
		show(n->kind == NODE_MAP ? n->map.pair[i].value : n->list.item[i], out + len,
		     size - len);
	}
}

/* A tree in a line: {a=1,b=[x]} */
static void show(const struct node *n, char *out, size_t size)
{
	size_t len;

	switch (n->kind) {
	case NODE_STRING:
		snprintf(out, size, "%.*s", (int)n->text.len, n->text.s);
		return;
	case NODE_FLOAT:
		snprintf(out, size, "%g", n->number);
		return;
	case NODE_BOOL:
		snprintf(out, size, "%s", n->truth ? "yes" : "no");
		return;
	case NODE_LIST:
	case NODE_MAP:
		snprintf(out, size, "%s", n->kind == NODE_MAP ? "{" : "[");
		show_all(n, out, size);
		len = strlen(out);
		snprintf(out + len, size - len, "%s", n->kind == NODE_MAP ? "}" : "]");
		return;
	default:
		snprintf(out, size, "nil");
	}
}

/* The tree as text, or "!" and the error. */
static const char *read_it(const char *data, size_t len)
{
	static char out[1024];
	struct arena arena = {0};
	const struct node *root = NULL;
	struct err err = {0};

	/* In a buffer of its exact size, for the sanitizer. */
	AUTO_FREE char *copy = malloc(len ? len : 1);
	if (len)
		memcpy(copy, data, len);
	out[0] = '\0';
	if (json_read_loose(copy, len, 1, &arena, &root, &err) == 0)
		show(root, out, sizeof(out));
	else
		snprintf(out, sizeof(out), "!%s", err.message);
	arena_done(&arena);
	return out;
}

static void test_rows(void)
{
#define ROW(text, expected)                                                                        \
	{                                                                                          \
		text, sizeof(text) - 1, expected                                                   \
	}
	static const struct {
		const char *text;
		size_t len;
		const char *expected;
	} rows[] = {
		/* good JSON */
		ROW("{\"a\": [1, -2.5e1, true, false, null, \"\"], \"b\": {}}",
		    "{a=[1,-25,yes,no,nil,],b={}}"),
		ROW(" \"x\\n\\u0041\\ud83d\\ude00\\/\" ", "x\nA\xf0\x9f\x98\x80/"),
		/* twice */
		ROW("{\"a\": 1, \"a\": 2}", "{a=1,a=2}"),
		/* half a pair, in every way */
		ROW("\"a\\ud800b\"", "a\xef\xbf\xbd"
				     "b"),
		ROW("\"a\\udc00b\"", "a\xef\xbf\xbd"
				     "b"),
		ROW("\"\\ud800\\ud83d\\ude00\"", "\xef\xbf\xbd\xf0\x9f\x98\x80"),
		ROW("\"\\ud800\\u0041\"", "\xef\xbf\xbd"
					  "A"),
		ROW("\"\\ud800\"", "\xef\xbf\xbd"),
		ROW("\"\\ud800\\u\"", "\xef\xbf\xbdu"),
		/* escapes that are none */
		ROW("\"\\u\\u\\u12\\q\\'\\x41\\x4\"", "uuu12q'Ax4"),
		ROW("\"a\\\nb\"", "ab"),
		/* bytes as they are */
		ROW("\"a\xff\tb\nc\"", "a\xff\tb\nc"),
		/* comments, commas, marks */
		ROW("\xef\xbb\xbf// one\n{/* two */\"a\": [1, /* ] */ 2,], // }\n}", "{a=[1,2]}"),
		ROW("[/*/ 1, /**/ 2]", "[2]"),
		ROW("/* never ended", "!JSON, line 1: neither a value nor a key"),
		/* JSON5 */
		ROW("{a: 'it\\'s', $b_1: +1, c: .5, d: 0x10, e: Infinity}",
		    "{a=it's,$b_1=1,c=0.5,d=16,e=inf}"),
		/* not that */
		ROW("", "!JSON, line 1: neither a value nor a key"),
		ROW("{\"a\": 1,, \"b\": 2}", "!JSON, line 1: neither a value nor a key"),
		ROW("{,}", "!JSON, line 1: neither a value nor a key"),
		ROW("[1 2]", "!JSON, line 1: a list or map has no end"),
		ROW("[1}", "!JSON, line 1: a list or map has no end"),
		ROW("{\"a\"}", "!JSON, line 1: a key has no value"),
		ROW("\n\n[\"a", "!JSON, line 3: a string has no end"),
		ROW("\"a\\", "!JSON, line 1: a string has no end"),
		ROW("[word]", "!JSON, line 1: neither a value nor a key"),
		ROW("{} {}", "!JSON, line 1: something follows"),
		ROW("[1]\0", "!JSON, line 1: something follows"),
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *got = read_it(rows[i].text, rows[i].len);
		ok(strcmp(got, rows[i].expected) == 0, "row %zu: %s", i, got);
	}
}

/* COUNT times A, then B, then COUNT times C. */
static const char *nested(size_t count, const char *a, const char *b, const char *c)
{
	size_t la = strlen(a), lb = strlen(b), lc = strlen(c), len = count * (la + lc) + lb;
	AUTO_FREE char *text = malloc(len);

	for (size_t i = 0; i < count; i++) {
		memcpy(text + i * la, a, la);
		memcpy(text + count * la + lb + i * lc, c, lc);
	}
	memcpy(text + count * la, b, lb);
	return read_it(text, len);
}

/* Is a list of COUNT values accepted? */
static bool takes(size_t count)
{
	struct arena arena = {0};
	const struct node *root = NULL;
	struct err err = {0};
	AUTO_FREE char *text = malloc(count * 2 + 2);
	size_t len = 0;

	text[len++] = '[';
	for (size_t i = 0; i + 1 < count; i++, len += 2)
		memcpy(text + len, "1,", 2);
	text[len++] = ']';
	bool taken = json_read_loose(text, len, 1, &arena, &root, &err) == 0 &&
		     root->size == count && root->height == 1;
	arena_done(&arena);
	return taken;
}

static void test_limits(void)
{
	struct arena arena = {0};
	const struct node *root;
	struct err err = {0};

	ok(strncmp(nested(JSON_DEPTH_MAX, "[", "", "]"), "[[", 2) == 0, "the maximum depth");
	const char *said = nested(JSON_DEPTH_MAX + 1, "[", "", "]");
	ok(strstr(said, "at most 64"), "one deeper: %s", said);
	said = nested(200000, "{a:[", "", "");
	ok(strstr(said, "at most 64"), "much deeper: %s", said);
	ok(takes(JSON_NODES_MAX), "the maximum number of values");
	ok(!takes(JSON_NODES_MAX + 1), "one more");
	ok(json_read_loose("", JSON_BYTES_MAX + 1, 1, &arena, &root, &err) < 0 &&
		   err.code == ERR_LIMIT,
	   "%s", err.message);
	arena_done(&arena);
}

static void test_lines(void)
{
	static const char text[] = "// c\n{\n\"a\":\n1, /* \n */ \"b\": [\n2]}";
	struct arena arena = {0};
	const struct node *n = NULL;
	struct err err = {0};

	ok(json_read_loose(text, sizeof(text) - 1, 10, &arena, &n, &err) == 0 && n->line == 11 &&
		   n->map.pair[0].line == 12 && n->map.pair[0].value->line == 13 &&
		   n->map.pair[1].line == 14 && node_item(n->map.pair[1].value, 0)->line == 15,
	   "keys and values have their lines");
	arena_done(&arena);
}

int main(void)
{
	test_rows();
	test_limits();
	test_lines();
	return tap_done();
}
