/* SPDX-License-Identifier: MIT
 *
 * A call of connect: what is meant by its address, whether that is allowed, and by what. Everything
 * that is not TCP to a host that a rule allows ends here, and is told.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/scope.h"
#include "egress/egress.h"

enum { HTTP_PORT = 80 };

static void refuse(struct egress *e, uint64_t id, struct attempt *a, int error, const char *why)
{
	attempt_end(e, a, EGRESS_REFUSED, error, why);
	answers_send(e, id, error);
}

/* A call that is connected to our own resolver. */
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
	door_connect(e, fd, on_stream, take_stream, own);
}

static bool is_resolver(const struct address *a, uint16_t port)
{
	struct address own = {.family = AF_INET};

	inet_pton(AF_INET, EGRESS_RESOLVER, own.bytes);
	return port == EGRESS_RESOLVER_PORT && address_is_same(a, &own);
}

/* Plain HTTP to a host that gets a secret ends here, and goes on to its own port. */
static const struct egress_secret *secret_of(const struct egress *e, const struct rules_ask *ask)
{
	for (size_t i = 0; ask->port == HTTP_PORT && i < e->secretc; i++)
		if (strcmp(e->secret[i].host, ask->name) == 0)
			return &e->secret[i];
	return NULL;
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
		connect_supersede(e, fd);
		if (secret || (e->sni && a->row.name[0]))
			relay_host(e, id, fd, a, &ask->address, rule, secret);
		else
			connect_host(e, id, fd, a, &ask->address, rule);
		return;
	}
	close(fd);
}

/* Libraries try datagrams to learn which of several addresses are near: nothing is sent by that. */
static void refuse_datagrams(struct egress *e, uint64_t id, const struct address *a, uint16_t port)
{
	if (!names_has(a))
		attempt_end(e, attempt_new(e, "", a, port), EGRESS_REFUSED, ENETUNREACH,
			    "only TCP is allowed, not datagrams");
	answers_send(e, id, ENETUNREACH);
}

/* Of a family that is known, but not all of it. */
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
	ask.own = own_is(e, &ask.address);
	dial_host(e, d->id, scope_take_fd(&own), &ask);
}
