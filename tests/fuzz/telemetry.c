/* SPDX-License-Identifier: MIT
 *
 * The fuzz target for what a program sends on the descriptor of its telemetry: the first byte says
 * in pieces of which size it comes and which call is refused in between, the rest is what it sends.
 * Every line is told or counted as dropped; what is told is printable and named, and so are the words
 * of the result. A broken promise aborts.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/scope.h"
#include "live/telemetry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool promise)
{
	if (!promise)
		abort();
}

static void must_be_shown(const char *text, size_t size)
{
	must(memchr(text, '\0', size));
	for (; *text; text++)
		must(*text >= 0x20 && *text <= 0x7e);
}

static void hear(void *ctx, const struct telemetry_event *e)
{
	must(e->audit[0] && e->line < 100000000);
	must_be_shown(e->audit, sizeof(e->audit));
	must_be_shown(e->args, sizeof(e->args));
	++*(uint64_t *)ctx;
}

/* A piece never fills the socket: what is sent is all there. */
static void send_all(struct telemetry *t, int fd, const uint8_t *data, size_t len, size_t piece)
{
	for (size_t part; len; data += part, len -= part) {
		part = len < piece ? len : piece;
		must(send(fd, data, part, MSG_NOSIGNAL) == (ssize_t)part);
		telemetry_read(t);
		must(telemetry_fd(t) >= 0);
	}
}

static uint64_t lines(const uint8_t *data, size_t len)
{
	uint64_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += data[i] == '\n';
	return n;
}

static void check(const struct result_telemetry *r, uint64_t heard, uint64_t came)
{
	must(r->told == heard && r->told + r->dropped == came && r->told <= TELEMETRY_EVENTS_MAX);
	must(r->explainedc <= RESULT_EXPLAINED_MAX);
	for (size_t i = 0; i < r->explainedc; i++) {
		must_be_shown(r->explained[i], strlen(r->explained[i]) + 1);
		must(strstr(r->explained[i], " was refused by "));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const char *const calls[] = {"execve", "socket", "connect", "mount"};
	struct wire_denial d = {.count = 1, .rule = "no program may be executed"};
	static struct result r;
	uint64_t heard = 0;
	struct launch_sink sink = {.telemetry = hear, .ctx = &heard};
	int pair[2];

	if (len < 1 || len > TELEMETRY_BYTES_MAX)
		return 0;
	must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
	result_init(&r);
	struct telemetry *t = telemetry_new(pair[0], &sink, &r);
	must(t);
	send_all(t, pair[1], data + 1, len - 1, (size_t)1 << (data[0] >> 2) % 14);
	snprintf(d.call, sizeof(d.call), "%s", calls[data[0] % ARRAY_SIZE(calls)]);
	telemetry_join(t, &d);
	scope_close(&pair[1]);
	telemetry_read(t);
	must(telemetry_fd(t) < 0);
	check(&r.telemetry, heard, lines(data + 1, len - 1));
	telemetry_free(t);
	result_done(&r);
	return 0;
}
