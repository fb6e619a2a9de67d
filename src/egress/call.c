/* SPDX-License-Identifier: MIT
 *
 * connect() on a socket that the program has too. Whether it waits is a flag of what both share, so
 * whoever sets it can be undone before the call is made: each call is made in a thread of its own,
 * and the loop, which looks at the limits, never waits for one. One that takes too long is shut down.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/inert.h"
#include "base/io.h"
#include "egress/egress.h"

enum { STACK = 128 * 1024 };

struct call {
	struct egress *egress;
	int fd;
	struct sockaddr_storage to;
	socklen_t len;
	int error;
	bool running, late;
	uint64_t until_ns;
	call_fn *done;
	void *ctx;
	struct call *next;	/* of all, the newest first */
	struct call *next_made; /* by LOCK, from the threads */
};

static void *make_call(void *arg)
{
	struct call *c = arg;
	struct egress *e = c->egress;
	uint64_t one = 1;

	inert_set(c->fd, false);
	c->error = connect(c->fd, (struct sockaddr *)&c->to, c->len) < 0 ? errno : 0;
	pthread_mutex_lock(&e->lock);
	c->next_made = e->made;
	e->made = c;
	pthread_mutex_unlock(&e->lock);
	(void)!write(e->called.fd, &one, sizeof(one));
	return NULL;
}

static int start(struct egress *e, struct call *c)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, STACK);
	int failed = pthread_create(&thread, &attr, make_call, c);
	pthread_attr_destroy(&attr);
	if (failed)
		return -1;
	c->running = true;
	e->callsc++;
	return 0;
}

static void end(struct egress *e, struct call *c, int error)
{
	for (struct call **at = &e->calls; *at; at = &(*at)->next)
		if (*at == c) {
			*at = c->next;
			break;
		}
	e->waiting--;
	c->done(e, c->ctx, error);
	free(c);
}

/* Those that had to wait for a thread, the oldest first. */
static void start_waiting(struct egress *e)
{
	while (e->callsc < EGRESS_CALLS_MAX) {
		struct call *oldest = NULL;
		for (struct call *c = e->calls; c; c = c->next)
			oldest = c->running ? oldest : c;
		if (!oldest)
			return;
		if (start(e, oldest) == 0)
			continue;
		if (e->callsc)
			return; /* when one of them is done */
		end(e, oldest, ENETUNREACH);
	}
}

static void take_made(struct egress *e)
{
	pthread_mutex_lock(&e->lock);
	struct call *c = e->made;
	e->made = NULL;
	pthread_mutex_unlock(&e->lock);
	while (c) {
		struct call *next = c->next_made;
		e->callsc--;
		end(e, c, c->late && c->error ? ETIMEDOUT : c->error);
		c = next;
	}
}

static void on_called(struct egress *e, struct watch *w, uint32_t events)
{
	uint64_t count;

	(void)events;
	(void)!read(w->fd, &count, sizeof(count));
	take_made(e);
	start_waiting(e);
}

void call_connect(struct egress *e, int fd, const struct address *to, uint16_t port, call_fn *done,
		  void *ctx)
{
	struct call *c = calloc(1, sizeof(*c));
	int family = AF_INET;
	socklen_t len = sizeof(family);

	if (!c)
		abort();
	getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &len);
	*c = (struct call){.egress = e, .fd = fd, .done = done, .ctx = ctx};
	c->len = address_sockaddr(to, port, family, &c->to);
	c->until_ns = io_now_ns() + EGRESS_CONNECT_MS * 1000000ULL;
	c->next = e->calls;
	e->calls = c;
	e->waiting++;
	if (c->len == 0) {
		end(e, c, EAFNOSUPPORT);
		return;
	}
	start_waiting(e);
	clock_need(e);
}

void call_look(struct egress *e)
{
	uint64_t now = io_now_ns();

	for (struct call *c = e->calls, *next; c; c = next) {
		next = c->next;
		if (now < c->until_ns)
			continue;
		if (c->running) {
			c->late = true;
			shutdown(c->fd, SHUT_RDWR); /* wakes it */
		} else {
			end(e, c, ETIMEDOUT);
		}
	}
}

/* The process ends next: threads that are still in a call end with it. */
void call_finish(struct egress *e)
{
	take_made(e);
	for (struct call *c = e->calls, *next; c; c = next) {
		next = c->next;
		c->done(e, c->ctx, ETIMEDOUT); /* not freed: its thread has it */
	}
	e->calls = NULL;
}

int call_open(struct egress *e, struct err *err)
{
	e->called = (struct watch){eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), on_called};
	if (e->called.fd < 0)
		return err_errno(err, ERR_SYSTEM, "making an eventfd");
	return loop_add(e, &e->called, EPOLLIN, err);
}
