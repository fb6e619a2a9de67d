/* SPDX-License-Identifier: MIT
 *
 * Connections that go through cordon-egress, because it must check their first bytes (net.sni of
 * the policy) or add a secret. The program's socket is connected to cordon-egress (handshake.c)
 * once a second socket is connected to the host; then bytes are transferred both ways and
 * counted. TLS of the program is not decrypted.
 *
 * With a secret the program sends plain HTTP: the secret is put into the header, and the request
 * goes to the host over TLS. An answer that contains the secret is not passed on.
 */
#include "egress/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/io.h"
#include "base/packet_drop.h"
#include "base/scope.h"
#include "egress/tls.h"

enum { FADE_MS = 2000 };

static void answer(struct egress *e, struct relay *r, int error)
{
	if (r->called)
		answers_send(e, r->id, error);
	r->called = false;
}

/* The program's socket is no longer connecting: reports the outcome and ends the relay. */
static void report_failure(struct egress *e, struct relay *r)
{
	int error = r->called ? connect_settle(r->fd) : 0;

	packet_drop_set(r->fd, true);
	r->attempt->row.error = r->error ? r->error : error;
	answer(e, r, r->attempt->row.error);
	relay_end(e, r);
}

static void check_refused(struct egress *e, struct relay *r)
{
	if (connect_state(r->fd) == EALREADY && io_now_ns() < r->until_ns)
		return;
	if (connect_state(r->fd) == EALREADY)
		handshake_refuse(r->fd, r->side[INNER].fd);
	if (connect_state(r->fd) == EALREADY)
		shutdown(r->fd, SHUT_RDWR);
	report_failure(e, r);
}

/* On a timeout, a program that does not wait sees the kernel's own, which is due and cannot be imitated. */
static void fail(struct egress *e, struct relay *r, int error)
{
	r->attempt->row.verdict = EGRESS_FAILED;
	r->attempt->row.error = error;
	if (r->side[INNER].fd < 0) {
		answer(e, r, error);
		relay_end(e, r);
		return;
	}
	r->error = error;
	r->until_ns = io_now_ns() + FADE_MS * 1000000ULL;
	loop_remove(e, &r->side[OUTER]);
	if (r->called || error != ETIMEDOUT)
		handshake_refuse(r->fd, r->side[INNER].fd);
	check_refused(e, r);
}

static void fail_certificate(struct egress *e, struct relay *r, int error)
{
	snprintf(r->attempt->row.rule, sizeof(r->attempt->row.rule),
		 "the host's TLS certificate does not prove that it is %.253s", r->secret->host);
	fail(e, r, error);
}

/* 1: the host has proven its name. 0: not yet. -1: the relay has ended. */
static int shake_hands(struct egress *e, struct relay *r)
{
	if (!e->tls)
		e->tls = tls_open();
	if (!r->tls && e->tls)
		r->tls = tls_new(e->tls, r->side[OUTER].fd, r->secret->host);
	if (r->tls && tls_connect(r->tls) == 0)
		return 1;
	if (r->until_ns ==
	    CONNECT_NEVER) /* the connection has no timeout, but the TLS handshake needs one */
		r->until_ns = io_now_ns() + EGRESS_CONNECT_MS * 1000000ULL;
	if (r->tls && errno == EAGAIN) {
		loop_change(e, &r->side[OUTER], tls_wants_write(r->tls) ? EPOLLOUT : EPOLLIN);
		return 0;
	}
	fail_certificate(e, r, ECONNREFUSED);
	return -1;
}

/* The program's socket is connected, or the program has disconnected it. */
static void on_inside(struct egress *e, struct watch *w, uint32_t events)
{
	struct relay *r = (struct relay *)(void *)((char *)w - offsetof(struct relay, side[INNER]));

	(void)events;
	loop_remove(e, w);
	if (connect_state(w->fd) != EISCONN) {
		r->until_ns = 0;
		check_refused(e, r);
		return;
	}
	relay_unwatch(e, r);
	r->attempt->row.verdict = EGRESS_CONNECTED;
	attempt_changed(e, r->attempt);
	int error = r->called ? connect_settle(r->fd) : 0;
	scope_close(&r->fd); /* before the program may close its own */
	answer(e, r, error);
	relay_move(e, r);
}

/* The host is connected or has failed; only now the program's handshake completes. */
static void on_connected(struct egress *e, struct watch *w, uint32_t events)
{
	struct relay *r = (struct relay *)(void *)((char *)w - offsetof(struct relay, side[OUTER]));
	int error = 0;
	socklen_t len = sizeof(error);
	struct err err;

	(void)events;
	getsockopt(w->fd, SOL_SOCKET, SO_ERROR, &error, &len);
	if (error) {
		fail(e, r, error);
		return;
	}
	if (r->secret && shake_hands(e, r) <= 0)
		return;
	/* Until the program's side is connected: epoll always reports a host that disconnects. */
	loop_remove(e, w);
	r->let = true;
	r->side[INNER].ready = on_inside;
	error = handshake_complete(r->fd, r->side[INNER].fd);
	if (error) /* no other socket may complete it now */
		shutdown(r->fd, SHUT_RDWR);
	if (error || loop_add(e, &r->side[INNER], EPOLLOUT, &err) < 0)
		fail(e, r, ENETUNREACH);
}

/* As the kernel does: the call times out, the connection stays in progress. */
static void stop_waiting(struct egress *e, struct relay *r)
{
	r->own = false;
	r->until_ns = CONNECT_NEVER;
	answer(e, r, EINPROGRESS);
}

static void look(struct egress *e, struct relay *r)
{
	if (r->fd < 0)
		relay_fade(e, r);
	else if (r->error)
		check_refused(e, r);
	else if (!r->let && connect_state(r->fd) != EALREADY)
		report_failure(e, r); /* the program has disconnected it */
	else if (io_now_ns() < r->until_ns)
		return;
	else if (r->own)
		stop_waiting(e, r);
	else if (r->tls)
		fail_certificate(e, r, ETIMEDOUT);
	else
		fail(e, r, ETIMEDOUT);
}

void relay_look(struct egress *e)
{
	for (struct relay *r = e->relays, *next; r; r = next) {
		next = r->next;
		look(e, r);
	}
}

void relay_supersede(struct egress *e, uint64_t cookie)
{
	for (struct relay *r = e->relays, *next; r; r = next) {
		next = r->next;
		if (!cookie || r->fd < 0 || r->let || connect_cookie(r->fd) != cookie)
			continue;
		r->attempt->row.error = r->error ? r->error : ECONNABORTED;
		answer(e, r, r->attempt->row.error);
		relay_end(e, r);
	}
}

static struct relay *relay_new(struct egress *e, uint64_t id, int fd, struct attempt *a)
{
	struct relay *r = loop_alloc(e, sizeof(*r));

	r->id = id;
	r->fd = fd;
	r->attempt = a;
	r->side[INNER].fd = -1;
	r->called = true;
	a->row.verdict = EGRESS_FAILED; /* until it is connected */
	attempt_live(e, a);		/* counted here, so the kernel is not asked about it */
	relay_watch(e, r);
	return r;
}

/* Holds the program's socket in the state of connecting. */
static void hold(struct egress *e, struct relay *r, int family)
{
	bool waits = !(fcntl(r->fd, F_GETFL) & O_NONBLOCK);

	r->until_ns = waits ? connect_deadline(r->fd, &r->own) : CONNECT_NEVER;
	int error = handshake_hold(e, r->fd, family, &r->side[INNER].fd);
	if (error)
		fail(e, r, error);
	else if (!waits)
		answer(e, r, EINPROGRESS);
}

void relay_host(struct egress *e, uint64_t id, int fd, struct attempt *a, const struct address *to,
		const char *rule, const struct egress_secret *secret)
{
	struct sockaddr_storage sa;
	struct err err;

	snprintf(a->row.rule, sizeof(a->row.rule), "%s", rule);
	struct relay *r = relay_new(e, id, fd, a);
	r->secret = secret;
	r->side[OUTER] = (struct watch){
		socket(to->family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP),
		on_connected};
	socklen_t len = address_sockaddr(to, (uint16_t)a->row.port, to->family, &sa);
	if (r->side[OUTER].fd < 0 || loop_add(e, &r->side[OUTER], EPOLLOUT, &err) < 0)
		fail(e, r, ENETUNREACH);
	else if (connect(r->side[OUTER].fd, (struct sockaddr *)&sa, len) < 0 &&
		 errno != EINPROGRESS)
		fail(e, r, errno);
	else
		hold(e, r, to->family);
}
