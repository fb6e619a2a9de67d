/* SPDX-License-Identifier: MIT
 *
 * The YAML reader: what words mean, what is refused and on which line, and every maximum at its
 * value and one beyond. Memory is watched for the inputs that are made to use it up.
 */
#include "yaml/yaml.h"

#include <jansson.h>
#include <stdlib.h>

#include "base/scope.h"
#include "show/node_json.h"
#include "tap.h"

struct row {
	const char *text, *json; /* json NULL: refused with WORDS on LINE */
	const char *words;
	unsigned line;
};

static const struct row rows[] = {
	/* plain words */
	{"a: 1", "{\"a\":1}", NULL, 0},
	{"[yes, no, on, off, y, n]", "[\"yes\",\"no\",\"on\",\"off\",\"y\",\"n\"]", NULL, 0},
	{"[true, True, TRUE, false, False, FALSE]", "[true,true,true,false,false,false]", NULL, 0},
	{"[tRue, nUll, none]", "[\"tRue\",\"nUll\",\"none\"]", NULL, 0},
	{"[~, null, Null, NULL]", "[null,null,null,null]", NULL, 0},
	{"a:\nb: ", "{\"a\":null,\"b\":null}", NULL, 0},
	{"[0, -0, +12, 012, 0o14, 0b101, 0x1F, -0x10]", "[0,0,12,12,12,5,31,-16]", NULL, 0},
	{"[1_000, 0o18, 0x, 0b2, 0xg, +, -]",
	 "[\"1_000\",\"0o18\",\"0x\",\"0b2\",\"0xg\",\"+\",\"-\"]", NULL, 0},
	{"[1.5, -1.5, 1., .5, 1e3, 2.5e-1]", "[1.5,-1.5,1.0,0.5,1000.0,0.25]", NULL, 0},
	{"[1e, 1e+, -.5, 1.2.3, ., .e1, 1e999]",
	 "[\"1e\",\"1e+\",\"-.5\",\"1.2.3\",\".\",\".e1\",\"1e999\"]", NULL, 0},
	{"[.inf, -.INF, .nan, .Nan]", "[null,null,null,\".Nan\"]", NULL, 0},
	{"[9223372036854775807, 9223372036854775808]",
	 "[9223372036854775807,9.2233720368547758e18]", NULL, 0},
	{"[-9223372036854775807, -9223372036854775808]",
	 "[-9223372036854775807,-9.2233720368547758e18]", NULL, 0},
	{"[0x7fffffffffffffff, 0x8000000000000000]", "[9223372036854775807,9.2233720368547758e18]",
	 NULL, 0},
	{"[2026-04-20, 2026/04/20, 12:30:45]", "[\"2026-04-20\",\"2026/04/20\",\"12:30:45\"]", NULL,
	 0},
	/* strings */
	{"['1', \"true\", 'it''s', \"a\\tb\\u00e9\\x41\"]",
	 "[\"1\",\"true\",\"it's\",\"a\\tb\xc3\xa9"
	 "A\"]",
	 NULL, 0},
	{"\"a\\0b\"", "\"a\\u0000b\"", NULL, 0},
	{"a: |\n  x\n  y\n", "{\"a\":\"x\\ny\\n\"}", NULL, 0},
	{"a: |\n  x", "{\"a\":\"x\\n\"}", NULL, 0},
	{"a: >\n  x", "{\"a\":\"x\\n\"}", NULL, 0},
	{"[! 12, ! x]", "[\"12\",\"x\"]", NULL, 0},
	{"a: |-\n  x\n\n", "{\"a\":\"x\"}", NULL, 0},
	{"a: >\n  x\n  y\n\n  z\n", "{\"a\":\"x y\\nz\\n\"}", NULL, 0},
	{"a: x\n  y", "{\"a\":\"x y\"}", NULL, 0},
	{"a: foo:bar # not this", "{\"a\":\"foo:bar\"}", NULL, 0},
	{"\xef\xbb\xbf"
	 "a: b\r\nc: d\r\n",
	 "{\"a\":\"b\",\"c\":\"d\"}", NULL, 0},
	{"a: \xf0\x9f\x98\x80", "{\"a\":\"\xf0\x9f\x98\x80\"}", NULL, 0},
	/* keys */
	{"1: a\n0x10: b\ntrue: c\n~: d\n1.5: e",
	 "{\"1\":\"a\",\"16\":\"b\",\"true\":\"c\",\"null\":\"d\",\"1.5\":\"e\"}", NULL, 0},
	{"a: 1\nb: 2\na: 3", NULL, "\"a\" is a duplicate of line 1", 3},
	{"1: a\n0x1: b", NULL, "\"1\" is a duplicate", 2},
	{"x:\n  a: 1\n  'a': 2", NULL, "\"a\" is a duplicate", 3},
	{"[a]: 1", NULL, "a key must be a word, not a list", 1},
	{"? {a: b}\n: 1", NULL, "a key must be a word, not a map", 1},
	{"{}", "{}", NULL, 0},
	{"[]", "[]", NULL, 0},
	/* anchors, aliases, merges */
	{"a: &x [1, 2]\nb: *x", "{\"a\":[1,2],\"b\":[1,2]}", NULL, 0},
	{"a: &x 1\nb: &x 2\nc: *x", "{\"a\":1,\"b\":2,\"c\":2}", NULL, 0},
	{"a: &k key\n*k : 1", "{\"a\":\"key\",\"key\":1}", NULL, 0},
	{"a: 1\nb: *x", NULL, "*x: there is no such anchor", 2},
	{"a: &x\n  - *x", NULL, "*x: the value would contain itself", 2},
	{"a: &x {p: 1, q: 2}\nb: {<<: *x, q: 3, r: 4}",
	 "{\"a\":{\"p\":1,\"q\":2},\"b\":{\"p\":1,\"q\":3,\"r\":4}}", NULL, 0},
	{"a: &x {p: 1, q: 2}\nb: {q: 3, <<: *x}",
	 "{\"a\":{\"p\":1,\"q\":2},\"b\":{\"q\":3,\"p\":1}}", NULL, 0},
	{"a: {<<: [{p: 1}, {p: 2, q: 3}]}", "{\"a\":{\"p\":1,\"q\":3}}", NULL, 0},
	{"a: {\"<<\": 1}", "{\"a\":{\"<<\":1}}", NULL, 0},
	{"a: {<<: 1}", NULL, "<< takes a map or a list of maps, not a number", 1},
	{"a: {<<: {p: 1}, p: 2, p: 3}", NULL, "\"p\" is a duplicate", 1},
	/* tags */
	{"[!!str 1, !!int '2', !!float 3, !!bool 'true', !!null '']", "[\"1\",2,3,true,null]", NULL,
	 0},
	{"a: !!str", "{\"a\":\"\"}", NULL, 0},
	{"!!map {a: !!seq [1]}", "{\"a\":[1]}", NULL, 0},
	{"a: !!int x", NULL, "!!int does not fit a string", 1},
	{"a: !!map [1]", NULL, "!!map does not fit a list", 1},
	{"a: 1\nb: !!binary aGk=", NULL, "is not allowed", 2},
	{"a: !!js/function 'x'", NULL, "is not allowed", 1},
	{"a: !thing x", NULL, "is not allowed", 1},
	/* what is no document of ours */
	{"", NULL, "the document is empty", 1},
	{"# only a comment\n", NULL, "the document is empty", 2},
	{"--- a\n--- b\n", NULL, "a second document", 2},
	{"a: 1\nb: [1, 2\nc: 3", NULL, "not YAML", 3},
	{"a: 1\n\tb: 2", NULL, "not YAML", 2},
	{"a: 1\nb: c: d", NULL, "not YAML", 2},
	{"a: \"x", NULL, "not YAML", 2},
	{"a: @x", NULL, "not YAML", 1},
	{"a: 1\nb: \x01", NULL, "a control character", 2},
	{"a: 1\r\nb: \x7f", NULL, "a control character", 2},
	{"a: 1\n\nb: \xff", NULL, "not UTF-8", 3},
	{"a: \xc3", NULL, "not UTF-8", 1},
	{"a: \xc0\x80", NULL, "not UTF-8", 1},
	{"a: \xed\xa0\x80", NULL, "not UTF-8", 1},
	{"a: \xf4\x90\x80\x80", NULL, "not UTF-8", 1},
	{"a: \xe2\x80\xa8x", NULL, "U+2028", 1},
	{"a: \xc2\x85x", NULL, "U+0085", 1},
	{"a: 1\r\nb: 1 # x\rc: 2\n", NULL, "a carriage return", 2},
	{"a: 1\r", NULL, "a carriage return", 1},
	{"a: 1\r\r\n", NULL, "a carriage return", 1},
	{"\xff\xfe"
	 "a",
	 NULL, "not UTF-8", 1},
};

/* What the reader says about it: JSON, or "line: words". */
static char *read_text(const char *text, size_t len, struct err *err, unsigned *ret_line)
{
	struct arena arena = {0};
	const struct node *root;
	char *out = NULL;

	memset(err, 0, sizeof(*err));
	if (yaml_read(text, len, &arena, &root, ret_line, err) == 0) {
		json_t *j = tree_json(root);
		out = json_dumps(j, JSON_COMPACT | JSON_ENCODE_ANY);
		json_decref(j);
	}
	arena_done(&arena);
	return out;
}

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];
		struct err err;
		unsigned line;
		AUTO_FREE char *out = read_text(row->text, strlen(row->text), &err, &line);
		if (row->json)
			ok(out && strcmp(out, row->json) == 0, "row %zu means %s", i, row->json);
		else
			ok(!out && strstr(err.message, row->words) && line == row->line,
			   "row %zu: line %u: %s", i, row->line, row->words);
		if (row->json ? !out || strcmp(out, row->json) : out || line != row->line)
			printf("# got %s, line %u: %s\n", out ? out : "nothing", line, err.message);
	}
}

/* Where every reader must see the same: what stands there is all there is. */
static void test_plain(void)
{
	static const struct {
		const char *text, *words;
	} plain[] = {
		{"a: 1\nb: [x, '*y', \"&z\", '!t']\n", NULL},
		{"a: {'<<': 1, b: <<}\n", NULL},
		{"a: &x 1\n", "&x: an anchor is not allowed here"},
		{"a: &x [1]\n", "&x: an anchor is not allowed here"},
		{"a: *x\n", "*x: an alias is not allowed here"},
		{"a: {<<: {b: 1}}\n", "<<: a merge is not allowed here"},
		{"a: !!str 1\n", "str: a tag is not allowed here"},
		{"a: ! 1\n", "!: a tag is not allowed here"},
		{"a: !!seq [1]\n", "seq: a tag is not allowed here"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(plain); i++) {
		struct arena arena = {0};
		const struct node *root;
		struct err err = {0};
		unsigned line;
		const char *text = plain[i].text, *words = plain[i].words;
		int result = yaml_read_plain(text, strlen(text), &arena, &root, &line, &err);
		if (!ok(words ? result < 0 && strstr(err.message, words) : result == 0,
			"plain row %zu: %s", i, words ? words : "it is read"))
			printf("# %s\n", err.message);
		arena_done(&arena);
	}
}

/* Text made of a beginning, COUNT times a piece, and an end. */
static char *repeat(const char *before, const char *piece, size_t count, const char *after)
{
	size_t len = strlen(piece), at = strlen(before);
	char *text = malloc(at + len * count + strlen(after) + 1);

	if (!text)
		abort();
	memcpy(text, before, at);
	for (size_t i = 0; i < count; i++, at += len)
		memcpy(text + at, piece, len);
	memcpy(text + at, after, strlen(after) + 1);
	return text;
}

static void at_most(const char *what, char *text, bool fits)
{
	struct err err;
	unsigned line;
	char *out = read_text(text, strlen(text), &err, &line);

	ok(fits ? out != NULL
		: !out && err.code == ERR_LIMIT && strstr(err.message, "over the maximum"),
	   "%s: %s", what, fits ? "the maximum is read" : "one more is refused");
	if (!out == fits)
		printf("# line %u: %s\n", line, err.message);
	free(out);
	free(text);
}

/* N keys (or anchors) k0, k1 and so on, each with its line after FMT. */
static char *numbered(const char *before, const char *fmt, size_t n)
{
	size_t room = strlen(before) + n * (strlen(fmt) + 16) + 1, at = strlen(before);
	char *text = malloc(room);

	if (!text)
		abort();
	memcpy(text, before, at + 1);
	for (size_t i = 0; i < n; i++) {
		memcpy(text + at, fmt, strlen(fmt));
		at += strlen(fmt);
		at += (size_t)snprintf(text + at, room - at, "%zu: 1\n", i);
	}
	return text;
}

static char *nested(size_t depth)
{
	AUTO_FREE char *open = repeat("", "[", depth, "");

	return repeat(open, "]", depth, "");
}

/* An alias of a tree of height H at depth D. */
static char *nested_alias(size_t d, size_t h)
{
	AUTO_FREE char *low = nested(h), *open = repeat("", "[", d - 1, "*x");
	AUTO_FREE char *high = repeat(open, "]", d - 1, "]"), *head = repeat("[&x ", low, 1, ", ");

	return repeat(head, high, 1, "");
}

static void test_maxima(void)
{
	AUTO_FREE char *pad = repeat("a: 1\n#", "x", YAML_BYTES_MAX - 6, "");

	at_most("bytes", strdup(pad), true);
	at_most("bytes", repeat(pad, "x", 1, ""), false);
	at_most("depth", nested(YAML_DEPTH_MAX), true);
	at_most("depth", nested(YAML_DEPTH_MAX + 1), false);
	at_most("depth by an alias", nested_alias(YAML_DEPTH_MAX - 4, 4), true);
	at_most("depth by an alias", nested_alias(YAML_DEPTH_MAX - 4, 5), false);
	at_most("values", repeat("[", "1,", YAML_NODES_MAX - 1, "]"), true);
	at_most("values", repeat("[", "1,", YAML_NODES_MAX, "]"), false);
	at_most("string", repeat("", "x", YAML_STRING_MAX, ""), true);
	at_most("string", repeat("", "x", YAML_STRING_MAX + 1, ""), false);
	at_most("keys", numbered("", "k", YAML_KEYS_MAX), true);
	at_most("keys", numbered("", "k", YAML_KEYS_MAX + 1), false);
	at_most("aliases", repeat("[&x 1", ", *x", YAML_ALIASES_MAX, "]"), true);
	at_most("aliases", repeat("[&x 1", ", *x", YAML_ALIASES_MAX + 1, "]"), false);
	at_most("anchors", repeat("[", "&x 1,", YAML_ANCHORS_MAX, "]"), true);
	at_most("anchors", repeat("[", "&x 1,", YAML_ANCHORS_MAX + 1, "]"), false);
}

/* Ten levels of ten references: 10^10 values when written out. */
static char *bomb(void)
{
	char *text = repeat("a0: &a0 x\n", "", 0, "");

	for (int i = 1; i <= 10; i++) {
		char head[64], piece[16];
		snprintf(head, sizeof(head), "a%d: &a%d [", i, i);
		snprintf(piece, sizeof(piece), "*a%d,", i - 1);
		AUTO_FREE char *line = repeat(head, piece, 10, "]\n"), *old = text;
		text = repeat(old, line, 1, "");
	}
	return text;
}

/* Every map has the one before twice: by a merge, and as a value. */
static char *merges(void)
{
	char *text = repeat("- &a0 {k0: [1]}\n", "", 0, "");

	for (int i = 1; i <= 30; i++) {
		char line[96];
		snprintf(line, sizeof(line), "- &a%d {<<: [*a%d], k%d: *a%d}\n", i, i - 1, i,
			 i - 1);
		AUTO_FREE char *old = text;
		text = repeat(old, line, 1, "");
	}
	return text;
}

/* The most memory since the peak was last forgotten. */
static long peak_kilobytes(bool forget)
{
	long peak = 0;
	char line[128];
	FILE *f = forget ? fopen("/proc/self/clear_refs", "w") : NULL;

	if (f) {
		fputs("5", f);
		fclose(f);
	}
	f = fopen("/proc/self/status", "r");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmHWM: %ld", &peak) == 1)
			break;
	if (f)
		fclose(f);
	return peak;
}

static void test_hostile(void)
{
	long before = peak_kilobytes(true);

	at_most("a bomb", bomb(), false);
	at_most("merges of merges", merges(), false);
	at_most("10,000 lists in each other", nested(10000), false);
	at_most("10,000 maps in each other", repeat("", "{a: ", 10000, ""), false);
	at_most("10,000 dashes", repeat("", "- ", 10000, ""), false);
	at_most("10,000 keys in each other", repeat("", "? ", 10000, ""), false);
	long more = peak_kilobytes(false) - before;
	ok(before && more < 65536, "all of that takes little memory");
	printf("# %ld KiB more\n", more);
}

static void test_nul(void)
{
	struct err err;
	unsigned line;
	AUTO_FREE char *out = read_text("a: 1\nb: \0c", 10, &err, &line);

	ok(!out && strstr(err.message, "NUL") && line == 2, "a NUL byte is refused on its line");
}

/* Lines and keys of nodes are what later errors point at. */
static void test_lines(void)
{
	static const char text[] = "a: 1\nb:\n  - x\n  - c: |\n      long\n    d: 2\n";
	struct arena arena = {0};
	const struct node *root = NULL;
	unsigned line;
	struct err err;

	ok(yaml_read(text, strlen(text), &arena, &root, &line, &err) == 0, "it is read");
	const struct node *second = node_item(node_get(root, "b"), 1);
	ok(node_get(root, "a")->line == 1 && node_item(node_get(root, "b"), 0)->line == 3,
	   "values know their line");
	ok(second && second->line == 4 && second->map.pair[1].line == 6, "so do keys");
	ok(root->height == 3 && root->size == 7, "height and size are right");
	ok(!node_get(NULL, "a") && !node_get(second, "x") && !node_string(second) &&
		   !node_item(root, 0),
	   "questions to the wrong node are answered with no");
	arena_done(&arena);
}

int main(void)
{
	test_hostile(); /* first: the peak of memory is its own */
	test_rows();
	test_plain();
	test_maxima();
	test_nul();
	test_lines();
	return tap_done();
}
