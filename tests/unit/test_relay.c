/* SPDX-License-Identifier: MIT
 *
 * What a person sees of a program's output: no line of it can look like one of ours, and a
 * terminal obeys nothing in it, however it is cut into pieces. Ordinary text comes through as it
 * is, and so does everything when neither is at stake.
 */
#include "show/output_relay.h"

#include <stdlib.h>

#include "base/scope.h"
#include "scratch.h"
#include "tap.h"

struct row {
	const char *what, *in, *out;
	size_t len, out_len;
};

#define BYTES(what, in, out)                                                                       \
	{                                                                                          \
		what, in, out, sizeof(in) - 1, sizeof(out) - 1                                     \
	}

/* With the guard alone. */
static const struct row lines[] = {
	BYTES("plain text", "hello\n", "hello\n"),
	BYTES("a forged line", "cordon: done\n", "| cordon: done\n"),
	BYTES("a forged second line", "a\ncordon: b\n", "a\n| cordon: b\n"),
	BYTES("after a carriage return", "a\rcordon: b\n", "a\r| cordon: b\n"),
	BYTES("two forged lines", "cordon: a\ncordon: b", "| cordon: a\n| cordon: b"),
	BYTES("the words inside a line", "see cordon: b\n", "see cordon: b\n"),
	BYTES("almost the words", "cordon:b\ncordo\nc\n", "cordon:b\ncordo\nc\n"),
	BYTES("a beginning at the end", "x\ncordo", "x\ncordo"),
	BYTES("the words twice in a line", "cordon: cordon: a", "| cordon: cordon: a"),
	BYTES("a doubled beginning", "cocordon: a\n", "cocordon: a\n"),
	BYTES("binary bytes", "\xff\x01\n", "\xff\x01\n"),
	BYTES("empty lines", "\n\n\n", "\n\n\n"),
	BYTES("nothing", "", ""),
	BYTES("after a zero-width space", "\u200bcordon: a\n", "| \u200bcordon: a\n"),
	BYTES("after a combining mark", "\u0300cordon: a\n", "| \u0300cordon: a\n"),
	BYTES("after a musical one", "\U0001d159cordon: a\n", "| \U0001d159cordon: a\n"),
	BYTES("after a byte order mark", "\ufeffcordon: a\n", "| \ufeffcordon: a\n"),
	BYTES("after an override", "\u202ecordon: a\n", "| \u202ecordon: a\n"),
	BYTES("after an isolate", "x\n\u2066cordon: a\n", "x\n| \u2066cordon: a\n"),
	BYTES("after a tag character", "\U000e0041cordon: a\n", "| \U000e0041cordon: a\n"),
	BYTES("a joiner in the words", "cor\u200ddon: a\n", "| cor\u200ddon: a\n"),
	BYTES("a joiner before the blank", "cordon:\u2060 a\n", "| cordon:\u2060 a\n"),
	BYTES("another blank", "cordon:\u00a0a\n", "| cordon:\u00a0a\n"),
	BYTES("a tab for the blank", "cordon:\ta\n", "| cordon:\ta\n"),
	BYTES("an escape before the words", "\033[mcordon: a\n", "| \033[mcordon: a\n"),
	BYTES("NUL before the words", "\0cordon: a\n", "| \0cordon: a\n"),
	BYTES("a tab at the start", "\ta\n", "\ta\n"),
	BYTES("a joiner inside a line", "a\u200dcordon: b\n", "a\u200dcordon: b\n"),
	BYTES("a letter that is none of ours", "\u00e4cordon: a\n", "\u00e4cordon: a\n"),
	BYTES("half a character before the words",
	      "\xe2\x80"
	      "cordon: a\n",
	      "\xe2\x80"
	      "cordon: a\n"),
	BYTES("half a character at the end", "a\xe2\x80", "a\xe2\x80"),
};

/* On a terminal. */
static const struct row shown[] = {
	BYTES("a colour", "\033[31mred\033[0m\n", "^[[31mred^[[0m\n"),
	BYTES("a window title", "\033]0;x\007", "^[]0;x^G"),
	BYTES("a bell", "a\ab", "a^Gb"),
	BYTES("backspaces", "ab\b\bcd", "ab^H^Hcd"),
	BYTES("tab, newline", "a\tb\n", "a\tb\n"),
	BYTES("delete",
	      "a\x7f"
	      "b",
	      "a\\x7fb"),
	BYTES("NUL", "a\0b", "a^@b"),
	BYTES("a C1 control as one byte",
	      "a\x9b"
	      "31mb",
	      "a\\x9b31mb"),
	BYTES("umlauts", "\xc3\xa4\xc3\x96\n", "\xc3\xa4\xc3\x96\n"),
	BYTES("a euro", "\xe2\x82\xac\n", "\xe2\x82\xac\n"),
	BYTES("a letter whose second byte is 9b", "\xc3\x9b\n", "\xc3\x9b\n"),
	BYTES("a character with two such bytes", "\xe2\x80\x9b\n", "\xe2\x80\x9b\n"),
	BYTES("an emoji", "\xf0\x9f\x98\x80\n", "\xf0\x9f\x98\x80\n"),
	BYTES("a forged line in colour", "\ncordon: \033[1mx", "\n| cordon: ^[[1mx"),
	BYTES("a C1 control after a broken character", "\xe2\x82\x9b", "\xe2\x82\x9b"),
	BYTES("a C1 control after a whole character", "\xc3\xa4\x9b", "\xc3\xa4\\x9b"),
	BYTES("a lone continuation after text", "a\x85", "a\\x85"),
	BYTES("an override", "a\u202eb\n", "a\\u202eb\n"),
	BYTES("an isolate", "a\u2067b\u2069\n", "a\\u2067b\\u2069\n"),
	BYTES("a line separator", "a\u2028cordon: b\n", "a\\u2028cordon: b\n"),
	BYTES("a family of joined emoji", "a\U0001f468\u200d\U0001f469\n",
	      "a\U0001f468\u200d\U0001f469\n"),
	BYTES("a forged line after a zero-width space", "\u200bcordon: a\n", "| \u200bcordon: a\n"),
};

/* Passes IN on in pieces of SIZE and gives back what arrived. */
static const char *pass(const struct row *row, bool terminal, bool guard, size_t piece, size_t *ret)
{
	static char got[4096];
	struct relay_line line = {0};
	struct relay r;
	int fds[2];

	scratch_must(pipe(fds) == 0, "a pipe");
	relay_init(&r, fds[1], 1 << 20, &line);
	r.terminal = terminal;
	r.guard = guard;
	struct capture none = {0};
	none.tail_max = 1;
	for (size_t at = 0; at < row->len; at += piece) {
		size_t len = row->len - at < piece ? row->len - at : piece;
		none.total += len;
		none.head_len += len;
		relay_write(&r, row->in + at, len);
	}
	relay_finish(&r, &none);
	close(fds[1]);
	ssize_t n = read(fds[0], got, sizeof(got) - 1);
	close(fds[0]);
	got[n > 0 ? n : 0] = '\0';
	*ret = n > 0 ? (size_t)n : 0;
	return got;
}

static void show(const char *what, const char *bytes, size_t len)
{
	printf("# %s:", what);
	for (size_t i = 0; i < len; i++)
		printf(" %02x", (unsigned char)bytes[i]);
	printf("\n");
}

static void test_rows(const struct row *rows, size_t count, bool terminal, const char *where)
{
	for (size_t i = 0; i < count; i++) {
		size_t wrong = 0;
		for (size_t piece = 1; piece <= rows[i].len + 1; piece++) {
			size_t len, want = rows[i].out_len;
			const char *got = pass(&rows[i], terminal, true, piece, &len);
			if (len == want && memcmp(got, rows[i].out, len) == 0)
				continue;
			if (!wrong++)
				show("got", got, len);
		}
		ok(wrong == 0, "%s: %s", where, rows[i].what);
	}
}

/* The two bytes of a C1 control in UTF-8: neither may reach the terminal as a pair. */
static void test_c1(void)
{
	int wrong = 0;

	for (int c = 0x80; c < 0xa0; c++) {
		char text[] = {'a', (char)0xc2, (char)c, 'b'};
		struct row row = {"", text, NULL, sizeof(text), 0};
		for (size_t piece = 1; piece < 5; piece++) {
			size_t len;
			const char *got = pass(&row, true, true, piece, &len);
			for (size_t i = 0; i < len; i++)
				wrong += (unsigned char)got[i] == c;
		}
	}
	ok(wrong == 0, "terminal: no C1 control in UTF-8 is passed on");
}

/* Whatever comes, a terminal gets no control byte. */
static void test_random(void)
{
	uint64_t state = 1;
	size_t wrong = 0;

	for (int round = 0; round < 3000; round++) {
		char text[64];
		for (size_t i = 0; i < sizeof(text); i++) {
			state = state * 6364136223846793005ULL + 1442695040888963407ULL;
			text[i] = (char)(state >> 56);
		}
		struct row row = {"", text, NULL, sizeof(text), 0};
		size_t len;
		const char *got = pass(&row, true, true, 1 + (size_t)round % 9, &len);
		for (size_t i = 0; i < len; i++) {
			unsigned char c = (unsigned char)got[i];
			wrong += (c < 0x20 && c != '\n' && c != '\t' && c != '\r') || c == 0x7f;
		}
	}
	ok(wrong == 0, "terminal: random bytes leave no C0 control");
}

static void test_unguarded(void)
{
	struct row row = BYTES("", "cordon: \033[1m\xff\0x\n", "");
	size_t len;
	const char *got = pass(&row, false, false, 3, &len);

	ok(len == row.len && memcmp(got, row.in, len) == 0,
	   "a pipe of its own gets the very bytes");
}

/* One terminal, two streams: half a word on each makes a line of ours all the same. */
static void test_two_streams(void)
{
	struct capture none = {.tail_max = 1};
	struct relay_line line = {0};
	struct relay r[2];
	char got[256];
	int fds[2];

	scratch_must(pipe(fds) == 0, "a pipe");
	for (int i = 0; i < 2; i++) {
		relay_init(&r[i], fds[1], 1 << 20, &line);
		r[i].guard = true;
	}
	relay_write(&r[0], "cor", 3);
	relay_write(&r[1], "don: done\n", 10);
	relay_write(&r[0], "a", 1);
	relay_write(&r[1], "cordon: b\n", 10);
	relay_finish(&r[0], &none);
	relay_finish(&r[1], &none);
	close(fds[1]);
	ssize_t n = read(fds[0], got, sizeof(got) - 1);
	close(fds[0]);
	got[n > 0 ? n : 0] = '\0';
	if (!ok(!strcmp(got, "| cordon: done\nacordon: b\n"),
		"two streams cannot forge a line together"))
		show("got", got, strlen(got));
}

/* The end that was kept is shown after a note of ours on standard error. */
static void test_gap(void)
{
	struct capture c;
	struct relay_line line = {0};
	struct relay r;
	char got[256];
	int fds[2], noise[2], saved = dup(STDERR_FILENO);

	scratch_must(pipe(fds) == 0 && pipe(noise) == 0, "a pipe");
	dup2(noise[1], STDERR_FILENO);
	capture_init(&c, 16);
	relay_init(&r, fds[1], 8, &line);
	capture_add(&c, "0123456789abcdefghijklmnop", 26);
	relay_write(&r, "0123456789abcdefghijklmnop", 26);
	relay_finish(&r, &c);
	dup2(saved, STDERR_FILENO);
	close(noise[1]);
	close(fds[1]);
	ssize_t n = read(fds[0], got, sizeof(got) - 1);
	got[n > 0 ? n : 0] = '\0';
	ok(!strcmp(got, "01234567ijklmnop"), "a long output shows its head and its tail");
	n = read(noise[0], got, sizeof(got) - 1);
	got[n > 0 ? n : 0] = '\0';
	ok(strstr(got, "cordon: ... 10 bytes"), "and how many bytes lie between");
	free(c.head);
	free(c.tail);
}

int main(void)
{
	test_rows(lines, ARRAY_SIZE(lines), false, "line");
	test_rows(shown, ARRAY_SIZE(shown), true, "terminal");
	test_c1();
	test_random();
	test_unguarded();
	test_two_streams();
	test_gap();
	return tap_done();
}
