/* SPDX-License-Identifier: MIT
 *
 * See starts.h. The caller's messages go to the waiting subreaper, which takes the start; from then on each
 * start has a socket of its own. What comes from inside is checked like any message of the box: it must be
 * one that is due. The supervisor waits for no caller: what its socket has no room for is sent later.
 */
#include "box/starts.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/io.h"
#include "base/scope.h"
#include "box/supervise.h"

enum {
	TAKE_MS = 20000, /* until a start is taken */
	KILL_MS = 5000,	 /* until the processes of a start are dead */
};

union message {
	uint32_t kind;
	struct wire_start start;
	struct wire_signal signal;
	struct wire_open open;
	struct wire_opened opened;
	struct wire_started started;
	struct wire_exited exited;
	struct wire_closed closed;
	struct wire_ready ready;
};

void starts_init(struct starts *s)
{
	s->sock = -1; /* the rest is zero */
}

int starts_open(struct starts *s, int *ret, struct err *err)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_errno(err, ERR_SYSTEM, "making a socket pair");
	s->sock = pair[0];
	*ret = pair[1];
	/* A program can stop the starter: a message that finds no room fails. */
	return fcntl(s->sock, F_SETFL, O_NONBLOCK) < 0
		       ? err_errno(err, ERR_SYSTEM, "making a socket pair")
		       : 0;
}

static void free_row(struct starts *s, struct start_row *w)
{
	scope_close(&w->sock);
	scope_close(&w->master);
	w->id = 0;
	while (s->used && !s->row[s->used - 1].id)
		s->used--;
}

void starts_close(struct starts *s)
{
	for (size_t i = 0; i < s->used; i++)
		if (s->row[i].id)
			free_row(s, &s->row[i]);
	for (unsigned i = s->late_from; i < s->late_to; i++)
		scope_close(&s->late[i].fd);
	s->late_from = s->late_to = 0;
	scope_close(&s->sock);
}

static struct start_row *find(struct starts *s, uint32_t id)
{
	for (size_t i = 0; i < s->used; i++)
		if (s->row[i].id == id)
			return &s->row[i];
	return NULL;
}

static struct start_row *find_free(struct starts *s)
{
	struct start_row *w = find(s, 0);

	return w || s->used == CORDON_STARTS_MAX ? w : &s->row[s->used++];
}

/* ---- to the caller ---- */

static bool send_now(const void *data, size_t len, int fd)
{
	struct iovec iov = {(void *)data, len};
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};

	if (fd >= 0) {
		memset(&control, 0, sizeof(control));
		msg.msg_control = control.bytes;
		msg.msg_controllen = sizeof(control.bytes);
		struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &fd, sizeof(int));
	}
	/* A caller that is dead is noticed by the loop. */
	return sendmsg(RESULT_FD, &msg, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0 || errno != EAGAIN;
}

static void send_late(struct starts *s)
{
	while (s->late_from < s->late_to) {
		struct late_message *late = &s->late[s->late_from];
		if (!send_now(&late->m, late->len, late->fd))
			return;
		scope_close(&late->fd);
		s->late_from++;
	}
	s->late_from = s->late_to = 0;
}

/* For what no row reports. Takes FD. */
static void answer(struct run *r, const void *data, size_t len, int *fd)
{
	struct starts *s = &r->starts;
	struct err err;

	if (s->late_to == 0 && send_now(data, len, fd ? *fd : -1))
		return;
	if (s->late_to == LATE_MAX) {
		err_set(&err, ERR_SYSTEM, "the caller does not read the box's messages");
		run_fail(r, &err);
		return;
	}
	struct late_message *late = &s->late[s->late_to++];
	memcpy(&late->m, data, len);
	late->len = len;
	late->fd = fd ? scope_take_fd(fd) : -1;
}

static bool report_next(struct start_row *w)
{
	struct wire_started started = {WIRE_STARTED, w->id};
	struct wire_closed closed = {WIRE_CLOSED, w->id};

	switch (w->reported) {
	case START_ASKED:
		return send_now(&started, sizeof(started), w->master);
	case START_RUNS:
		return send_now(&w->exited, sizeof(w->exited), -1);
	default:
		return send_now(&closed, sizeof(closed), -1);
	}
}

static void report(struct starts *s, struct start_row *w)
{
	/* Its exit is reported when its last process is gone. */
	if (w->ends_all && w->state == START_EXITED)
		return;
	while (w->reported < w->state && report_next(w)) {
		if (w->reported == START_ASKED)
			scope_close(&w->master);
		w->reported++;
	}
	if (w->reported == START_CLOSED)
		free_row(s, w);
}

static void report_all(struct run *r)
{
	struct starts *s = &r->starts;
	struct wire_ready ready = {WIRE_CREATED, r->box->layers};

	if (s->created && !s->told_created)
		s->told_created = send_now(&ready, sizeof(ready), -1);
	send_late(s);
	for (size_t i = 0; i < s->used; i++)
		if (s->row[i].id && s->row[i].reported < s->row[i].state)
			report(s, &s->row[i]);
}

bool starts_are_behind(const struct starts *s)
{
	if ((s->created && !s->told_created) || s->late_to)
		return true;
	for (size_t i = 0; i < s->used; i++)
		if (s->row[i].id && s->row[i].reported < s->row[i].state)
			return true;
	return false;
}

/* ---- a start ends ---- */

static void end_start(struct run *r, struct start_row *w, enum start_state state)
{
	if (w->state < START_EXITED) {
		w->exited.wall_ms = w->begun_ns ? (io_now_ns() - w->begun_ns) / 1000000U : 0;
		w->deadline_ns = 0;
	}
	w->state = state;
	if (state == START_CLOSED)
		scope_close(&w->sock);
	report(&r->starts, w);
}

static void fail_start(struct run *r, struct start_row *w, const struct err *err)
{
	if (w->state < START_EXITED) {
		w->exited = (struct wire_exited){.kind = WIRE_EXITED,
						 .id = w->id,
						 .wait_status = SIGKILL,
						 .limit = LIMIT_NONE,
						 .err = *err};
		if (w->state == START_ASKED)
			w->reported = START_RUNS; /* it never ran */
	}
	end_start(r, w, START_CLOSED);
}

static void out_of_protocol(struct run *r, uint32_t kind)
{
	struct err err;

	err_set(&err, ERR_SYSTEM, "an unexpected message from the box (%u)", kind);
	run_fail(r, &err);
}

void starts_note_end(struct run *r)
{
	for (size_t i = 0; i < r->starts.used; i++) {
		struct start_row *w = &r->starts.row[i];
		if (!w->id || w->state >= START_EXITED)
			continue;
		w->exited.killed_by_rule = r->result.killed_by_rule;
		if (r->result.limit_ended)
			w->exited.limit = r->result.limit;
	}
}

/* ---- from the starter and the subreapers ---- */

static void on_taken(struct run *r, uint32_t id, int *fds, size_t count)
{
	struct start_row *w = id ? find(&r->starts, id) : NULL;

	if (!w || w->state != START_ASKED || count < 1) {
		out_of_protocol(r, WIRE_STARTED);
		return;
	}
	w->sock = scope_take_fd(&fds[0]);
	w->master = count > 1 ? scope_take_fd(&fds[1]) : -1;
	w->begun_ns = io_now_ns();
	w->deadline_ns = w->time_ms ? w->begun_ns + w->time_ms * 1000000U : 0;
	w->state = START_RUNS;
	report(&r->starts, w);
}

static void on_starter(struct run *r)
{
	union message m = {0};
	int fds[2] = {-1, -1};
	size_t count = 2;
	ssize_t n = io_recv_fds(r->starts.sock, &m, sizeof(m), fds, &count);

	if (n <= 0)
		scope_close(&r->starts.sock); /* init reports the starter's end */
	else if (m.kind == WIRE_CREATED && n == sizeof(m.ready) && !r->starts.created)
		r->starts.created = true;
	else if (m.kind == WIRE_STARTED && n == sizeof(m.started))
		on_taken(r, m.started.id, fds, count);
	else if (m.kind == WIRE_OPENED && n == sizeof(m.opened))
		answer(r, &m.opened, sizeof(m.opened), &fds[0]);
	else
		out_of_protocol(r, m.kind);
	scope_close(&fds[0]);
	scope_close(&fds[1]);
}

/* Its subreaper was killed, which a program of the box can do. */
static void on_lost(struct run *r, struct start_row *w)
{
	if (w->state < START_EXITED) {
		w->exited = (struct wire_exited){.kind = WIRE_EXITED,
						 .id = w->id,
						 .wait_status = SIGKILL,
						 .limit = w->exited.limit,
						 .timed_out = w->exited.timed_out,
						 .killed_by_rule = w->exited.killed_by_rule,
						 .lost = 1};
	}
	end_start(r, w, START_CLOSED);
}

void starts_finish(struct run *r)
{
	bool has_reason = r->result.killed_by_rule || r->result.limit_ended;

	for (size_t i = 0; i < r->starts.used && has_reason && !r->failed; i++)
		if (r->starts.row[i].id && r->starts.row[i].state >= START_RUNS)
			on_lost(r, &r->starts.row[i]);
}

static bool was_out_of_memory(struct run *r, int status)
{
	struct cgroup_usage u;

	if (!r->box->cgroup.ops || status != SIGKILL)
		return false;
	cgroup_measure(&r->box->cgroup, &u);
	return u.memory_hit;
}

static void send_signal(const struct start_row *w, int sig, bool tree)
{
	struct wire_signal m = {WIRE_SIGNAL, w->id, (uint32_t)sig, tree};
	struct iovec iov = {&m, sizeof(m)};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};

	(void)!sendmsg(w->sock, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void kill_tree(struct start_row *w)
{
	if (w->sock < 0)
		return;
	send_signal(w, SIGKILL, true);
	w->is_killed = true;
	w->deadline_ns = io_now_ns() + KILL_MS * 1000000ULL;
}

static void on_exited(struct run *r, struct start_row *w, const struct wire_exited *m)
{
	uint32_t timed_out = w->exited.timed_out, limit = w->exited.limit;
	uint32_t by_rule = w->exited.killed_by_rule;

	w->exited = *m;
	w->exited.id = w->id;
	w->exited.timed_out = timed_out;
	w->exited.limit = limit;
	w->exited.killed_by_rule = by_rule;
	if (m->err.code != ERR_NONE)
		err_sanitise(&w->exited.err);
	if (timed_out)
		w->exited.limit = LIMIT_TIME;
	else if (limit == LIMIT_NONE && was_out_of_memory(r, m->wait_status))
		w->exited.limit = LIMIT_MEMORY;
	end_start(r, w, START_EXITED);
	if (w->ends_all)
		kill_tree(w);
}

static void on_subreaper(struct run *r, struct start_row *w)
{
	union message m = {0};
	int fd = -1;
	ssize_t n = io_recv(w->sock, &m, sizeof(m), &fd);

	scope_close(&fd);
	if (n <= 0)
		on_lost(r, w);
	else if (m.kind == WIRE_EXITED && n == sizeof(m.exited) && w->state == START_RUNS)
		on_exited(r, w, &m.exited);
	else if (m.kind == WIRE_CLOSED && n == sizeof(m.closed) && w->state == START_EXITED)
		end_start(r, w, START_CLOSED);
	else
		out_of_protocol(r, m.kind);
}

/* ---- time ---- */

uint64_t starts_deadline(const struct starts *s)
{
	uint64_t first = UINT64_MAX;

	for (size_t i = 0; i < s->used; i++)
		if (s->row[i].id && s->row[i].deadline_ns && s->row[i].deadline_ns < first)
			first = s->row[i].deadline_ns;
	return first;
}

static void on_start_deadline(struct run *r, struct start_row *w)
{
	struct err err;

	if (w->state == START_RUNS && !w->is_killed) {
		w->exited.timed_out = 1;
		kill_tree(w);
		return;
	}
	/* A program may have stopped the starter or the subreaper. */
	err_set(&err, ERR_SYSTEM, "the box does not obey: a program has stopped it");
	run_fail(r, &err);
}

void starts_handle(struct run *r, const struct pollfd *fds, size_t count)
{
	struct starts *s = &r->starts;
	uint64_t now = io_now_ns();
	size_t at = 0;

	for (size_t i = 0; i < s->used && at < count; i++)
		if (s->row[i].id && s->row[i].sock >= 0 && s->row[i].sock == fds[at].fd) {
			if (fds[at].revents && !r->done)
				on_subreaper(r, &s->row[i]);
			at++;
		}
	if (at < count && fds[at].fd == s->sock && fds[at].revents && !r->done)
		on_starter(r);
	for (size_t i = 0; i < s->used && !r->done && !r->still_ns; i++)
		if (s->row[i].id && s->row[i].deadline_ns && now >= s->row[i].deadline_ns)
			on_start_deadline(r, &s->row[i]);
	report_all(r);
}

size_t starts_wait(const struct starts *s, struct pollfd *fds)
{
	size_t count = 0;

	for (size_t i = 0; i < s->used; i++)
		if (s->row[i].id && s->row[i].sock >= 0)
			fds[count++] = (struct pollfd){.fd = s->row[i].sock, .events = POLLIN};
	if (s->sock >= 0)
		fds[count++] = (struct pollfd){.fd = s->sock, .events = POLLIN};
	return count;
}

/* ---- from the caller ---- */

static int forward(struct starts *s, const void *data, size_t len, const int *fds, size_t count)
{
	if (s->sock < 0) {
		errno = EPIPE;
		return -1;
	}
	return io_send_fds(s->sock, data, len, fds, count);
}

static void on_start(struct run *r, const struct wire_start *m, const int *fds, size_t count)
{
	struct starts *s = &r->starts;
	struct start_row *w = m->id && !find(s, m->id) ? find_free(s) : NULL;
	size_t expected = m->flags & START_TTY ? 1 : START_FDS;
	struct wire_exited refused = {
		.kind = WIRE_EXITED, .id = m->id, .wait_status = SIGKILL, .limit = LIMIT_NONE};
	struct wire_closed closed = {WIRE_CLOSED, m->id};

	if (!w || !s->created || count != expected || m->flags & ~(unsigned)START_FLAGS) {
		if (m->id && !w && !find(s, m->id)) {
			err_set(&refused.err, ERR_LIMIT, "%d programs run in this box already",
				CORDON_STARTS_MAX);
			err_cure(&refused.err, "try again when some of them have ended");
		} else {
			err_set(&refused.err, ERR_INPUT, "the start is not well-formed");
		}
		answer(r, &refused, sizeof(refused), NULL);
		answer(r, &closed, sizeof(closed), NULL);
		return;
	}
	/* This start is told of refusals that an earlier one was told of. */
	if (r->denials_sent == r->listener.count)
		r->denials_sent = r->listener.count = 0;
	*w = (struct start_row){.id = m->id,
				.sock = -1,
				.master = -1,
				.time_ms = m->time_ms > UINT32_MAX ? UINT32_MAX : m->time_ms,
				.ends_all = spec_is_direct(r->box->spec),
				.deadline_ns = io_now_ns() + TAKE_MS * 1000000ULL};
	w->exited.limit = LIMIT_NONE;
	if (forward(s, m, sizeof(*m), fds, count) < 0) {
		err_errno(&refused.err, ERR_SYSTEM, "talking to the starter");
		if (refused.err.sys_errno == EAGAIN)
			err_cure(&refused.err, "try again when the box has less to do");
		fail_start(r, w, &refused.err);
	}
}

static void on_open(struct run *r, const struct wire_open *m, size_t len)
{
	struct wire_opened refused = {.kind = WIRE_OPENED, .id = m->id};

	if (forward(&r->starts, m, len, NULL, 0) == 0)
		return;
	refused.error = (uint32_t)errno;
	answer(r, &refused, sizeof(refused), NULL);
}

static void on_signal(struct run *r, const struct wire_signal *m)
{
	for (size_t i = 0; i < r->starts.used; i++) {
		struct start_row *w = &r->starts.row[i];
		if (!w->id || w->sock < 0 || (m->id && m->id != w->id))
			continue;
		if (m->tree)
			kill_tree(w);
		else if (m->signal > 0 && m->signal < NSIG)
			send_signal(w, (int)m->signal, false);
	}
}

static void on_diff(struct run *r)
{
	uint32_t kind = WIRE_DIFF;
	struct wire_done done = {.kind = WIRE_DONE, .cut = 1};

	if (r->still_ns || r->box->spec->workspace != WORKSPACE_OVERLAY ||
	    io_send(r->box->ctl, &kind, sizeof(kind), -1) < 0)
		answer(r, &done, sizeof(done), NULL);
	else {
		r->listing = true;
		r->still_ns = io_now_ns();
	}
}

/* The time in which no program ran does not count. */
static void on_go_on(struct run *r)
{
	const uint32_t kind = WIRE_GO_ON;
	uint64_t still_ns = r->still_ns ? io_now_ns() - r->still_ns : 0;

	r->still_ns = 0;
	for (size_t i = 0; i < r->starts.used; i++)
		if (r->starts.row[i].deadline_ns)
			r->starts.row[i].deadline_ns += still_ns;
	(void)io_send(r->box->ctl, &kind, sizeof(kind), -1);
}

bool starts_receive(struct run *r)
{
	union message m = {0};
	int fds[START_FDS];
	size_t count = START_FDS;
	ssize_t n = io_recv_fds(RESULT_FD, &m, sizeof(m), fds, &count);

	if (n < (ssize_t)sizeof(m.kind))
		return false;
	if (m.kind == WIRE_START && n == sizeof(m.start))
		on_start(r, &m.start, fds, count);
	else if (m.kind == WIRE_SIGNAL && n == sizeof(m.signal))
		on_signal(r, &m.signal);
	else if (m.kind == WIRE_OPEN)
		on_open(r, &m.open, (size_t)n);
	else if (m.kind == WIRE_DIFF)
		on_diff(r);
	else if (m.kind == WIRE_GO_ON)
		on_go_on(r);
	else if (m.kind == WIRE_END)
		run_end(r);
	for (size_t i = 0; i < count; i++)
		scope_close(&fds[i]);
	return true;
}
