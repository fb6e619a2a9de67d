/* SPDX-License-Identifier: MIT
 *
 * Transfers bytes between a program and its host, both ways, and counts them, until the relay
 * ends. A side that does not read delays the other side, but no other relay. Bytes of the host's
 * answer that could be the start of the secret are held back.
 */
#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/scope.h"
#include "egress/relay.h"
#include "egress/tls.h"

enum { STATE_CLOSE = 7 }; /* the kernel's number */

void relay_watch(struct egress *e, struct relay *r)
{
	if (r->watched)
		return;
	r->watched = true;
	r->next = e->relays;
	e->relays = r;
	loop_need_clock(e);
}

void relay_unwatch(struct egress *e, struct relay *r)
{
	r->watched = false;
	for (struct relay **p = &e->relays; *p; p = &(*p)->next)
		if (*p == r) {
			*p = r->next;
			break;
		}
}

void relay_end(struct egress *e, struct relay *r)
{
	relay_unwatch(e, r);
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

/* Resets both sides. */
static void reset(struct egress *e, struct relay *r)
{
	struct linger now = {1, 0};

	for (int i = 0; i < SIDES; i++)
		setsockopt(r->side[i].fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	relay_end(e, r);
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

/* How many of the last bytes could be the start of the secret: always the maximum. To hold back
 * only bytes that match would tell the sender that they do. */
static size_t could_be(const struct flow *f, const char *secret)
{
	size_t len = strlen(secret);

	return f->len - f->at < len - 1 ? f->len - f->at : len - 1;
}

/* How many bytes may be passed on now. */
static size_t ready(const struct relay *r, int from)
{
	const struct flow *f = &r->from[from];
	size_t held = from == INNER && !r->checked ? f->len - f->at : 0;

	if (from == OUTER && r->secret && !f->ended)
		held = could_be(f, r->secret->value);
	return f->len - f->at - held;
}

/* SIDE was reset. Data for it is dropped. */
static void drop(struct relay *r, int side)
{
	struct flow *f = &r->from[!side];

	r->broken[side] = true;
	f->at = f->len = 0;
}

/* Sends data from one side to the other, as much as possible. -1: the relay must end. */
static int move(struct relay *r, int from)
{
	struct flow *f = &r->from[from];
	const char *secret = r->secret ? r->secret->value : "";

	if (from == OUTER && *secret &&
	    memmem(f->data + f->at, f->len - f->at, secret, strlen(secret))) {
		relay_refuse(r, "the answer contained the secret");
		return -1;
	}
	for (size_t n; (n = ready(r, from)) > 0;) {
		ssize_t sent = r->broken[!from] ? -1 : side_send(r, !from, f->data + f->at, n);
		if (sent < 0 && (r->broken[!from] || errno != EAGAIN))
			drop(r, !from);
		if (sent < 0)
			return 0;
		f->at += (size_t)sent;
		f->moved += (uint64_t)sent;
		*(from == INNER ? &r->attempt->row.bytes_out : &r->attempt->row.bytes_in) =
			f->moved;
	}
	memmove(f->data, f->data + f->at, f->len - f->at);
	f->len -= f->at;
	f->at = 0;
	if (f->ended && f->len == 0 && !f->end_sent && !r->broken[from]) {
		if (from == OUTER || !r->tls)
			shutdown(r->side[!from].fd, SHUT_WR);
		f->end_sent = true;
	}
	return 0;
}

/* Many hosts close the connection without TLS close_notify. What they sent before is authentic
 * and is passed on; HTTP knows whether it is complete. */
static bool is_reset(const struct relay *r, int from)
{
	return errno != EAGAIN && (from != OUTER || !r->tls || errno == ECONNRESET);
}

static void take(struct relay *r, int from)
{
	struct flow *f = &r->from[from];

	do {
		if (f->ended || f->len == RELAY_ROOM)
			return;
		ssize_t n = side_recv(r, from, f->data + f->len, RELAY_ROOM - f->len);
		if (n < 0 && errno == EAGAIN && !r->gone[from])
			return;
		if (n < 0 && is_reset(r, from))
			drop(r, from);
		f->ended = n <= 0;
		f->len += n > 0 ? (size_t)n : 0;
	} while (from == OUTER && r->tls && tls_has_more(r->tls));
}

static void wait_again(struct egress *e, struct relay *r)
{
	for (int i = 0; i < SIDES; i++) {
		const struct flow *in = &r->from[i];
		uint32_t events = !in->ended && in->len < RELAY_ROOM ? EPOLLIN : 0;
		if (ready(r, !i) > 0 || (i == OUTER && r->tls && tls_wants_write(r->tls)))
			events |= EPOLLOUT;
		if (!r->gone[i])
			loop_change(e, &r->side[i], events);
	}
}

/* epoll does not report data that TLS has already read. */
static void more(struct relay *r)
{
	if (r->tls && tls_has_more(r->tls))
		take(r, OUTER);
}

/* epoll does not watch a closed side any more: it is read to its end whenever there is room. */
static bool has_rest(const struct relay *r, int side)
{
	return r->gone[side] && !r->from[side].ended && r->from[side].len < RELAY_ROOM;
}

static bool is_over(const struct relay *r)
{
	for (int i = 0; i < SIDES; i++)
		if (r->gone[i] && r->from[i].ended && r->from[i].len == 0)
			return true;
	return r->from[INNER].end_sent && r->from[OUTER].end_sent;
}

/* One round. -1: the relay must end. */
static int pass(struct relay *r, bool from_inner, bool from_outer)
{
	if (from_inner)
		take(r, INNER);
	if (from_outer)
		take(r, OUTER);
	if (!relay_check(r) || move(r, INNER) < 0)
		return -1;
	more(r);
	return move(r, OUTER);
}

/* A side was reset, and all its earlier data has been passed on. */
static bool is_fading(const struct relay *r)
{
	for (int i = 0; i < SIDES; i++)
		if (r->broken[i] && r->from[i].ended && r->from[i].len == 0)
			return true;
	return false;
}

/* The peer has received all data, or the connection is closed. */
static bool has_all(int fd)
{
	struct tcp_info info = {.tcpi_state = 0};
	socklen_t len = sizeof(info);

	return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) < 0 ||
	       info.tcpi_state == STATE_CLOSE ||
	       (info.tcpi_unacked == 0 && info.tcpi_notsent_bytes == 0);
}

void relay_fade(struct egress *e, struct relay *r)
{
	if (has_all(r->side[INNER].fd) && has_all(r->side[OUTER].fd)) {
		reset(e, r);
		return;
	}
	for (int i = 0; i < SIDES; i++)
		loop_remove(e, &r->side[i]); /* their data is not needed any more */
	relay_watch(e, r);
}

/* epoll would report a closed side again and again, even without room for its data: so it is removed. */
static void go_on(struct egress *e, struct relay *r, int side, uint32_t events)
{
	if (events & (EPOLLHUP | EPOLLERR)) {
		loop_remove(e, &r->side[side]);
		r->gone[side] = true;
	}
	/* TLS may have to write before it can read. */
	bool comes = events & (EPOLLIN | EPOLLHUP | EPOLLERR) || (side == OUTER && r->tls);
	int good = pass(r, side == INNER && comes, side == OUTER && comes);

	while (good == 0 && (has_rest(r, INNER) || has_rest(r, OUTER)))
		good = pass(r, has_rest(r, INNER), has_rest(r, OUTER));
	if (good < 0)
		reset(e, r);
	else if (is_fading(r))
		relay_fade(e, r);
	else if (is_over(r))
		relay_end(e, r);
	else
		wait_again(e, r);
}

static struct relay *relay_of(struct watch *w, int side)
{
	return (struct relay *)(void *)((char *)w - offsetof(struct relay, side) -
					(size_t)side * sizeof(*w));
}

static void on_inner(struct egress *e, struct watch *w, uint32_t events)
{
	go_on(e, relay_of(w, INNER), INNER, events);
}

static void on_outer(struct egress *e, struct watch *w, uint32_t events)
{
	go_on(e, relay_of(w, OUTER), OUTER, events);
}

void relay_move(struct egress *e, struct relay *r)
{
	struct err err;

	r->side[INNER].ready = on_inner;
	r->side[OUTER].ready = on_outer;
	if (loop_add(e, &r->side[INNER], EPOLLIN, &err) < 0 ||
	    loop_add(e, &r->side[OUTER], EPOLLIN, &err) < 0)
		relay_end(e, r);
	else
		wait_again(e, r);
}
