/* SPDX-License-Identifier: MIT
 *
 * See view_ready.h. The reader's standard input is a file of memory that has its parts. The code is added at
 * the end, and a signal tells the reader so.
 */
#include "read/view_ready.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "base/pages.h"
#include "base/scope.h"
#include "live/boot.h"
#include "live/enclose.h"
#include "read/view.h"

enum { LIFE_MS = 60 * 60 * 1000, ANSWER_MAX = 2 * VIEW_TEXT_MAX };

struct view_ready {
	struct request req;
	struct blueprint *bp;
	struct launch box;
	struct result *result;
	int input; /* the file */
	uint64_t until_ns;
	bool has_begun, is_used;
};

static int open_input(struct view_ready *v, struct err *err)
{
	struct boot_reader reader = boot_reader();

	v->input = memfd_create("code", MFD_CLOEXEC);
	if (v->input < 0 || io_write_all(v->input, reader.parts, reader.parts_len) < 0)
		return err_errno(err, ERR_SYSTEM, "making the reader's input");
	scope_close(&v->bp->input);
	/* A description of its own: the reader's offset is not ours. */
	char path[64];
	snprintf(path, sizeof(path), "/proc/self/fd/%d", v->input);
	v->bp->input = open(path, O_RDONLY | O_CLOEXEC);
	return v->bp->input < 0 ? err_errno(err, ERR_SYSTEM, "making the reader's input") : 0;
}

static int begin(struct view_ready *v, struct err *err)
{
	static const char *const argv[] = {"bash", "wait"};
	static const struct launch_sink quiet;
	struct blueprint *bp = v->bp;

	view_request(&v->req, TIER_FULL);
	v->req.argv = argv;
	v->req.argc = ARRAY_SIZE(argv);
	v->req.limit[LIMIT_TIME] = LIFE_MS;
	blueprint_init(bp);
	v->box.is_own = true;
	if (blueprint_begin(bp, &v->req, NULL, err) < 0 || open_input(v, err) < 0 ||
	    blueprint_make(bp, &v->req, err) < 0 || own_paths_make(&bp->own, &bp->spec, err) < 0)
		return -1;
	return launch_start(&v->box, bp, &quiet, v->result, err);
}

struct view_ready *view_ready_new(void)
{
	struct view_ready *v = pages_new(sizeof(*v));
	struct err ignored;

	if (!v)
		return NULL;
	v->input = -1;
	v->bp = pages_new(sizeof(*v->bp));
	v->result = pages_new(sizeof(*v->result));
	int begun = launch_begin(&v->box, &ignored);
	if (v->result)
		result_init(v->result);
	if (v->bp && v->result && begun == 0 && begin(v, &ignored) == 0) {
		v->until_ns = io_now_ns() + (LIFE_MS - VIEW_WALL_MS) * 1000000ULL;
		return v;
	}
	view_ready_free(v);
	return NULL;
}

/* The byte that the reader prints when it has loaded everything. */
static bool has_begun(struct view_ready *v)
{
	struct pollfd fd = {.fd = v->box.out[0], .events = POLLIN};
	char byte;

	if (!v->has_begun && poll(&fd, 1, 0) == 1) {
		v->has_begun = read(fd.fd, &byte, 1) == 1 && byte == 'r';
		v->is_used = !v->has_begun;
	}
	return v->has_begun;
}

bool view_ready_is_over(const struct view_ready *v)
{
	return v->is_used || io_now_ns() > v->until_ns;
}

/* What the reader prints until it ends. The end of its box is not waited for. */
static char *read_answer(struct view_ready *v, size_t *ret_len)
{
	uint64_t until = io_now_ns() + VIEW_WALL_MS * 1000000ULL;
	AUTO_FREE char *data = malloc(ANSWER_MAX);
	struct pollfd fd = {.fd = v->box.out[0], .events = POLLIN};
	ssize_t n = data ? 1 : -1;

	for (*ret_len = 0; n > 0; *ret_len += (size_t)n) {
		uint64_t now = io_now_ns();
		if (*ret_len == ANSWER_MAX || now > until ||
		    poll(&fd, 1, (int)((until - now) / 1000000)) != 1)
			return NULL;
		n = read(fd.fd, data + *ret_len, ANSWER_MAX - *ret_len);
		if (n <= 0)
			break;
	}
	char *taken = n == 0 ? data : NULL;
	if (taken)
		data = NULL;
	return taken;
}

int view_ready_use(struct view_ready *v, const char *code, size_t len, struct code_view *ret)
{
	const struct wire_signal go = {.kind = WIRE_SIGNAL, .signal = SIGUSR1};
	struct err ignored;
	size_t answer_len;

	if (view_ready_is_over(v) || len > VIEW_CODE_MAX || !has_begun(v))
		return -1;
	v->is_used = true;
	if (io_write_all(v->input, code, len) < 0 ||
	    io_send(v->box.socket, &go, sizeof(go), -1) < 0)
		return -1;
	AUTO_FREE char *answer = read_answer(v, &answer_len);
	return answer ? view_answer(answer, answer_len, ret, &ignored) : -1;
}

void view_ready_free(struct view_ready *v)
{
	if (!v)
		return;
	launch_abandon(&v->box);
	if (v->bp)
		blueprint_done(v->bp);
	if (v->result)
		result_done(v->result);
	scope_close(&v->input);
	pages_free(v->bp);
	pages_free(v->result);
	pages_free(v);
}
