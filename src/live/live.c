/* SPDX-License-Identifier: MIT
 *
 * Speaks to cordon-box as model/wire.h has it: one datagram for each order, and datagrams that come back at
 * any time. Never trusts a length or a number in them.
 */
#include "live/live.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "base/io.h"
#include "base/pages.h"
#include "base/scope.h"

static int tell(struct live *l, const void *data, size_t len, const int *fds, size_t count,
		struct err *err)
{
	if (l->box.socket < 0 || io_send_fds(l->box.socket, data, len, fds, count) < 0)
		return err_errno(err, ERR_SYSTEM, "talking to the box");
	return 0;
}

static int seal_spec(const struct live_start *s, int *ret, struct err *err)
{
	AUTO_PAGES struct spec *spec = pages_new(sizeof(*spec));
	AUTO_FREE uint8_t *data = NULL;
	size_t len;

	if (!spec)
		return err_memory(err);
	if (s->argc > SPEC_ARGS_MAX || s->envc > SPEC_ENV_MAX)
		return err_set(err, ERR_LIMIT, "more than %d arguments or %d variables",
			       SPEC_ARGS_MAX, SPEC_ENV_MAX);
	spec->job = JOB_START;
	memcpy(spec->limit, s->limit, sizeof(spec->limit));
	spec->program = s->program;
	spec->cwd = s->cwd;
	spec->argc = s->argc;
	spec->envc = s->envc;
	memcpy(spec->argv, s->argv, s->argc * sizeof(*s->argv));
	memcpy(spec->env, s->env, s->envc * sizeof(*s->env));
	if (spec_encode(spec, &data, &len, err) < 0)
		return -1;
	*ret = io_sealed_memfd("cordon-start", data, len);
	return *ret < 0 ? err_errno(err, ERR_SYSTEM, "sealing the start") : 0;
}

static uint32_t next_id(struct live *l)
{
	if (++l->last_id == 0)
		l->last_id = 1;
	return l->last_id;
}

int live_start(struct live *l, const struct live_start *s, uint32_t *ret_id, struct err *err)
{
	AUTO_CLOSE int spec = -1;
	struct wire_start m = {.kind = WIRE_START,
			       .id = next_id(l),
			       .flags = s->tty ? START_TTY : 0,
			       .rows = s->rows,
			       .cols = s->cols,
			       .time_ms = s->limit[LIMIT_TIME]};

	if (seal_spec(s, &spec, err) < 0)
		return -1;
	const int fds[START_FDS] = {spec, s->stream[0], s->stream[1], s->stream[2]};
	*ret_id = m.id;
	return tell(l, &m, sizeof(m), fds, s->tty ? 1 : START_FDS, err);
}

int live_signal(struct live *l, uint32_t id, int sig, struct err *err)
{
	const struct wire_signal m = {WIRE_SIGNAL, id, (uint32_t)sig, 0};

	return tell(l, &m, sizeof(m), NULL, 0, err);
}

int live_kill(struct live *l, uint32_t id, struct err *err)
{
	const struct wire_signal m = {.kind = WIRE_SIGNAL, .id = id, .tree = 1};

	return tell(l, &m, sizeof(m), NULL, 0, err);
}

int live_open(struct live *l, const char *path, int flags, unsigned mode, uint32_t *ret_id,
	      struct err *err)
{
	struct wire_open m = {.kind = WIRE_OPEN,
			      .id = next_id(l),
			      .flags = (uint32_t)flags,
			      .mode = mode,
			      .path_len = (uint32_t)strnlen(path, sizeof(m.path) + 1)};

	if (m.path_len > sizeof(m.path)) {
		errno = ENAMETOOLONG;
		return err_errno(err, ERR_INPUT, "opening a file in the box");
	}
	memcpy(m.path, path, m.path_len);
	*ret_id = m.id;
	return tell(l, &m, offsetof(struct wire_open, path) + m.path_len, NULL, 0, err);
}

static int order(struct live *l, uint32_t kind, struct err *err)
{
	return tell(l, &kind, sizeof(kind), NULL, 0, err);
}

int live_list(struct live *l, struct err *err)
{
	return order(l, WIRE_DIFF, err);
}

int live_go_on(struct live *l, struct err *err)
{
	return order(l, WIRE_GO_ON, err);
}

int live_end(struct live *l, struct err *err)
{
	return order(l, WIRE_END, err);
}

int live_fd(const struct live *l)
{
	return l->box.socket;
}

/* What happens to one start, or to the list of changes. False: M is about the box. */
static bool take_event(struct live *l, const union launch_message *m, size_t len, int *fd,
		       struct live_event *ret)
{
	enum live_kind kind = LIVE_NOTHING;

	if (m->kind == WIRE_STARTED && len == sizeof(m->started))
		kind = LIVE_STARTED;
	else if (m->kind == WIRE_EXITED && len == sizeof(m->exited))
		kind = LIVE_EXITED;
	else if (m->kind == WIRE_CLOSED && len == sizeof(m->closed))
		kind = LIVE_CLOSED;
	else if (m->kind == WIRE_OPENED && len == sizeof(m->opened))
		kind = LIVE_OPENED;
	else if (m->kind == WIRE_DONE && len == sizeof(m->done))
		kind = LIVE_LISTED;
	if (kind == LIVE_NOTHING)
		return false;
	*ret = (struct live_event){.kind = kind, .id = m->started.id, .fd = scope_take_fd(fd)};
	if (kind == LIVE_EXITED) {
		ret->exited = m->exited;
		if (m->exited.err.code != ERR_NONE)
			err_sanitise(&ret->exited.err);
	} else if (kind == LIVE_OPENED) {
		ret->error = (int)m->opened.error;
	} else if (kind == LIVE_LISTED) {
		l->result->changes_cut = l->result->changes_cut || m->done.cut;
		ret->fd = l->result->upper;
		l->result->upper = -1;
	}
	return true;
}

static int take(struct live *l, struct live_event *ret, struct err *err)
{
	union launch_message m;
	int fd = -1;
	ssize_t n = io_recv(l->box.socket, &m, sizeof(m), &fd);
	AUTO_CLOSE int passed = n > 0 ? fd : -1;

	if (n < (ssize_t)sizeof(m.kind)) {
		scope_close(&l->box.socket);
		l->has_ended = true;
		ret->kind = LIVE_BOX_ENDED;
		return l->box.has_result ? 0 : launch_explain_end(&l->box, err);
	}
	if (take_event(l, &m, (size_t)n, &passed, ret))
		return 0;
	if (m.kind == WIRE_CREATED)
		l->is_created = true;
	else
		launch_take_message(&l->box, &m, (size_t)n, &passed);
	return 0;
}

int live_create(struct live *l, struct launch *box, struct blueprint *p,
		const struct launch_sink *sink, struct result *result, struct err *err)
{
	*l = LIVE_NONE;
	l->box = launch_take(box);
	l->result = result;
	if (launch_start(&l->box, p, sink, result, err) < 0)
		return -1;
	while (!l->is_created) {
		struct live_event e = {.fd = -1};
		if (take(l, &e, err) < 0)
			return -1;
		if (l->has_ended)
			return err_set(err, ERR_SYSTEM, "the box ended before it was ready");
	}
	return 0;
}

int live_next(struct live *l, int wait_ms, struct live_event *ret, struct err *err)
{
	uint64_t until = wait_ms < 0 ? UINT64_MAX : io_now_ns() + (uint64_t)wait_ms * 1000000U;

	*ret = (struct live_event){.kind = l->has_ended ? LIVE_BOX_ENDED : LIVE_NOTHING, .fd = -1};
	while (ret->kind == LIVE_NOTHING) {
		struct pollfd fd = {.fd = l->box.socket, .events = POLLIN};
		uint64_t now = io_now_ns();
		int left = wait_ms < 0 ? -1 : until > now ? (int)((until - now) / 1000000U) + 1 : 0;
		int n = poll(&fd, 1, left);
		if (n < 0 && errno != EINTR)
			return err_errno(err, ERR_SYSTEM, "waiting for the box");
		if (n == 0)
			return 0;
		if (n > 0 && take(l, ret, err) < 0)
			return -1;
	}
	return 0;
}

void live_close(struct live *l)
{
	launch_abandon(&l->box);
	*l = LIVE_NONE;
}
