/* SPDX-License-Identifier: MIT
 *
 * Canonical JSON and records: one spelling of every value, every other is refused; what is written
 * is bounded and redacted; a record decodes to what it was made of and to nothing else.
 */
#include "store/jcs.h"

#include <stdlib.h>

#include "store/record.h"
#include "tap.h"

static const char *const good[] = {
	"{}",
	"[]",
	"null",
	"true",
	"false",
	"0",
	"-1",
	"9007199254740991",
	"-9007199254740991",
	"\"\"",
	"\"a\\\"\\\\\\b\\t\\n\\f\\r\\u0000\\u001f/\"",
	"\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\x7f\"",
	"{\"a\":1,\"b\":[{},[],{\"c\":null}]}",
	"{\"\":1,\"A\":2,\"a\":3,\"ab\":4}",
	"[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]",
};

static const char *const bad[] = {
	"",
	"{",
	"}",
	"[1,]",
	"{\"a\":1,}",
	"{\"a\" :1}",
	"[ 1]",
	"1 ",
	"+1",
	"01",
	"-0",
	"1.0",
	"1e3",
	"9007199254740992",
	"99999999999999999999",
	"-",
	"nul",
	"True",
	"\"a",
	"\"\n\"",
	"\"\\/\"",
	"\"\\u0041\"",
	"\"\\u001F\"",
	"\"\\u000a\"",
	"\"\\u0008\"",
	"\"\\ud800\"",
	"\"\\x\"",
	"\"\xff\"",
	"\"\xc0\x80\"",
	"\"\xed\xa0\x80\"",
	"\"\xf4\x90\x80\x80\"",
	"\"\xe2\x82\"",
	"{\"b\":1,\"a\":2}",
	"{\"a\":1,\"a\":2}",
	"{\"ab\":1,\"a\":2}",
	"{\"\\u0061\":1}",
	"{\"\xc3\xa4\":1}",
	"{1:2}",
	"[1 2]",
	"{\"a\"}",
	"[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]",
};

static void test_values(void)
{
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		ok(jcs_value((const uint8_t *)good[i], strlen(good[i])) == strlen(good[i]),
		   "good: %s", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ok(jcs_value((const uint8_t *)bad[i], strlen(bad[i])) != strlen(bad[i]) ||
			   !bad[i][0],
		   "bad, row %zu", i);
}

static bool wrote(struct jcs *j, const char *want)
{
	struct err err;
	bool same = jcs_finish(j, &err) == 0 && j->out.len == strlen(want) &&
		    memcmp(j->out.data, want, j->out.len) == 0;

	if (!same)
		printf("# %.*s\n", (int)j->out.len, j->out.data ? (char *)j->out.data : "");
	jcs_done(j);
	return same;
}

static bool refused(struct jcs *j)
{
	struct err err;
	bool is_bad = jcs_finish(j, &err) < 0 && err.message[0];

	jcs_done(j);
	return is_bad;
}

static void test_writer(void)
{
	struct jcs j;

	jcs_init(&j, 1024);
	jcs_bool(&j, "b", true);
	jcs_hex(&j, "h", (const uint8_t *)"\x01\xfe", 2);
	jcs_int(&j, "i", -JCS_NUMBER_MAX);
	jcs_list(&j, "l");
	jcs_str(&j, NULL, "x\n\x01\xff");
	jcs_object(&j, NULL);
	jcs_end(&j);
	jcs_end(&j);
	jcs_str(&j, "s", "token=abc");
	jcs_word(&j, "w", "token=abc");
	ok(wrote(&j, "{\"b\":true,\"h\":\"01fe\",\"i\":-9007199254740991,"
		     "\"l\":[\"x\\n\\u0001\xef\xbf\xbd\",{}],\"s\":\"token="
		     "[hash:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad]\","
		     "\"w\":\"token=abc\"}"),
	   "everything can be written; others' text is redacted, a word of ours is not");
	jcs_init(&j, 1024);
	jcs_int(&j, "b", 1);
	jcs_int(&j, "a", 1);
	ok(refused(&j), "names out of order are refused");
	jcs_init(&j, 1024);
	jcs_int(&j, "a", JCS_NUMBER_MAX + 1);
	ok(refused(&j), "a number that is not exact in a double is refused");
	jcs_init(&j, 1024);
	jcs_int(&j, NULL, 1);
	ok(refused(&j), "a member without a name is refused");
	jcs_init(&j, 10);
	jcs_int(&j, "a", 12345);
	ok(refused(&j), "over the maximum is refused: 11 of 10 bytes");
	jcs_init(&j, 11);
	jcs_int(&j, "a", 12345);
	ok(wrote(&j, "{\"a\":12345}"), "at the maximum it is taken");
	jcs_init(&j, 1024);
	jcs_end(&j);
	ok(refused(&j), "an end too many is refused");
	jcs_init(&j, 1024);
	for (int i = 0; i < JCS_DEPTH_MAX; i++)
		jcs_object(&j, "a");
	struct err err;
	ok(jcs_finish(&j, &err) == 0, "the deepest is taken");
	jcs_done(&j);
	jcs_init(&j, 1024);
	for (int i = 0; i <= JCS_DEPTH_MAX; i++)
		jcs_object(&j, "a");
	ok(refused(&j), "one more is refused");
}

/* The longest text, one more, and one that would be cut in the middle of a character. */
static void test_text_max(void)
{
	static char text[JCS_TEXT_MAX + 2], want[JCS_TEXT_MAX + 64];
	struct jcs j;

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = i % 2 ? ' ' : 'x';
	for (int more = 0; more < 2; more++) {
		jcs_init(&j, RECORD_BODY_MAX);
		jcs_text(&j, "t", text, (size_t)JCS_TEXT_MAX + (size_t)more);
		snprintf(want, sizeof(want), "{\"t\":\"%.*s%s\"}", JCS_TEXT_MAX, text,
			 more ? "[cut: 1 bytes]" : "");
		ok(wrote(&j, want), "a text of %d bytes%s", JCS_TEXT_MAX + more,
		   more ? " is cut, and that is said" : "");
	}
	memcpy(text + JCS_TEXT_MAX - 1, "\xc3\xa4", 2);
	jcs_init(&j, RECORD_BODY_MAX);
	jcs_text(&j, "t", text, JCS_TEXT_MAX + 1);
	snprintf(want, sizeof(want), "{\"t\":\"%.*s[cut: 2 bytes]\"}", JCS_TEXT_MAX - 1, text);
	ok(wrote(&j, want), "a character is not cut in two");
}

static struct jcs_span span(const char *text)
{
	return (struct jcs_span){(const uint8_t *)text, strlen(text)};
}

/* Members that are there, as what they are. */
static void test_members(void)
{
	struct jcs_span o = span("{\"h\":\"0af9\",\"n\":2222,\"t\":\"0AF9\",\"x\":\"0ag9\"}");
	uint8_t bytes[3] = {0};
	char text[8];

	ok(jcs_text_at(o, "t", text, sizeof(text)) && strcmp(text, "0AF9") == 0 &&
		   !jcs_text_at(o, "n", text, sizeof(text)) &&
		   !jcs_text_at(o, "y", text, sizeof(text)),
	   "a text");
	ok(jcs_hex_at(o, "h", bytes, 2) && bytes[0] == 0x0a && bytes[1] == 0xf9, "bytes");
	ok(!jcs_hex_at(o, "h", bytes, 1) && !jcs_hex_at(o, "h", bytes, 3) &&
		   !jcs_hex_at(o, "t", bytes, 2) && !jcs_hex_at(o, "x", bytes, 2) &&
		   !jcs_hex_at(o, "n", bytes, 1) && !jcs_hex_at(o, "y", bytes, 2),
	   "fewer, more, or in a form that Cordon never writes");
}

static void test_reading(void)
{
	struct jcs_span object = span("{\"a\":\"x\\n\\u0001\",\"b\":[1,\"y\"],\"c\":-7}"), v;
	char text[8];
	int64_t n = 0;
	size_t at = 0, count = 0;

	ok(jcs_member(object, "a", &v) && jcs_get_text(v, text, sizeof(text)) &&
		   !strcmp(text, "x\n\x01"),
	   "a text without its escapes");
	ok(!jcs_get_text(v, text, 3) && jcs_get_text(v, text, 4) && !jcs_get_text(v, text, 0),
	   "that fits, or not at all");
	ok(jcs_member(object, "c", &v) && jcs_get_int(v, &n) && n == -7 &&
		   !jcs_get_text(v, text, 8),
	   "a number");
	ok(jcs_member(object, "b", &v) && !jcs_get_int(v, &n), "a list");
	while (jcs_next(v, &at, &object))
		count++;
	ok(count == 2 && object.len == 3, "its elements");
	ok(!jcs_member(span("{\"a\":1}"), "b", &v) && !jcs_member(span("{}"), "a", &v) &&
		   !jcs_member(span("[1]"), "a", &v),
	   "what is not there is not found");
	ok(!jcs_get_text(span("\"a\\u0000\""), text, 8), "a text with a zero is no C string");
	test_members();
}

#define BOOT "01234567-89ab-cdef-0123-456789abcdef"

static int encode(struct buf *out, const char *const *refs, size_t refc, const char *body,
		  struct err *err)
{
	AUTO_BUF struct buf list = {.most = RECORD_MAX};
	struct record r = {.seq = 5, .time = 1, .mono = 2, .kind = RECORD_VERDICT, .boot = BOOT};

	r.prev[0] = 0xab;
	if (record_write_refs(refs, refc, &list, err) < 0)
		return -1;
	r.refs = (struct jcs_span){list.data, list.len};
	r.body = span(body);
	return record_encode(&r, out, err);
}

static void test_record(void)
{
	static const char *const refs[] = {"run:1", "src:a.b_C-9:x"};
	AUTO_BUF struct buf out = {.most = RECORD_MAX};
	char name[RECORD_REF_MAX + 1];
	struct record r = {0};
	struct err err = {0};
	size_t at = 0, wrong = 0;

	ok(encode(&out, refs, 2, "{\"a\":1}", &err) == 0 &&
		   record_decode(out.data, out.len, &r, &err) == 0 && r.seq == 5 && r.time == 1 &&
		   r.mono == 2 && r.kind == RECORD_VERDICT && !strcmp(r.boot, BOOT) &&
		   r.prev[0] == 0xab && r.body.len == 7,
	   "a record is what it was made of");
	ok(record_next_ref(&r, &at, name) && !strcmp(name, refs[0]) &&
		   record_next_ref(&r, &at, name) && !strcmp(name, refs[1]) &&
		   !record_next_ref(&r, &at, name),
	   "and so are its names");
	ok(jcs_value(out.data, out.len) == out.len, "a record is canonical JSON itself");
	for (size_t len = 0; len < out.len; len++)
		wrong += record_decode(out.data, len, &r, &err) == 0;
	buf_add(&out, "}", 1);
	wrong += record_decode(out.data, out.len, &r, &err) == 0;
	ok(!wrong, "none is shorter or longer");
}

static void test_record_max(void)
{
	static char ref[RECORD_REFS_MAX + 1][RECORD_REF_MAX + 2], body[RECORD_BODY_MAX + 2];
	const char *refs[RECORD_REFS_MAX + 1];
	AUTO_BUF struct buf out = {.most = RECORD_MAX}, more = {.most = RECORD_MAX};
	struct record r;
	struct err err = {0};

	for (size_t i = 0; i <= RECORD_REFS_MAX; i++) {
		memset(ref[i], 'x', RECORD_REF_MAX);
		ref[i][1] = ':';
		refs[i] = ref[i];
	}
	memset(body, 'x', sizeof(body));
	memcpy(body, "{\"a\":\"", 6);
	memcpy(body + RECORD_BODY_MAX - 2, "\"}", 3);
	ok(encode(&out, refs, RECORD_REFS_MAX, body, &err) == 0 &&
		   record_decode(out.data, out.len, &r, &err) == 0,
	   "the largest record: %zu bytes", out.len);
	ok(encode(&more, refs, RECORD_REFS_MAX + 1, "{}", &err) < 0 && err.code == ERR_LIMIT,
	   "one name more is refused");
	memcpy(body + RECORD_BODY_MAX - 2, "x\"}", 4);
	ok(encode(&more, refs, 0, body, &err) < 0 && err.code == ERR_LIMIT,
	   "one byte more is refused");
	ok(record_ref_is_good(ref[0]), "the longest name");
	ref[0][RECORD_REF_MAX] = 'x';
	ok(!record_ref_is_good(ref[0]) && !record_ref_is_good("run") &&
		   !record_ref_is_good("run:") && !record_ref_is_good(":a") &&
		   !record_ref_is_good("Run:a") && !record_ref_is_good("run:a b") &&
		   !record_ref_is_good("run:\"") && !record_ref_is_good(""),
	   "one more, or what is none");
}

int main(void)
{
	test_values();
	test_writer();
	test_text_max();
	test_reading();
	test_record();
	test_record_max();
	return tap_done();
}
