/* SPDX-License-Identifier: MIT
 *
 * Handles the connect calls that cordon-box sends: finds out what the address means and whether a rule allows
 * it. A call that is not TCP to an allowed host is refused and recorded.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "egress/egress.h"

enum { HTTP_PORT = 80 };

static void refuse(struct egress *e, uint64_t id, struct attempt *a, int error, const char *why)
{
	attempt_end(e, a, EGRESS_REFUSED, error, why);
	answers_send(e, id, error);
}

/* A call to the box's own resolver. */
static void on_stream(struct egress *e, void *ctx, int error)
{
	uint64_t *id = ctx;

	answers_send(e, *id, error);
	if (error && error != EINPROGRESS)
		free(id);
}

static void take_stream(struct egress *e, int fd, void *ctx)
{
	free(ctx);
	resolver_stream(e, fd);
}

static void dial_resolver(struct egress *e, uint64_t id, int fd)
{
	uint64_t *own = loop_alloc(e, sizeof(*own));

	*own = id;
	loopback_connect(e, fd, on_stream, take_stream, own);
}

static bool is_resolver(const struct address *a, uint16_t port)
{
	struct address own = {.family = AF_INET};

	inet_pton(AF_INET, EGRESS_RESOLVER, own.bytes);
	return port == EGRESS_RESOLVER_PORT && address_is_same(a, &own);
}

/* Plain HTTP to a host that gets a secret ends at cordon-egress, which connects to the secret's port. */
static const struct egress_secret *secret_of(const struct egress *e, const struct rules_ask *ask)
{
	for (size_t i = 0; ask->port == HTTP_PORT && i < e->secretc; i++)
		if (strcmp(e->secret[i].host, ask->name) == 0)
			return &e->secret[i];
	return NULL;
}

/* A socket whose call was interrupted may call again; its state is then that of the new call. */
static void supersede(struct egress *e, int fd)
{
	uint64_t cookie = connect_cookie(fd);

	connect_supersede(e, cookie);
	relay_supersede(e, cookie);
}

static void dial_host(struct egress *e, uint64_t id, int fd, struct rules_ask *ask)
{
	const struct egress_secret *secret = secret_of(e, ask);

	if (secret)
		ask->port = (uint16_t)secret->port;
	struct attempt *a = attempt_new(e, ask->name, &ask->address, ask->port);
	char rule[EGRESS_RULE_MAX];

	if (!rules_allow(&e->rules, ask, rule)) {
		refuse(e, id, a, EACCES, rule);
	} else if (e->over) {
		refuse(e, id, a, EACCES, "the run was over");
	} else if (e->connections >= e->limit[LIMIT_CONNECTIONS]) {
		answers_over(e, LIMIT_CONNECTIONS, false);
		refuse(e, id, a, EACCES, "the limit connections was reached");
	} else {
		e->connections++;
		supersede(e, fd);
		if (secret || (e->sni && a->row.name[0]))
			relay_host(e, id, fd, a, &ask->address, rule, secret);
		else
			connect_host(e, id, fd, a, &ask->address, rule);
		return;
	}
	close(fd);
}

/* Libraries connect datagram sockets to find the nearest of several addresses, and send nothing. */
static void refuse_datagrams(struct egress *e, uint64_t id, const struct address *a, uint16_t port)
{
	if (!names_has(a))
		attempt_end(e, attempt_new(e, "", a, port), EGRESS_REFUSED, ENETUNREACH,
			    "only TCP is allowed, not datagrams");
	answers_send(e, id, ENETUNREACH);
}

/* The family is known, but the address is too short. */
static bool is_short(const struct egress_dial *d)
{
	sa_family_t family;

	memcpy(&family, d->address, sizeof(family));
	return family == AF_INET || family == AF_INET6;
}

void dial(struct egress *e, const struct egress_dial *d, int fd)
{
	AUTO_CLOSE int own = fd;
	struct rules_ask ask = {.name = ""};
	size_t len = d->address_len <= sizeof(d->address) ? d->address_len : 0;

	if (!e->started || !address_parse(d->address, len, &ask.address, &ask.port)) {
		answers_send(e, d->id, is_short(d) ? EINVAL : EAFNOSUPPORT);
		return;
	}
	address_name_loopback(&ask.address);
	if (d->type != SOCK_STREAM) {
		refuse_datagrams(e, d->id, &ask.address, ask.port);
		return;
	}
	if (e->waiting >= EGRESS_WAITING_MAX) {
		answers_send(e, d->id, ENOBUFS);
		return;
	}
	int error;
	if (connect_is_over(own, &error)) {
		answers_send(e, d->id, error);
		return;
	}
	if (is_resolver(&ask.address, ask.port)) {
		dial_resolver(e, d->id, scope_take_fd(&own));
		return;
	}
	const struct name_entry *n = names_find(&e->names, &ask.address);
	if (n) {
		ask.name = n->name;
		ask.address = n->real;
	}
	ask.own = routes_is_local(e, &ask.address);
	dial_host(e, d->id, scope_take_fd(&own), &ask);
}

static void on_box(struct egress *e, struct watch *w, uint32_t events)
{
	union {
		uint32_t kind;
		struct egress_dial dial;
	} m = {0};
	AUTO_CLOSE int fd = -1;
	struct err err;

	if (events & EPOLLOUT)
		answers_flush(e);
	if (!(events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
		return;
	ssize_t n = io_recv(w->fd, &m, sizeof(m), &fd);
	if (n < 0 && errno == EMSGSIZE) { /* no descriptor was free to receive it */
		if (m.kind == EGRESS_DIAL)
			answers_send(e, m.dial.id, ENFILE);
	} else if (n <= 0) {
		loop_remove(e, w); /* cordon reports the end of the run */
	} else if (m.kind == EGRESS_RESOLVE && n == sizeof(m.kind)) {
		if (fd >= 0 && e->resolver.fd < 0)
			resolver_take(e, scope_take_fd(&fd), &err);
	} else if (m.kind == EGRESS_DIAL && n == sizeof(m.dial) && fd >= 0) {
		dial(e, &m.dial, scope_take_fd(&fd));
	}
}

void dial_read_rest(struct egress *e)
{
	char byte;

	while (recv(e->box.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0)
		on_box(e, &e->box, EPOLLIN);
}

int dial_open(struct egress *e, struct err *err)
{
	e->box = (struct watch){EGRESS_BOX_FD, on_box};
	return loop_add(e, &e->box, EPOLLIN, err);
}
