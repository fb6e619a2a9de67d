/* SPDX-License-Identifier: MIT
 *
 * Connections whose first bytes are looked at (the policy's net.sni): they go through here, because
 * the program's own socket cannot be held up. It is connected to ourselves, and a second one to the
 * host, once that is there; then bytes are moved, both ways, and counted. TLS must ask for the name
 * that was dialled; on port 443 it must be TLS. Nothing is decrypted.
 *
 * So do those that get a secret: plain HTTP comes in, the secret is put into its header, TLS goes
 * out. An answer that has the secret in it does not get back.
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
#include "egress/head.h"
#include "egress/hello.h"
#include "egress/tls.h"

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
	const struct egress_secret *secret; /* or NULL, and then TLS is too */
	struct ssl_st *tls;
};

static struct relay *relay_of(struct watch *w, int side)
{
	return (struct relay *)(void *)((char *)w - offsetof(struct relay, side) -
					(size_t)side * sizeof(*w));
}

static void relay_end(struct egress *e, struct relay *r)
{
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

static bool refused(struct relay *r, const char *why)
{
	r->attempt->row.verdict = EGRESS_REFUSED;
	snprintf(r->attempt->row.rule, sizeof(r->attempt->row.rule), "%s", why);
	return false;
}

/* The secret takes the place of what stands for it. */
static bool put_secret(struct relay *r)
{
	struct flow *f = &r->from[INNER];
	const struct egress_secret *s = r->secret;
	struct head_rule rule = {s->host, s->header, s->placeholder, s->value};
	char head[HEAD_MAX];
	size_t end = head_end((char *)f->data, f->len), size = 0;

	if (!end && f->len <= HEAD_MAX / 2 && !f->ended)
		return true;
	if (end && end <= HEAD_MAX / 2)
		size = head_rewrite((char *)f->data, end, &rule, head, sizeof(head));
	if (!size || f->len - end > ROOM - size)
		return refused(r, "it is no request of HTTP/1.1 that could be passed on");
	memmove(f->data + size, f->data + end, f->len - end);
	memcpy(f->data, head, size);
	explicit_bzero(head, sizeof(head));
	f->len = f->len - end + size;
	r->checked = true;
	return true;
}

/* How many of the last bytes could be the beginning of the secret: always as many as that can be. To hold
 * back only what is one tells who sent it that it is. */
static size_t could_be(const struct flow *f, const char *secret)
{
	size_t len = strlen(secret);

	return f->len - f->at < len - 1 ? f->len - f->at : len - 1;
}

static bool check_name(struct relay *r)
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
	if (h == HELLO_HIDDEN)
		return refused(r, "its TLS hides the name that it asks for");
	if (h != HELLO_NAMED)
		return refused(r, h == HELLO_BAD ? "its TLS names no host"
						 : "it is no TLS, on port 443");
	row->verdict = EGRESS_REFUSED;
	snprintf(row->rule, sizeof(row->rule), "its TLS asks for %.253s", name);
	return false;
}

/* False: it must not go on. */
static bool check(struct relay *r)
{
	if (r->secret)
		return r->checked || put_secret(r);
	return check_name(r);
}

static ssize_t side_send(struct relay *r, int to, const void *data, size_t len)
{
	if (to == OUTER && r->tls)
		return tls_send(r->tls, data, len);
	return send(r->side[to].fd, data, len, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static ssize_t side_recv(struct relay *r, int from, void *data, size_t size)
{
	if (from == OUTER && r->tls)
		return tls_recv(r->tls, data, size);
	return recv(r->side[from].fd, data, size, MSG_DONTWAIT);
}

/* What may go on of it now. */
static size_t ready(const struct relay *r, int from)
{
	const struct flow *f = &r->from[from];
	size_t held = from == INNER && !r->checked ? f->len - f->at : 0;

	if (from == OUTER && r->secret && !f->ended)
		held = could_be(f, r->secret->value);
	return f->len - f->at - held;
}

/* From one side to the other, as far as that goes. -1: the connection is broken. */
static int move(struct relay *r, int from)
{
	struct flow *f = &r->from[from];
	const char *secret = r->secret ? r->secret->value : "";

	if (from == OUTER && *secret &&
	    memmem(f->data + f->at, f->len - f->at, secret, strlen(secret))) {
		refused(r, "the answer had the secret in it");
		return -1;
	}
	for (size_t n; (n = ready(r, from)) > 0;) {
		ssize_t sent = side_send(r, !from, f->data + f->at, n);
		if (sent < 0)
			return errno == EAGAIN ? 0 : -1;
		f->at += (size_t)sent;
		f->moved += (uint64_t)sent;
		*(from == INNER ? &r->attempt->row.bytes_out : &r->attempt->row.bytes_in) =
			f->moved;
	}
	memmove(f->data, f->data + f->at, f->len - f->at);
	f->len -= f->at;
	f->at = 0;
	if (f->ended && f->len == 0 && !f->told) {
		if (from == OUTER || !r->tls)
			shutdown(r->side[!from].fd, SHUT_WR);
		f->told = true;
	}
	return 0;
}

/* Many hosts hang up without a word of TLS. What they have said by then was theirs, and goes on; that it
 * is whole is for HTTP to know. */
static bool has_hung_up(const struct relay *r, int from)
{
	return from == OUTER && r->tls && errno != EAGAIN;
}

static int take(struct relay *r, int from)
{
	struct flow *f = &r->from[from];

	do {
		if (f->ended || f->len == ROOM)
			return 0;
		ssize_t n = side_recv(r, from, f->data + f->len, ROOM - f->len);
		if (n < 0 && has_hung_up(r, from))
			n = 0;
		if (n < 0)
			return errno == EAGAIN ? 0 : -1;
		f->ended = n == 0;
		f->len += (size_t)n;
	} while (from == OUTER && r->tls && tls_has_more(r->tls));
	return 0;
}

static void wait_again(struct egress *e, struct relay *r)
{
	for (int i = 0; i < SIDES; i++) {
		const struct flow *in = &r->from[i];
		uint32_t events = !in->ended && in->len < ROOM ? EPOLLIN : 0;
		if (ready(r, !i) > 0)
			events |= EPOLLOUT;
		loop_change(e, &r->side[i], events);
	}
}

/* A side that neither sends nor takes anything any more is told of again and again. */
static bool is_dead(const struct relay *r, int side, uint32_t events)
{
	return events & (EPOLLHUP | EPOLLERR) && r->from[side].ended && r->from[side].len == 0;
}

/* What TLS has read already is told by nobody. */
static int more(struct relay *r)
{
	return r->tls && tls_has_more(r->tls) ? take(r, OUTER) : 0;
}

static void go_on(struct egress *e, struct relay *r, int side, uint32_t events)
{
	if (events & (EPOLLHUP | EPOLLERR) && r->from[side].ended)
		loop_remove(e, &r->side[side]);
	if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR) && take(r, side) < 0) || !check(r) ||
	    is_dead(r, side, events) || move(r, INNER) < 0 || more(r) < 0 || move(r, OUTER) < 0 ||
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
	if (loop_add(e, &r->side[INNER], EPOLLIN, &err) < 0 ||
	    loop_add(e, &r->side[OUTER], EPOLLIN, &err) < 0)
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

/* 1: it is the host that the secret is for. 0: not yet. -1: it is over. */
static int shake_hands(struct egress *e, struct relay *r)
{
	int fd = r->side[OUTER].fd;

	if (!r->tls)
		r->tls = tls_new(fd, r->secret->host);
	if (r->tls && tls_connect(r->tls) == 0)
		return 1;
	if (r->tls && errno == EAGAIN) {
		loop_change(e, &r->side[OUTER], EPOLLIN);
		return 0;
	}
	snprintf(r->attempt->row.rule, sizeof(r->attempt->row.rule),
		 "the host does not prove by TLS that it is %.253s", r->secret->host);
	refuse(e, r, ECONNREFUSED);
	return -1;
}

/* The program's own socket has been connected to us, or not. */
static void on_inside(struct egress *e, void *ctx, int error)
{
	struct relay *r = ctx;

	if (error && error != EINPROGRESS) {
		refuse(e, r, error);
		return;
	}
	r->attempt->row.verdict = EGRESS_CONNECTED;
	control_row(r->attempt);
	answers_send(e, r->id, error);
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
	if (r->secret && shake_hands(e, r) <= 0)
		return;
	/* Until the program's end is here: epoll tells of a host that breaks off even unasked. */
	loop_remove(e, w);
	door_connect(e, scope_take_fd(&r->fd), on_inside, on_door, r);
}

void relay_host(struct egress *e, uint64_t id, int fd, struct attempt *a, const struct address *to,
		const char *rule, const struct egress_secret *secret)
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
	r->secret = secret;
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
