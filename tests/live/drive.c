/* SPDX-License-Identifier: MIT
 *
 * drive COUNT PROGRAM [ARG...]: creates one live box and starts PROGRAM in it COUNT times, one after another.
 * Prints the median time of a start until its end is known. Looks for cordon-box beside itself.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/pages.h"
#include "base/scope.h"
#include "live/live.h"

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int fail(const char *what, const struct err *err)
{
	printf("%s: %s; %s; %s\n", what, err->message, err->cause, err->cure);
	return 1;
}

static int start(struct live *l, const struct live_start *s, struct err *err)
{
	struct live_event e = {0};
	uint32_t id;

	if (live_start(l, s, &id, err) < 0)
		return -1;
	while (e.kind != LIVE_CLOSED) {
		if (live_next(l, -1, &e, err) < 0)
			return -1;
		if (e.kind == LIVE_EXITED && (e.exited.err.code || e.exited.wait_status)) {
			*err = e.exited.err;
			printf("status %d\n", e.exited.wait_status);
			return -1;
		}
		if (e.kind == LIVE_BOX_ENDED)
			return err_set(err, ERR_SYSTEM, "the box has ended");
	}
	return 0;
}

int main(int argc, char **argv)
{
	static struct result result;
	static struct request req;
	struct blueprint *bp = pages_new(sizeof(*bp));
	struct launch box = LAUNCH_NONE;
	struct launch_sink sink = {0};
	struct live l = LIVE_NONE;
	struct err err = {0};
	size_t count = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
	uint64_t *took = calloc(count + 1, sizeof(*took));
	static const char *env[] = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8"};

	if (!bp || !count || !took)
		return 2;
	request_init(&req);
	result_init(&result);
	req.lang = "bash";
	req.is_live = true;
	if (getenv("TIER"))
		req.tier = tier_find(getenv("TIER"));
	blueprint_init(bp);
	uint64_t began = io_now_ns();
	if (launch_begin(&box, &err) < 0 || blueprint_begin(bp, &req, NULL, &err) < 0 ||
	    blueprint_make(bp, &req, &err) < 0 ||
	    live_create(&l, &box, bp, &sink, &result, &err) < 0)
		return fail("create", &err);
	printf("created in %.3f ms\n", (double)(io_now_ns() - began) / 1e6);
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct live_start s = {.program = argv[2],
			       .cwd = "/tmp",
			       .argc = (size_t)argc - 2,
			       .argv = (const char *const *)argv + 2,
			       .env = env,
			       .envc = ARRAY_SIZE(env),
			       .limit = req.limit,
			       .stream = {getenv("OUT") ? 0 : null, getenv("OUT") ? 1 : null, getenv("OUT") ? 2 : null}};
	for (size_t i = 0; i < count; i++) {
		began = io_now_ns();
		if (start(&l, &s, &err) < 0)
			return fail("start", &err);
		took[i] = io_now_ns() - began;
	}
	qsort(took, count, sizeof(*took), compare);
	printf("median %.3f ms of %zu starts\n", (double)took[count / 2] / 1e6, count);
	live_close(&l);
	blueprint_done(bp);
	return 0;
}
