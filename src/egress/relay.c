/* SPDX-License-Identifier: MIT
 *
 * Connections whose first bytes are looked at (the policy's net.sni): they go through here, because
 * the program's own socket cannot be held up. It is connected to ourselves, and a second one to the
 * host, once that is there; then bytes are moved, both ways, and counted. TLS must ask for the name
 * that was dialled; on port 443 it must be TLS. Nothing is decrypted.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/scope.h"
#include "egress/egress.h"
#include "egress/hello.h"

enum { ROOM = 65536, TLS_PORT = 443 };
_Static_assert((int)ROOM >= (int)HELLO_MAX, "a first record fits");

/* One direction. */
struct flow {
	uint8_t data[ROOM];
	size_t at, len;
	bool ended, told; /* nothing more comes; and the other side knows */
	uint64_t moved;
};

enum { INNER, OUTER, SIDES };

struct relay {
	struct watch side[SIDES]; /* the program, the host */
	struct flow from[SIDES];  /* what comes from it */
	bool checked;
	uint64_t id;
	int fd; /* the program's, until it is connected */
	struct attempt *attempt;
};

static struct relay *relay_of(struct watch *w, int side)
{
	return (struct relay *)(void *)((char *)w - offsetof(struct relay, side) -
					(size_t)side * sizeof(*w));
}

static void relay_end(struct egress *e, struct relay *r)
{
	for (int i = 0; i < SIDES; i++)
		if (r->side[i].fd >= 0) {
			loop_remove(e, &r->side[i]);
			scope_close(&r->side[i].fd);
		}
	scope_close(&r->fd);
	attempt_die(e, r->attempt, r->from[INNER].moved, r->from[OUTER].moved);
	counter_look(e);
	free(r);
}

/* False: it must not go on. */
static bool check(struct relay *r)
{
	struct flow *f = &r->from[INNER];
	struct egress_row *row = &r->attempt->row;
	char name[EGRESS_NAME_MAX];
	enum hello h = hello_read(f->data, f->len, name);

	if (r->checked || (h == HELLO_MORE && !f->ended))
		return true;
	r->checked = true;
	if (h == HELLO_NO_TLS && row->port != TLS_PORT)
		return true;
	if (h == HELLO_MORE && f->len == 0)
		return true;
	if (h == HELLO_NAMED && strcmp(name, row->name) == 0)
		return true;
	row->verdict = EGRESS_REFUSED;
	if (h == HELLO_NAMED)
		snprintf(row->rule, sizeof(row->rule), "its TLS asks for %.253s", name);
	else
		snprintf(row->rule, sizeof(row->rule), "%s",
			 h == HELLO_BAD ? "its TLS names no host" : "it is no TLS, on port 443");
	return false;
}

/* From one side to the other, as far as that goes. -1: the connection is broken. */
static int move(struct relay *r, int from)
{
	struct flow *f = &r->from[from];
	int to = r->side[!from].fd;
	bool held = from == INNER && !r->checked;

	while (!held && f->at < f->len) {
		ssize_t n = send(to, f->data + f->at, f->len - f->at, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0)
			return errno == EAGAIN ? 0 : -1;
		f->at += (size_t)n;
		f->moved += (uint64_t)n;
		*(from == INNER ? &r->attempt->row.bytes_out : &r->attempt->row.bytes_in) =
			f->moved;
	}
	if (f->at == f->len)
		f->at = f->len = 0;
	if (f->ended && f->len == 0 && !f->told) {
		shutdown(to, SHUT_WR);
		f->told = true;
	}
	return 0;
}

static int take(struct relay *r, int from)
{
	struct flow *f = &r->from[from];

	if (f->ended || f->len == ROOM)
		return 0;
	ssize_t n = recv(r->side[from].fd, f->data + f->len, ROOM - f->len, MSG_DONTWAIT);
	if (n < 0)
		return errno == EAGAIN ? 0 : -1;
	f->ended = n == 0;
	f->len += (size_t)n;
	return 0;
}

static void wait_again(struct egress *e, struct relay *r)
{
	for (int i = 0; i < SIDES; i++) {
		const struct flow *in = &r->from[i], *out = &r->from[!i];
		bool held = i == OUTER && !r->checked;
		uint32_t events = !in->ended && in->len < ROOM ? EPOLLIN : 0;
		if (!held && out->at < out->len)
			events |= EPOLLOUT;
		loop_change(e, &r->side[i], events);
	}
}

/* A side that neither sends nor takes anything any more is told of again and again. */
static bool is_dead(const struct relay *r, int side, uint32_t events)
{
	return events & (EPOLLHUP | EPOLLERR) && r->from[side].ended && r->from[side].len == 0;
}

static void go_on(struct egress *e, struct relay *r, int side, uint32_t events)
{
	if (events & (EPOLLHUP | EPOLLERR) && r->from[side].ended)
		loop_remove(e, &r->side[side]);
	if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR) && take(r, side) < 0) || !check(r) ||
	    is_dead(r, side, events) || move(r, INNER) < 0 || move(r, OUTER) < 0 ||
	    (r->from[INNER].told && r->from[OUTER].told))
		relay_end(e, r);
	else
		wait_again(e, r);
}

static void on_inner(struct egress *e, struct watch *w, uint32_t events)
{
	go_on(e, relay_of(w, INNER), INNER, events);
}

static void on_outer(struct egress *e, struct watch *w, uint32_t events)
{
	go_on(e, relay_of(w, OUTER), OUTER, events);
}

/* The program's socket has come in. */
static void on_door(struct egress *e, int fd, void *ctx)
{
	struct relay *r = ctx;
	struct err err;

	r->side[INNER] = (struct watch){fd, on_inner};
	r->side[OUTER].ready = on_outer;
	if (loop_add(e, &r->side[INNER], EPOLLIN, &err) < 0)
		relay_end(e, r);
	else
		wait_again(e, r);
}

static void refuse(struct egress *e, struct relay *r, int error)
{
	r->attempt->row.verdict = EGRESS_FAILED;
	r->attempt->row.error = error;
	answers_send(e, r->id, error);
	relay_end(e, r);
}

/* The host is there, or not; only then the program's call is answered. */
static void on_connected(struct egress *e, struct watch *w, uint32_t events)
{
	struct relay *r = relay_of(w, OUTER);
	int error = 0;
	socklen_t len = sizeof(error);

	(void)events;
	getsockopt(w->fd, SOL_SOCKET, SO_ERROR, &error, &len);
	if (error) {
		refuse(e, r, error);
		return;
	}
	loop_change(e, w, 0);
	error = door_connect(e, r->fd, on_door, r);
	if (error && error != EINPROGRESS) {
		refuse(e, r, error);
		return;
	}
	r->attempt->row.verdict = EGRESS_CONNECTED;
	scope_close(&r->fd);
	answers_send(e, r->id, error);
}

void relay_host(struct egress *e, uint64_t id, int fd, struct attempt *a, const struct address *to,
		const char *rule)
{
	struct relay *r = calloc(1, sizeof(*r));
	struct sockaddr_storage sa;
	struct err err;

	if (!r)
		abort();
	snprintf(a->row.rule, sizeof(a->row.rule), "%s", rule);
	r->id = id;
	r->fd = fd;
	r->attempt = a;
	clock_need(e);
	attempt_live(e, a); /* its numbers are ours: it has no name for the kernel */
	r->side[INNER].fd = -1;
	r->side[OUTER] = (struct watch){
		socket(to->family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP),
		on_connected};
	socklen_t len = address_sockaddr(to, (uint16_t)a->row.port, to->family, &sa);
	if (r->side[OUTER].fd < 0 || loop_add(e, &r->side[OUTER], EPOLLOUT, &err) < 0) {
		refuse(e, r, ENETUNREACH);
		return;
	}
	if (connect(r->side[OUTER].fd, (struct sockaddr *)&sa, len) < 0 && errno != EINPROGRESS)
		refuse(e, r, errno);
}
