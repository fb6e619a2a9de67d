/* SPDX-License-Identifier: MIT
 *
 * Moves bytes between a program and its host, both ways, and counts them. A side that does not take
 * what it is sent holds up the other and nobody else. What a host answers is held back as far as it
 * could be the secret.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "egress/relay.h"
#include "egress/tls.h"

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

/* How many of the last bytes could be the beginning of the secret: always as many as that can be. To hold
 * back only what is one tells who sent it that it is. */
static size_t could_be(const struct flow *f, const char *secret)
{
	size_t len = strlen(secret);

	return f->len - f->at < len - 1 ? f->len - f->at : len - 1;
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
		relay_refuse(r, "the answer had the secret in it");
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
	if (errno == EAGAIN)
		return r->gone[from];
	return from == OUTER && r->tls;
}

static int take(struct relay *r, int from)
{
	struct flow *f = &r->from[from];

	do {
		if (f->ended || f->len == RELAY_ROOM)
			return 0;
		ssize_t n = side_recv(r, from, f->data + f->len, RELAY_ROOM - f->len);
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
		uint32_t events = !in->ended && in->len < RELAY_ROOM ? EPOLLIN : 0;
		if (ready(r, !i) > 0 || (i == OUTER && r->tls && tls_wants_write(r->tls)))
			events |= EPOLLOUT;
		if (!r->gone[i])
			loop_change(e, &r->side[i], events);
	}
}

/* What TLS has read already is told by nobody. */
static int more(struct relay *r)
{
	return r->tls && tls_has_more(r->tls) ? take(r, OUTER) : 0;
}

/* Nobody tells of one that is gone: it is read to its end whenever there is room. */
static bool has_rest(const struct relay *r, int side)
{
	return r->gone[side] && !r->from[side].ended && r->from[side].len < RELAY_ROOM;
}

static bool is_over(const struct relay *r)
{
	for (int i = 0; i < SIDES; i++)
		if (r->gone[i] && r->from[i].ended && r->from[i].len == 0)
			return true;
	return r->from[INNER].told && r->from[OUTER].told;
}

/* One round. -1: it is broken, or must not go on. */
static int pass(struct relay *r, bool from_inner, bool from_outer)
{
	if ((from_inner && take(r, INNER) < 0) || (from_outer && take(r, OUTER) < 0))
		return -1;
	if (!relay_check(r))
		return -1;
	return move(r, INNER) < 0 || more(r) < 0 || move(r, OUTER) < 0 ? -1 : 0;
}

/* Epoll tells of a side that is gone again and again, whether or not there is room for what it said. */
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
	if (good < 0 || is_over(r))
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
