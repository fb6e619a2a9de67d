/* SPDX-License-Identifier: MIT
 *
 * Messages of doors: lines at their maximum and above it, halves, a reader that is slow or gone, and
 * what is no message.
 */
#include "door/lines.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "tap.h"

enum { MAX = 8, MUCH = 3 << 20 };

/* What lines_next says, a letter each: a line with its text, Long, Half, End. */
static void read_as(int fd, char *ret, size_t size)
{
	struct lines_in in = {.fd = fd, .max = MAX};
	enum lines_event event = LINES_NONE;
	struct lines_text text;
	struct err err;
	size_t at = 0;

	while (event != LINES_END && at + MAX + 3 < size) {
		while ((event = lines_next(&in, &text)) != LINES_NONE && event != LINES_END) {
			ret[at++] = "-lLH"[event];
			if (event != LINES_TOO_LONG) {
				memcpy(ret + at, text.data, text.len);
				at += text.len;
			}
			ret[at++] = ' ';
		}
		if (event == LINES_NONE)
			lines_read(&in, &err);
	}
	ret[at] = '\0';
	lines_in_done(&in);
}

static const struct {
	const char *sent, *events;
} rows[] = {
	{"", ""},
	{"a\nb\n", "la lb "},
	{"a\n\nb\n", "la l lb "},
	{"12345678\n", "l12345678 "},
	{"123456789\nb\n", "L lb "},
	{"a\n123456789012345678901234567890\nb\n", "la L lb "},
	{"a\nhal", "la Hhal "},
	{"123456789", "L "},
	{"123456789\n", "L "},
};

/* In one piece, and a byte at a time. */
static void test_rows(bool slowly)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char told[256];
		int fds[2];
		if (pipe(fds) < 0)
			return;
		pid_t pid = fork();
		if (pid == 0) {
			for (const char *p = rows[i].sent; *p; p++) {
				(void)!write(fds[1], p, slowly ? 1 : strlen(p));
				if (!slowly)
					break;
				usleep(200);
			}
			_exit(0);
		}
		close(fds[1]);
		read_as(fds[0], told, sizeof(told));
		close(fds[0]);
		ok(strcmp(told, rows[i].events) == 0, "row %zu%s: %s", i,
		   slowly ? ", a byte at a time" : "", told);
	}
}

static void test_write(bool is_socket)
{
	AUTO_FREE char *much = malloc(MUCH), *got = malloc(MUCH + 1);
	struct lines_out out = {.fd = -1};
	struct err err;
	size_t n = 0;
	int fds[2];

	if (!much || !got || (is_socket ? socketpair(AF_UNIX, SOCK_STREAM, 0, fds) : pipe(fds)) < 0)
		return;
	memset(much, 'x', MUCH);
	out.fd = fds[1];
	ok(lines_put(&out, much, MUCH, &err) == 0 && lines_waiting(&out) > 0,
	   "a write does not block, and the rest waits");
	ok((fcntl(fds[1], F_GETFL) & O_NONBLOCK) == 0, "the flags are as before");
	while (n < MUCH + 1) {
		ssize_t part = read(fds[0], got + n, MUCH + 1 - n);
		if (part <= 0)
			break;
		n += (size_t)part;
		lines_flush(&out);
	}
	ok(n == MUCH + 1 && got[MUCH] == '\n' && memcmp(got, much, MUCH) == 0, "all of it comes");
	close(fds[0]);
	ok(lines_put(&out, "a", 1, &err) == 0 && out.fd == -1, "a reader that is gone");
	close(fds[1]);
	lines_out_done(&out);
}

static bool parses(const char *text, size_t len)
{
	struct err err = {0};
	json_t *v = lines_parse((struct lines_text){text, len}, &err);

	if (!v && !err.message[0])
		return true; /* which fails a test that expects false */
	json_decref(v);
	return v != NULL;
}

static void repeat(char *to, const char *what, size_t count)
{
	for (*to = '\0'; count; count--)
		to = stpcpy(to, what);
}

static void test_parse(void)
{
	static char deep[4 * LINES_DEPTH_MAX], wide[3 * LINES_VALUES_MAX];
	static const char *const good[] = {"{\"id\":1,\"method\":\"m\"}",
					   "{\"a\":\"[[[{{\\\"[\"}\r"};
	static const char *const bad[] = {"",
					  "{",
					  "[]",
					  "1",
					  "null",
					  "{\"a\":1,\"a\":2}",
					  "{\"a\":\"\xff\"}",
					  "{\"a\":\"\xed\xa0\x80\"}",
					  "{\"a\":1} x",
					  "{\"a\":\"\\u0000\"}",
					  "{'a':1}",
					  "{\"a\":1,}"};

	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		ok(parses(good[i], strlen(good[i])), "a message: %zu", i);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		ok(!parses(bad[i], strlen(bad[i])), "no message: %s", bad[i]);
	ok(!parses("{\"a\":1}\0", 8), "a NUL");
	for (int more = 0; more < 2; more++) {
		strcpy(deep, "{\"a\":");
		repeat(deep + strlen(deep), "[", LINES_DEPTH_MAX - 1 + more);
		repeat(deep + strlen(deep), "]", LINES_DEPTH_MAX - 1 + more);
		strcat(deep, "}");
		ok(parses(deep, strlen(deep)) == !more, "depth %d", LINES_DEPTH_MAX + more);
		strcpy(wide, "{\"a\":[1");
		repeat(wide + strlen(wide), ",1", LINES_VALUES_MAX - 3 + more);
		strcat(wide, "]}");
		ok(parses(wide, strlen(wide)) == !more, "values %d", LINES_VALUES_MAX + more);
	}
}

int main(void)
{
	signal(SIGPIPE, SIG_DFL);
	test_rows(false);
	test_rows(true);
	test_write(true);
	signal(SIGPIPE, SIG_IGN); /* a pipe cannot be asked not to send it */
	test_write(false);
	test_parse();
	return tap_done();
}
