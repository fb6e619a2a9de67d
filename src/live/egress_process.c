/* SPDX-License-Identifier: MIT
 *
 * See egress_process.h. A run that asks for the network does not start without cordon-egress, and
 * ends when cordon-egress dies.
 */
#include "live/egress_process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "base/self.h"
#include "base/spawn.h"

enum { START_MS = 5000, FINISH_MS = 3000 };

void egress_process_init(struct egress_process *o)
{
	*o = (struct egress_process){.control = -1, .box = -1};
}

/* It ends when all other ends of its sockets are closed. One that hangs is killed. */
static void end_process(pid_t pid)
{
	AUTO_CLOSE int process = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd end = {.fd = process, .events = POLLIN};

	if (process < 0 || poll(&end, 1, FINISH_MS) <= 0)
		kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

void egress_process_done(struct egress_process *o)
{
	scope_close(&o->control);
	scope_close(&o->box);
	if (o->pid > 0)
		end_process(o->pid);
	arena_done(&o->arena);
	egress_process_init(o);
}

static int spawn_egress(const char *path, int control, int box, pid_t *ret)
{
	static char name[] = "cordon-egress";
	static char *const env[] = {NULL};
	const struct spawn_fd fds[] = {{control, EGRESS_CONTROL_FD}, {box, EGRESS_BOX_FD}};

	return spawn_program(path, name, env, fds, ARRAY_SIZE(fds), ret);
}

static int make_pair(int ret[2])
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -1;
	for (int i = 0; i < 2; i++) {
		ret[i] = fcntl(pair[i], F_DUPFD_CLOEXEC, SPAWN_HIGH_FD);
		close(pair[i]);
	}
	return ret[0] < 0 || ret[1] < 0 ? -1 : 0;
}

static int start(struct egress_process *o, struct err *err)
{
	int control[2] = {-1, -1}, box[2] = {-1, -1};
	char path[PATH_MAX];

	if (self_find("cordon-egress", path, err) < 0) {
		err_cure(err, "install it in the directory of cordon, or leave out --net");
		return -1;
	}
	int made = make_pair(control) < 0 || make_pair(box) < 0 ? -1 : 0;
	int r = made < 0 ? -1 : spawn_egress(path, control[1], box[1], &o->pid);
	if (r < 0)
		err_errno(err, ERR_SYSTEM, "starting %s", path);
	scope_close(&control[1]);
	scope_close(&box[1]);
	o->control = control[0];
	o->box = box[0];
	return r;
}

static int put_rule(const struct egress_process *o, enum egress_list list, const char *text)
{
	struct egress_rule rule = {.kind = EGRESS_RULE, .list = list};

	snprintf(rule.text, sizeof(rule.text), "%s", text);
	return io_send(o->control, &rule, sizeof(rule), -1);
}

static int put_list(const struct egress_process *o, enum egress_list list,
		    const struct policy_netlist *n)
{
	char text[POLICY_NET_TEXT_MAX];

	for (size_t i = 0; i < n->count; i++)
		if (put_rule(o, list, policy_net_format(&n->list[i], text, sizeof(text))) < 0)
			return -1;
	return 0;
}

static int put_rules(const struct egress_process *o, const struct policy *p,
		     const struct request *r)
{
	struct egress_start start = {.kind = EGRESS_START, .sni = p->sni};

	for (size_t i = 0; i < r->netc; i++)
		if (put_rule(o, EGRESS_ALLOWED, r->net[i]) < 0)
			return -1;
	if (put_list(o, EGRESS_DENIED, &p->deny) < 0)
		return -1;
	memcpy(start.limit, r->limit, sizeof(start.limit));
	return io_send(o->control, &start, sizeof(start), -1);
}

static ssize_t receive(const struct egress_process *o, void *message, size_t size, int wait_ms)
{
	struct pollfd fd = {.fd = o->control, .events = POLLIN};
	int unwanted = -1;

	if (poll(&fd, 1, wait_ms) <= 0)
		return -1;
	ssize_t n = io_recv(o->control, message, size, &unwanted);
	scope_close(&unwanted);
	return n;
}

int egress_process_open(struct egress_process *o, const struct policy *p, const struct request *r,
			struct err *err)
{
	uint32_t ready = 0;

	if (o->control < 0 && start(o, err) < 0)
		return -1;
	if (secrets_send(o, p, r, err) < 0)
		return -1;
	if (put_rules(o, p, r) < 0 ||
	    receive(o, &ready, sizeof(ready), START_MS) != sizeof(ready) || ready != EGRESS_START)
		return err_set(err, ERR_SYSTEM, "cordon-egress did not start");
	return 0;
}

/* False: there are no more rows. */
static bool read_row(struct egress_process *o, struct result *ret, int wait_ms)
{
	union {
		uint32_t kind;
		struct egress_row row;
		struct egress_done done;
	} m;
	ssize_t n = receive(o, &m, sizeof(m), wait_ms);

	if (n == sizeof(m.row) && m.kind == EGRESS_ROW) {
		if (!result_put_egress(ret, &m.row))
			ret->egress_cut = true;
		return true;
	}
	ret->egress_cut |= n != sizeof(m.done) || m.kind != EGRESS_DONE || m.done.cut ||
			   m.done.count != ret->egressc;
	return false;
}

void egress_process_read(struct egress_process *o, struct result *ret)
{
	if (!read_row(o, ret, 0)) /* cordon-egress has ended; the box sees that too */
		scope_close(&o->control);
}

void egress_process_finish(struct egress_process *o, struct result *ret)
{
	if (o->control < 0)
		return;
	shutdown(o->control, SHUT_WR);
	while (read_row(o, ret, FINISH_MS))
		;
	egress_process_done(o);
}
