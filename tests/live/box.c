/* SPDX-License-Identifier: MIT
 *
 * See box.h. It looks for cordon-box beside the program.
 */
#include "box.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/pages.h"
#include "base/scope.h"

enum { AWAIT_MS = 60000 };

int live_box_create(struct live_box *b, enum tier tier, const char *workspace,
		    enum workspace_mode mode, uint64_t pids)
{
	struct launch box = LAUNCH_NONE;

	memset(b, 0, sizeof(*b));
	b->live = LIVE_NONE;
	b->blueprint = pages_new(sizeof(*b->blueprint));
	request_init(&b->req);
	result_init(&b->result);
	b->req.lang = "bash";
	b->req.execution = EXECUTION_DEV;
	b->req.creates_box = true;
	b->req.tier = tier;
	b->req.workspace = workspace;
	b->req.workspace_mode = mode;
	if (pids)
		b->req.limit[LIMIT_PIDS] = pids;
	blueprint_init(b->blueprint);
	if (launch_begin(&box, &b->err) < 0)
		return -1;
	if (blueprint_begin(b->blueprint, &b->req, NULL, &b->err) < 0 ||
	    blueprint_make(b->blueprint, &b->req, &b->err) < 0) {
		launch_abandon(&box);
		return -1;
	}
	return live_create(&b->live, &box, b->blueprint, &b->sink, &b->result, &b->err);
}

void live_box_close(struct live_box *b)
{
	live_close(&b->live);
	blueprint_done(b->blueprint);
	pages_free(b->blueprint);
	result_done(&b->result);
}

uint32_t live_box_start_limited(struct live_box *b, const char *script, const uint64_t *limit,
				int *ret_out)
{
	static const char *const env[] = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8"};
	const char *argv[] = {"sh", "-c", script};
	AUTO_CLOSE int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	uint32_t id = 0;
	int pipe[2];

	if (pipe2(pipe, O_CLOEXEC) < 0)
		abort();
	const struct live_start s = {.program = "/bin/sh",
				     .cwd = b->blueprint->spec.cwd,
				     .argc = ARRAY_SIZE(argv),
				     .argv = argv,
				     .envc = ARRAY_SIZE(env),
				     .env = env,
				     .limit = limit,
				     .stream = {null, pipe[1], pipe[1]}};
	if (live_start(&b->live, &s, &id, &b->err) < 0)
		id = 0;
	close(pipe[1]);
	*ret_out = pipe[0];
	return id;
}

uint32_t live_box_start(struct live_box *b, const char *script, int *ret_out)
{
	return live_box_start_limited(b, script, b->req.limit, ret_out);
}

static void read_output(int fd, struct live_outcome *ret)
{
	size_t room = sizeof(ret->out) - 1 - ret->len;
	ssize_t n = room ? read(fd, ret->out + ret->len, room) : 0;

	if (n > 0)
		ret->len += (size_t)n;
	ret->out[ret->len] = '\0';
}

static bool has_output(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, 0) > 0 && p.revents & POLLIN;
}

static struct live_ended *find_ended(struct live_box *b, uint32_t id)
{
	struct live_ended *ended = &b->ended[id % ARRAY_SIZE(b->ended)];

	if (ended->id != id)
		*ended = (struct live_ended){.id = id};
	return ended;
}

int live_box_next(struct live_box *b, int wait_ms, struct live_event *ret)
{
	if (live_next(&b->live, wait_ms, ret, &b->err) < 0 || ret->kind == LIVE_BOX_ENDED) {
		b->has_ended = true;
		return -1;
	}
	if (ret->kind == LIVE_EXITED) {
		find_ended(b, ret->id)->exited = true;
		find_ended(b, ret->id)->how = ret->exited;
	} else if (ret->kind == LIVE_CLOSED) {
		find_ended(b, ret->id)->closed = true;
	}
	return 0;
}

static void take_event(struct live_box *b)
{
	struct live_event e;

	if (live_box_next(b, 0, &e) == 0 && e.fd >= 0)
		close(e.fd);
}

void live_box_await(struct live_box *b, uint32_t id, int out, bool until_closed,
		    struct live_outcome *ret)
{
	uint64_t end = io_now_ns() + AWAIT_MS * 1000000ULL;

	memset(ret, 0, sizeof(*ret));
	const struct live_ended *ended = find_ended(b, id);
	while (!b->has_ended && !(until_closed ? ended->closed : ended->exited) &&
	       io_now_ns() < end) {
		struct pollfd fds[] = {{.fd = live_fd(&b->live), .events = POLLIN},
				       {.fd = out, .events = POLLIN}};
		if (poll(fds, 2, 1000) <= 0)
			continue;
		if (fds[1].revents & POLLIN)
			read_output(out, ret);
		else if (fds[1].revents)
			out = -1;
		if (fds[0].revents)
			take_event(b);
	}
	while (out >= 0 && has_output(out))
		read_output(out, ret);
	ret->exited = ended->exited;
	ret->closed = ended->closed;
	ret->how = ended->how;
	ret->box_ended = b->has_ended;
}

void live_box_run(struct live_box *b, const char *script, struct live_outcome *ret)
{
	int out;
	uint32_t id = live_box_start(b, script, &out);

	live_box_await(b, id, out, true, ret);
	close(out);
}

int live_box_open(struct live_box *b, const char *path, int flags, unsigned mode)
{
	struct live_event e;
	uint32_t id;

	if (live_open(&b->live, path, flags, mode, &id, &b->err) < 0)
		return -1;
	do {
		if (live_box_next(b, AWAIT_MS, &e) < 0 || e.kind == LIVE_NOTHING)
			return -1;
	} while (e.kind != LIVE_OPENED || e.id != id);
	errno = e.error;
	return e.fd;
}
