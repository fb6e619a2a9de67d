/* SPDX-License-Identifier: MIT
 *
 * Which word of a program's is put beside a refusal: rows of what it said, what was refused, and the
 * line that must be told. A refusal may come long after the word.
 */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/scope.h"
#include "live/telemetry.h"
#include "tap.h"

#define POPEN "subprocess.Popen\t5\t'/bin/sh', ['/bin/sh', '-c', 'id']\n"
#define CTYPES "ctypes.dlopen\t10\tNone\n"
#define SOCKET "socket.__new__\t11\t<socket>, 2, 1\n"

static const struct {
	const char *name, *said, *call, *target;
	unsigned line; /* 0: nothing is told */
} rows[] = {
	{"the word before it", POPEN, "execve", "/bin/sh", 5},
	{"a word that could be about anything came later", POPEN CTYPES, "execve", "/bin/sh", 5},
	{"and is taken where there is no better one", CTYPES, "execve", "/bin/sh", 10},
	{"a word about something else came later", POPEN SOCKET, "execve", "/bin/sh", 5},
	{"two programs: the one that was refused", POPEN "os.exec\t7\t'/bin/id', ['id']\n",
	 "execve", "/bin/sh", 5},
	{"by its name, wherever it was looked for", "os.exec\t7\t'cc', ['cc']\n" POPEN, "execve",
	 "/usr/local/bin/cc", 7},
	{"the last of those that fit alike", "os.system\t3\t'a'\nos.system\t4\t'b'\n", "execve",
	 "/bin/sh", 4},
	{"a socket", SOCKET CTYPES, "socket", "AF_INET", 11},
	{"no word", SOCKET, "execve", "/bin/sh", 0},
	{"an invalid target", POPEN, "execve", "", 5},
	{"a target that ends with a slash", POPEN, "execve", "/", 5},
};

static unsigned line_told(const char *said, const char *call, const char *target)
{
	struct wire_denial d = {.count = 1, .rule = "a rule"};
	struct launch_sink sink = {0};
	static struct result r;
	unsigned line = 0;
	int pair[2];

	result_init(&r);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return 999;
	struct telemetry *t = telemetry_new(pair[0], &sink, &r);
	snprintf(d.call, sizeof(d.call), "%s", call);
	snprintf(d.target, sizeof(d.target), "%s", target);
	if (t && send(pair[1], said, strlen(said), 0) == (ssize_t)strlen(said))
		telemetry_join(t, &d);
	const char *at =
		r.telemetry.explainedc == 1 ? strstr(r.telemetry.explained[0], "at line ") : NULL;
	if (at)
		sscanf(at, "at line %u was refused by the box", &line);
	telemetry_free(t);
	scope_close(&pair[1]);
	result_done(&r);
	return line;
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		unsigned line = line_told(rows[i].said, rows[i].call, rows[i].target);
		ok(line == rows[i].line, "%s: line %u", rows[i].name, line);
	}
	telemetry_join(NULL, &(struct wire_denial){.call = "execve"});
	ok(1, "without telemetry there is nothing to join");
	return tap_done();
}
