/* SPDX-License-Identifier: MIT
 *
 * Asks the system's resolver for the addresses of a name, only if a rule allows the name. The
 * resolver blocks, so it runs in threads, which return results by a list and an eventfd. Results
 * are cached for a while, so that a program connects to the address that it was given.
 */
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "egress/egress.h"

struct waiter {
	lookup_fn *done;
	void *ctx;
	struct waiter *next;
};

struct lookup {
	char name[EGRESS_NAME_MAX];
	bool running;
	uint64_t until_ns; /* when LIST expires */
	size_t count;
	struct address list[DNS_ANSWERS_MAX];
	struct waiter *waiters;
};

/* The name that a thread looks up, then its result. */
struct lookup_done {
	struct egress *egress;
	size_t index;
	char name[EGRESS_NAME_MAX];
	size_t count;
	struct address list[DNS_ANSWERS_MAX];
	struct lookup_done *next;
};

static void add_address(struct lookup_done *d, const struct addrinfo *i)
{
	struct address a;
	uint16_t port;

	if (d->count == DNS_ANSWERS_MAX || !address_parse(i->ai_addr, i->ai_addrlen, &a, &port))
		return;
	for (size_t k = 0; k < d->count; k++)
		if (address_is_same(&d->list[k], &a))
			return;
	d->list[d->count++] = a;
}

static void *ask_system(void *arg)
{
	struct lookup_done *d = arg;
	struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
	struct addrinfo *found = NULL;
	uint64_t one = 1;

	if (getaddrinfo(d->name, NULL, &hints, &found) == 0)
		for (const struct addrinfo *i = found; i; i = i->ai_next)
			add_address(d, i);
	if (found)
		freeaddrinfo(found);
	struct egress *e = d->egress;
	pthread_mutex_lock(&e->lock);
	d->next = e->done;
	e->done = d;
	pthread_mutex_unlock(&e->lock);
	(void)!write(e->looked.fd, &one, sizeof(one));
	return NULL;
}

static void tell(struct egress *e, struct lookup *l)
{
	struct waiter *w = l->waiters;

	l->waiters = NULL;
	while (w) {
		struct waiter *next = w->next;
		w->done(e, w->ctx, l->list, l->count);
		free(w);
		w = next;
	}
}

static int start(struct egress *e, size_t index)
{
	struct lookup *l = &e->lookups[index];
	struct lookup_done *d = calloc(1, sizeof(*d));
	pthread_attr_t attr;
	pthread_t thread;

	if (!d)
		return -1;
	d->egress = e;
	d->index = index;
	memcpy(d->name, l->name, sizeof(d->name));
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	int failed = pthread_create(&thread, &attr, ask_system, d);
	pthread_attr_destroy(&attr);
	if (failed) {
		free(d);
		return -1;
	}
	l->running = true;
	e->running++;
	return 0;
}

/* Starts the lookups that waited for a thread. */
static void start_waiting(struct egress *e)
{
	for (size_t i = 0; i < e->lookupc && e->running < EGRESS_LOOKUPS_MAX; i++) {
		struct lookup *l = &e->lookups[i];
		if (l->running || !l->waiters || start(e, i) == 0)
			continue;
		l->count = 0;
		tell(e, l);
	}
}

static void on_looked(struct egress *e, struct watch *w, uint32_t events)
{
	uint64_t count;

	(void)events;
	(void)!read(w->fd, &count, sizeof(count));
	pthread_mutex_lock(&e->lock);
	struct lookup_done *d = e->done;
	e->done = NULL;
	pthread_mutex_unlock(&e->lock);
	while (d) {
		struct lookup_done *next = d->next;
		struct lookup *l = &e->lookups[d->index];
		l->running = false;
		l->count = d->count;
		memcpy(l->list, d->list, sizeof(l->list));
		l->until_ns = io_now_ns() + EGRESS_FRESH_MS * 1000000ULL;
		e->running--;
		tell(e, l);
		free(d);
		d = next;
	}
	start_waiting(e);
}

static struct lookup *find(struct egress *e, const char *name)
{
	for (size_t i = 0; i < e->lookupc; i++)
		if (strcmp(e->lookups[i].name, name) == 0)
			return &e->lookups[i];
	if (e->lookupc == EGRESS_KNOWN_MAX)
		return NULL;
	struct lookup *l = &e->lookups[e->lookupc++];
	snprintf(l->name, sizeof(l->name), "%s", name);
	return l;
}

void lookup_name(struct egress *e, const char *name, lookup_fn *done, void *ctx)
{
	struct lookup *l = find(e, name);
	struct waiter *w = l ? calloc(1, sizeof(*w)) : NULL;

	if (!w) {
		done(e, ctx, NULL, 0);
		return;
	}
	*w = (struct waiter){done, ctx, l->waiters};
	l->waiters = w;
	if (!l->running && l->until_ns > io_now_ns())
		tell(e, l);
	else
		start_waiting(e);
}

int lookup_open(struct egress *e, struct err *err)
{
	e->lookups = calloc(EGRESS_KNOWN_MAX, sizeof(*e->lookups));
	if (!e->lookups || pthread_mutex_init(&e->lock, NULL) != 0)
		return err_memory(err);
	e->looked = (struct watch){eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), on_looked};
	if (e->looked.fd < 0)
		return err_errno(err, ERR_SYSTEM, "making an eventfd");
	return loop_add(e, &e->looked, EPOLLIN, err);
}
