/* SPDX-License-Identifier: MIT
 *
 * The error that an init sends before it ends during the set-up replaces the supervisor's own
 * error. Any other message changes nothing, and the supervisor does not wait for one.
 */
#include <errno.h>
#include <sys/socket.h>

#include "base/io.h"
#include "box/supervise.h"
#include "scratch.h"
#include "tap.h"

struct pair {
	struct box box;
	struct run run;
	int init;
	struct err err;
};

static void open_pair(struct pair *p)
{
	int ends[2];

	scratch_must(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0, "a pair");
	memset(p, 0, sizeof(*p));
	p->box.ctl = ends[0];
	p->init = ends[1];
	p->run.box = &p->box;
	err_set(&p->err, ERR_SYSTEM, "the supervisor's own");
}

static void hear_and_close(struct pair *p)
{
	run_receive_error(&p->run, &p->err);
	close(p->box.ctl);
	if (p->init >= 0)
		close(p->init);
}

static bool is_own(const struct pair *p)
{
	return strcmp(p->err.message, "the supervisor's own") == 0;
}

static int count_fds(void)
{
	int n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void test_word(void)
{
	struct wire_error m = {.kind = WIRE_ERROR};
	struct pair p;
	int before = count_fds();

	err_set(&m.err, ERR_LAYER, "init's reason");
	err_blame(&m.err, "landlock");
	m.err.sys_errno = ENOSYS;
	open_pair(&p);
	scratch_must(io_send(p.init, &m, sizeof(m), 0) == 0, "send");
	close(p.init); /* it has ended */
	p.init = -1;
	hear_and_close(&p);
	ok(strcmp(p.err.message, "init's reason") == 0 && p.err.code == ERR_LAYER, "%s",
	   p.err.message);
	ok(strstr(p.err.cause, "the kernel has no Landlock") != NULL, "and what is to be seen: %s",
	   p.err.cause);
	ok(count_fds() == before, "a descriptor that came with it is closed");
	/* Strings without an end. */
	memset(m.err.message, 'x', sizeof(m.err.message));
	memset(m.err.layer, 'x', sizeof(m.err.layer));
	memset(m.err.cure, 'x', sizeof(m.err.cure));
	open_pair(&p);
	scratch_must(io_send(p.init, &m, sizeof(m), -1) == 0, "send");
	hear_and_close(&p);
	ok(strlen(p.err.message) == sizeof(p.err.message) - 1 &&
		   strlen(p.err.cure) == sizeof(p.err.cure) - 1 &&
		   strlen(p.err.layer) == sizeof(p.err.layer) - 1,
	   "its strings have an end");
}

static void test_nothing(void)
{
	struct wire_error m = {.kind = WIRE_LISTENER};
	struct pair p;

	open_pair(&p);
	hear_and_close(&p);
	ok(is_own(&p), "it says nothing");
	open_pair(&p);
	close(p.init);
	p.init = -1;
	hear_and_close(&p);
	ok(is_own(&p), "and has ended");
	open_pair(&p);
	close(p.box.ctl);
	p.box.ctl = -1;
	hear_and_close(&p);
	ok(is_own(&p), "it was never there");
	err_set(&m.err, ERR_LAYER, "another word");
	open_pair(&p);
	scratch_must(io_send(p.init, &m, sizeof(m), -1) == 0, "send");
	hear_and_close(&p);
	ok(is_own(&p), "another word");
	m.kind = WIRE_ERROR;
	open_pair(&p);
	scratch_must(io_send(p.init, &m, sizeof(m) - 1, -1) == 0, "send");
	hear_and_close(&p);
	ok(is_own(&p), "a short one");
	open_pair(&p);
	char longer[sizeof(m) + 1] = {0};
	memcpy(longer, &m, sizeof(m));
	scratch_must(io_send(p.init, longer, sizeof(longer), -1) == 0, "send");
	hear_and_close(&p);
	ok(is_own(&p), "a long one");
}

int main(void)
{
	alarm(60);
	test_word();
	test_nothing();
	return tap_done();
}
