/* SPDX-License-Identifier: MIT
 *
 * Connects the program's socket, of which it has a copy of the descriptor. If the socket does
 * not block, the program sees the outcome on its own descriptor. The copy is closed as soon as
 * the connection exists, because the host must see when the program closes its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/packet_drop.h"
#include "base/scope.h"
#include "egress/egress.h"

/* The kernel's numbers. */
enum { STATE_SYN_SENT = 2, STATE_SYN_RECV = 3, STATE_CLOSE = 7 };

struct pending {
	struct watch watch;
	uint64_t id, until_ns;
	int flags;  /* of the program's descriptor */
	bool waits; /* the call blocks */
	bool own;   /* its timeout was set by the program */
	struct address to;
	struct attempt *attempt;
	struct pending *next;
};

uint64_t connect_deadline(int fd, bool *ret_own)
{
	struct timeval t = {0};
	socklen_t len = sizeof(t);
	uint64_t ms = EGRESS_CONNECT_MS;

	if (getsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &t, &len) == 0 && (t.tv_sec || t.tv_usec)) {
		uint64_t own = (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_usec / 1000;
		*ret_own = own < ms;
		ms = own < ms ? own : ms;
	}
	return io_now_ns() + ms * 1000000U;
}

static void unlink_pending(struct egress *e, struct pending *p)
{
	for (struct pending **at = &e->pending; *at; at = &(*at)->next)
		if (*at == p) {
			*at = p->next;
			break;
		}
}

/* ERROR: the result of the call. THERE: it was connected, even if it has been reset since. */
static void finish(struct egress *e, struct pending *p, bool there, int error)
{
	int fd = p->watch.fd;

	loop_remove(e, &p->watch);
	unlink_pending(e, p);
	if (!(p->flags & O_NONBLOCK))
		fcntl(fd, F_SETFL, p->flags);
	if (!there) {
		packet_drop_set(fd, true);
		p->attempt->row.verdict = EGRESS_FAILED;
		p->attempt->row.error = error;
		attempt_die(e, p->attempt, 0, 0);
	} else {
		p->attempt->row.verdict = EGRESS_CONNECTED;
		attempt_changed(e, p->attempt);
	}
	close(fd); /* before the program may close its own */
	if (p->waits)
		answers_send(e, p->id, error);
	free(p);
}

/* The program can set and clear the socket's error, so only its state counts, and whether the host has ever
 * acknowledged a byte. */
int connect_state(int fd)
{
	struct tcp_info info = {.tcpi_state = 0};
	socklen_t len = sizeof(info);

	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) < 0)
		return errno;
	if (info.tcpi_state == STATE_SYN_SENT || info.tcpi_state == STATE_SYN_RECV)
		return EALREADY;
	return info.tcpi_state != STATE_CLOSE || info.tcpi_bytes_acked > 0 ? EISCONN : 0;
}

/* The result of another connect call. The address is invalid, so that it connects to no host:
 * EAFNOSUPPORT for a new socket. */
static int call_again(int fd)
{
	struct sockaddr_storage nowhere = {.ss_family = AF_UNIX};

	return connect(fd, (struct sockaddr *)&nowhere, sizeof(nowhere)) < 0 ? errno : 0;
}

int connect_settle(int fd)
{
	int error = call_again(fd);
	socklen_t len = sizeof(error);

	if (error == EAFNOSUPPORT || error == EINVAL) /* it was shut down: read its error */
		getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len);
	return error == EISCONN ? 0 : error; /* connect_call may have waited for it */
}

static void on_connected(struct egress *e, struct watch *w, uint32_t events)
{
	struct pending *p = (struct pending *)w;
	int error = 0, state = connect_state(w->fd);

	(void)events;
	if (state == EALREADY) { /* another event: the clock checks again */
		loop_remove(e, w);
		return;
	}
	if (p->waits) /* otherwise the program asks for it */
		error = connect_settle(w->fd);
	else if (state != EISCONN)
		error = ECONNREFUSED;
	finish(e, p, state == EISCONN, error);
}

bool connect_is_over(int fd, int *ret_error)
{
	int state = connect_state(fd);

	*ret_error = state == EALREADY ? EALREADY : call_again(fd);
	return *ret_error != EAFNOSUPPORT;
}

static void wait_for(struct egress *e, struct pending *p)
{
	struct err err;

	p->next = e->pending;
	e->pending = p;
	loop_need_clock(e);
	if (p->waits && connect_state(p->watch.fd) == EISCONN) /* near hosts connect at once */
		on_connected(e, &p->watch, 0);
	else if (loop_add(e, &p->watch, EPOLLOUT, &err) < 0)
		finish(e, p, false, ENETUNREACH);
	else if (!p->waits)
		answers_send(e, p->id, EINPROGRESS);
}

static void fail(struct egress *e, struct pending *p, int error)
{
	if (!(p->flags & O_NONBLOCK))
		fcntl(p->watch.fd, F_SETFL, p->flags);
	attempt_end(e, p->attempt, EGRESS_FAILED, error, p->attempt->row.rule);
	close(p->watch.fd);
	answers_send(e, p->id, error);
	free(p);
}

/* The call has returned; the connection may still be in progress. */
static void on_called(struct egress *e, void *ctx, int error)
{
	struct pending *p = ctx;

	if ((error && error != EINPROGRESS) || counter_name(p->attempt, p->watch.fd, &p->to) < 0) {
		packet_drop_set(p->watch.fd, true);
		fail(e, p, error ? error : ENETUNREACH);
		return;
	}
	p->attempt->row.verdict = EGRESS_FAILED; /* until it is connected */
	attempt_live(e, p->attempt);
	wait_for(e, p);
}

uint64_t connect_cookie(int fd)
{
	uint64_t cookie = 0;
	socklen_t len = sizeof(cookie);

	return getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &len) < 0 ? 0 : cookie;
}

void connect_supersede(struct egress *e, uint64_t cookie)
{
	for (struct pending *p = e->pending, *next; p; p = next) {
		next = p->next;
		if (cookie && connect_cookie(p->watch.fd) == cookie)
			finish(e, p, false, ECONNABORTED);
	}
}

/* The program can fill its send buffer between two checks of the limit, so with --net-out the
 * buffer is small. Setting it also stops the kernel from enlarging it. The kernel doubles the
 * value. */
static void bound_queue(int fd, uint64_t limit)
{
	uint64_t bytes = limit / EGRESS_QUEUE_SHARE;
	int half = (int)((bytes < EGRESS_QUEUE_MIN ? EGRESS_QUEUE_MIN : bytes) / 2);

	if (limit && bytes < EGRESS_QUEUE_MAX)
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &half, sizeof(half));
}

void connect_host(struct egress *e, uint64_t id, int fd, struct attempt *a,
		  const struct address *to, const char *rule)
{
	struct pending *p = loop_alloc(e, sizeof(*p));
	int flags = fcntl(fd, F_GETFL);

	snprintf(a->row.rule, sizeof(a->row.rule), "%s", rule);
	*p = (struct pending){.watch = {fd, on_connected},
			      .id = id,
			      .flags = flags,
			      .waits = !(flags & O_NONBLOCK),
			      .to = *to,
			      .attempt = a};
	p->until_ns = p->waits ? connect_deadline(fd, &p->own) : CONNECT_NEVER;
	if (p->waits)
		fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	bound_queue(fd, e->limit[LIMIT_NET_OUT]);
	packet_drop_set(fd, false);
	connect_call(e, fd, to, (uint16_t)a->row.port, on_called, p);
}

/* As the kernel does: the call times out, the connection stays in progress. */
static void stop_waiting(struct egress *e, struct pending *p)
{
	fcntl(p->watch.fd, F_SETFL, p->flags);
	p->waits = false;
	p->until_ns = CONNECT_NEVER;
	answers_send(e, p->id, EINPROGRESS);
}

void connect_look(struct egress *e)
{
	uint64_t now = io_now_ns();

	for (struct pending *p = e->pending, *next; p; p = next) {
		next = p->next;
		if (connect_state(p->watch.fd) != EALREADY) {
			on_connected(e, &p->watch, 0);
			continue;
		}
		if (now < p->until_ns)
			continue;
		if (p->own) {
			stop_waiting(e, p);
			continue;
		}
		shutdown(p->watch.fd, SHUT_RDWR); /* otherwise it could still connect, uncounted */
		bool there = connect_settle(p->watch.fd) == 0;
		finish(e, p, there, there ? 0 : ETIMEDOUT);
	}
}
