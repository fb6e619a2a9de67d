/* SPDX-License-Identifier: MIT
 *
 * Connections whose first bytes are looked at (the policy's net.sni): they go through here, because
 * the program's own socket cannot be held up. It is connected to ourselves, and a second one to the
 * host, once that is there; then bytes are moved, both ways, and counted. Nothing is decrypted.
 *
 * So do those that get a secret: plain HTTP comes in, the secret is put into its header, TLS goes
 * out. An answer that has the secret in it does not get back.
 */
#include "egress/relay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "egress/tls.h"

/* It is no longer one whose host is not there. */
static void unlink_making(struct egress *e, const struct relay *r)
{
	for (struct relay **p = &e->relays; *p; p = &(*p)->next)
		if (*p == r) {
			*p = r->next;
			break;
		}
}

void relay_end(struct egress *e, struct relay *r)
{
	unlink_making(e, r);
	door_forget(e, r);
	for (int i = 0; i < SIDES; i++)
		if (r->side[i].fd >= 0) {
			loop_remove(e, &r->side[i]);
			scope_close(&r->side[i].fd);
		}
	scope_close(&r->fd);
	tls_free(r->tls);
	attempt_die(e, r->attempt, r->from[INNER].moved, r->from[OUTER].moved);
	counter_look(e);
	free(r);
}

static void fail(struct egress *e, struct relay *r, int error)
{
	r->attempt->row.verdict = EGRESS_FAILED;
	r->attempt->row.error = error;
	answers_send(e, r->id, error);
	relay_end(e, r);
}

/* The program's socket has come in. */
static void on_door(struct egress *e, int fd, void *ctx)
{
	struct relay *r = ctx;

	r->side[INNER].fd = fd;
	relay_move(e, r);
}

static void fail_proof(struct egress *e, struct relay *r, int error)
{
	snprintf(r->attempt->row.rule, sizeof(r->attempt->row.rule),
		 "the host does not prove by TLS that it is %.253s", r->secret->host);
	fail(e, r, error);
}

/* 1: it is the host that the secret is for. 0: not yet. -1: it is over. */
static int shake_hands(struct egress *e, struct relay *r)
{
	if (!e->tls)
		e->tls = tls_open();
	if (!r->tls && e->tls)
		r->tls = tls_new(e->tls, r->side[OUTER].fd, r->secret->host);
	if (r->tls && tls_connect(r->tls) == 0)
		return 1;
	if (r->tls && errno == EAGAIN) {
		loop_change(e, &r->side[OUTER], tls_wants_write(r->tls) ? EPOLLOUT : EPOLLIN);
		return 0;
	}
	fail_proof(e, r, ECONNREFUSED);
	return -1;
}

/* The program's own socket has been connected to us, or not. */
static void on_inside(struct egress *e, void *ctx, int error)
{
	struct relay *r = ctx;

	if (error && error != EINPROGRESS) {
		fail(e, r, error);
		return;
	}
	r->attempt->row.verdict = EGRESS_CONNECTED;
	control_row(e, r->attempt);
	answers_send(e, r->id, error);
}

/* The host is there, or not; only then the program's call is answered. */
static void on_connected(struct egress *e, struct watch *w, uint32_t events)
{
	struct relay *r = (struct relay *)(void *)((char *)w - offsetof(struct relay, side[OUTER]));
	int error = 0;
	socklen_t len = sizeof(error);

	(void)events;
	getsockopt(w->fd, SOL_SOCKET, SO_ERROR, &error, &len);
	if (error) {
		fail(e, r, error);
		return;
	}
	if (r->secret && shake_hands(e, r) <= 0)
		return;
	/* Until the program's end is here: epoll tells of a host that breaks off even unasked. */
	loop_remove(e, w);
	unlink_making(e, r);
	door_connect(e, scope_take_fd(&r->fd), on_inside, on_door, r);
}

void relay_look(struct egress *e)
{
	uint64_t now = io_now_ns();

	for (struct relay *r = e->relays, *next; r; r = next) {
		next = r->next;
		if (now < r->until_ns)
			continue;
		if (r->tls)
			fail_proof(e, r, ETIMEDOUT);
		else
			fail(e, r, ETIMEDOUT);
	}
}

static struct relay *relay_new(struct egress *e, uint64_t id, int fd, struct attempt *a)
{
	struct relay *r = calloc(1, sizeof(*r));

	if (!r)
		abort();
	r->id = id;
	r->fd = fd;
	r->attempt = a;
	r->side[INNER].fd = -1;
	r->until_ns = io_now_ns() + EGRESS_CONNECT_MS * 1000000ULL;
	r->next = e->relays;
	e->relays = r;
	a->row.verdict = EGRESS_FAILED; /* until it is there */
	attempt_live(e, a);		/* its numbers are ours: it has no name for the kernel */
	clock_need(e);
	return r;
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
	if (r->side[OUTER].fd < 0 || loop_add(e, &r->side[OUTER], EPOLLOUT, &err) < 0) {
		fail(e, r, ENETUNREACH);
		return;
	}
	if (connect(r->side[OUTER].fd, (struct sockaddr *)&sa, len) < 0 && errno != EINPROGRESS)
		fail(e, r, errno);
}
