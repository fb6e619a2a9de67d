/* SPDX-License-Identifier: MIT
 *
 * What the log keeps of a text: nothing of a secret, all of what is harmless. Whatever the text is, it
 * takes time in proportion.
 */
#include "store/redact.h"

#include <stdlib.h>
#include <string.h>

#include "../tokens.h"
#include "base/scope.h"
#include "steps.h"
#include "tap.h"

static const uint8_t key_a[REDACT_KEY] = {1}, key_b[REDACT_KEY] = {2};

/* As the log keeps it. */
static char *kept(const char *text, size_t len, const uint8_t key[REDACT_KEY])
{
	AUTO_BUF struct buf open = {.most = REDACT_OUT_MAX}, out = {.most = REDACT_OUT_MAX};

	redact(&open, text, len);
	redact_seal(&out, open.data, open.len, key);
	buf_add(&out, "", 1);
	return out.failed ? NULL : strdup((char *)out.data);
}

static void test_tables(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(tokens); i++) {
		AUTO_FREE char *out = kept(tokens[i].text, strlen(tokens[i].text), key_a);
		ok(strstr(tokens[i].text, tokens[i].secret) && !strstr(out, tokens[i].secret) &&
			   strstr(out, "[hash:"),
		   "%s -> %s", tokens[i].text, out);
		AUTO_FREE char *again = kept(out, strlen(out), key_b);
		ok(strcmp(again, out) == 0, "doing it twice changes nothing more: %s", again);
	}
	for (size_t i = 0; i < ARRAY_SIZE(harmless); i++) {
		AUTO_FREE char *out = kept(harmless[i], strlen(harmless[i]), key_a);
		ok(strcmp(out, harmless[i]) == 0, "%s -> %s", harmless[i], out);
	}
}

/* Equal things compare; without the key short texts cannot be guessed. */
static void test_keyed(void)
{
	AUTO_FREE char *a = kept("pin=1234", 8, key_a), *again = kept("my pin=1234", 11, key_a);
	AUTO_FREE char *b = kept("pin=1234", 8, key_b), *other = kept("pin=1235", 8, key_a);

	ok(strcmp(a, again + 3) == 0, "equal values have equal hashes");
	ok(strcmp(a, b) != 0, "another key makes other hashes");
	ok(strcmp(a, other) != 0, "other values have other hashes");
	ok(strlen(a) == strlen("pin=[hash:]") + 16 && strncmp(a, "pin=[hash:", 10) == 0,
	   "the value's name stays: %s", a);
	ok(!redact_is_open(a, strlen(a)), "nothing is left open");
}

static uint64_t steps_for(const char *piece, const char *end, size_t len)
{
	AUTO_BUF struct buf out = {.most = REDACT_OUT_MAX};
	char *text = malloc(len);

	for (size_t i = 0; i < len; i++)
		text[i] = piece[i % strlen(piece)];
	memcpy(text + len - strlen(end), end, strlen(end));
	steps = 0;
	redact(&out, text, len);
	free(text);
	return steps;
}

/* The writer of a text must not decide how long it takes. */
static void test_linear(void)
{
	static const struct {
		const char *piece, *end;
	} texts[] = {
		{"a", ""},   {"a1", ""},       {"[hash:", ""},	  {"[hash:0", ""}, {"a=", ""},
		{"=", ""},   {"://", ""},      {"a://", ""},	  {"a://b@", ""},  {"?", ""},
		{"?&", ""},  {"a?", ""},       {":", ""},	  {"a:", ""},	   {":1", ""},
		{"/", ""},   {"a/", "a1b2c3"}, {"-", ""},	  {"-a ", ""},	   {"--a\"", ""},
		{"\"", ""},  {"X-A: ", ""},    {"%", ""},	  {"aB", ""},	   {"a.", "!"},
		{"a ", "="}, {"a: 1", ""},     {"a: [hash:", ""},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		uint64_t once = steps_for(texts[i].piece, texts[i].end, 1 << 14),
			 twice = steps_for(texts[i].piece, texts[i].end, 1 << 15);
		ok(once > 1 << 8 && twice < 3 * once,
		   "%s again and again: %llu steps, %llu for twice as much", texts[i].piece,
		   (unsigned long long)once, (unsigned long long)twice);
	}
}

int main(void)
{
	test_tables();
	test_keyed();
	AUTO_FREE char *zero = kept("a\0password=\0b c", 15, key_a);
	ok(zero && !memchr(zero, 'b', 3), "bytes of zero are bytes like others");
	AUTO_BUF struct buf little = {.most = 8};
	redact(&little, "password=a", 10);
	ok(little.failed, "what does not fit is said");
	test_linear();
	return tap_done();
}
