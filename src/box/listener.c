/* SPDX-License-Identifier: MIT
 *
 * Answers notifications. What it reads from the program's memory only explains a refusal and never decides
 * one; a worker reads it, because that may block (box/worker.h). After CORDON_EVENTS_MAX events it reads and
 * records nothing more and closes the listener. From then on the kernel answers ENOSYS by itself, so a flood
 * of refused calls costs the supervisor nothing. A box with a network needs the listener for connections: it
 * stays open, and a refusal costs one answer.
 */
#include "box/listener.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "box/caller.h"
#include "box/filter.h"
#include "box/net_calls.h"

/* How to show the argument that matters of a refused call. */
enum show { SHOW_STRING, SHOW_FAMILY, SHOW_HEX, SHOW_LOCAL };

static const struct {
	long nr;
	unsigned arg;
	enum show show;
} targets[] = {
	{SYS_execve, 0, SHOW_STRING},	    {SYS_execveat, 1, SHOW_STRING},
	{SYS_mknodat, 1, SHOW_STRING},	    {SYS_chroot, 0, SHOW_STRING},
	{SYS_mount, 1, SHOW_STRING},	    {SYS_umount2, 0, SHOW_STRING},
	{SYS_socket, 0, SHOW_FAMILY},	    {SYS_ioctl, 1, SHOW_HEX},
	{SYS_prctl, 0, SHOW_HEX},	    {SYS_clone, 0, SHOW_HEX},
	{SYS_unshare, 0, SHOW_HEX},	    {SYS_ptrace, 0, SHOW_HEX},
	{SYS_memfd_create, 0, SHOW_STRING}, {SYS_mmap, 3, SHOW_HEX},
	{SYS_fchmodat, 1, SHOW_STRING},	    {SYS_fchownat, 1, SHOW_STRING},
	{SYS_utimensat, 1, SHOW_STRING},    {SYS_connect, 1, SHOW_LOCAL},
};

static const struct {
	int family;
	const char *name;
} families[] = {
	{AF_UNIX, "AF_UNIX"},	    {AF_INET, "AF_INET"},	    {AF_INET6, "AF_INET6"},
	{AF_NETLINK, "AF_NETLINK"}, {AF_PACKET, "AF_PACKET"},	    {AF_VSOCK, "AF_VSOCK"},
	{AF_ALG, "AF_ALG"},	    {AF_BLUETOOTH, "AF_BLUETOOTH"},
};

void listener_init(struct listener *l)
{
	memset(l, 0, offsetof(struct listener, denials)); /* the rest is written before use */
	l->fd = l->retired = -1;
}

static void read_string(pid_t pid, uint64_t address, char *out, size_t size)
{
	struct iovec local = {out, size - 1};
	struct iovec remote = {(void *)(uintptr_t)address, size - 1};
	ssize_t n = process_vm_readv(pid, &local, 1, &remote, 1, 0);

	/* A string near the end of its mapping: read up to the end of its page. */
	if (n < 0) {
		remote.iov_len = 4096 - (address & 4095);
		remote.iov_len = remote.iov_len < size - 1 ? remote.iov_len : size - 1;
		n = process_vm_readv(pid, &local, 1, &remote, 1, 0);
	}
	out[n > 0 ? (size_t)n : 0] = '\0';
}

static void show_family(uint64_t value, char *out, size_t size)
{
	for (size_t i = 0; i < ARRAY_SIZE(families); i++)
		if ((int)value == families[i].family) {
			snprintf(out, size, "%s", families[i].name);
			return;
		}
	snprintf(out, size, "family %d", (int)value);
}

/* The target of a call whose argument is a number; else "". */
static void describe(const struct seccomp_notif *req, char *out, size_t size)
{
	out[0] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(targets); i++) {
		if (targets[i].nr != req->data.nr)
			continue;
		uint64_t arg = req->data.args[targets[i].arg];
		if (targets[i].show == SHOW_FAMILY)
			show_family(arg, out, size);
		else if (targets[i].show == SHOW_HEX)
			snprintf(out, size, "0x%llx", (unsigned long long)arg);
	}
}

/* In a worker: the target of a call whose argument is a pointer. */
static void read_target(const struct box *b, int listener, const struct seccomp_notif *req,
			struct worker_answer *ret)
{
	(void)b;
	for (size_t i = 0; i < ARRAY_SIZE(targets); i++) {
		if (targets[i].nr != req->data.nr)
			continue;
		uint64_t skip = targets[i].show == SHOW_LOCAL ? sizeof(sa_family_t) : 0;
		read_string((pid_t)req->pid, req->data.args[targets[i].arg] + skip, ret->target,
			    sizeof(ret->target));
	}
	/* Its pid may belong to another process by now. */
	if (!caller_waits(listener, req))
		ret->target[0] = '\0';
}

static bool is_pointer(int nr)
{
	for (size_t i = 0; i < ARRAY_SIZE(targets); i++)
		if (targets[i].nr == nr &&
		    (targets[i].show == SHOW_STRING || targets[i].show == SHOW_LOCAL))
			return true;
	return false;
}

/* In a worker: all that must look into the program's process. */
static void work(const struct box *b, int listener, const struct seccomp_notif *req,
		 struct worker_answer *ret)
{
	bool inet = box_has_inet(b);

	if (inet && req->data.nr == SYS_listen)
		net_call_listen(b, listener, req, ret);
	else if (inet && req->data.nr == SYS_connect)
		net_call_connect(b, listener, req, ret);
	if (ret->verdict == WORKER_REFUSE)
		read_target(b, listener, req, ret);
}

static void keep(struct listener *l, const struct wire_denial *d)
{
	for (unsigned i = 0; i < l->count; i++)
		if (strcmp(l->denials[i].call, d->call) == 0 &&
		    strcmp(l->denials[i].target, d->target) == 0) {
			l->denials[i].count += d->count;
			return;
		}
	if (l->count < CORDON_DENIALS_MAX)
		l->denials[l->count++] = *d;
	else
		l->cut = true;
}

/* Counts an event. False: there were too many, and this one is not recorded. */
static bool take_room(struct listener *l)
{
	if (l->events < CORDON_EVENTS_MAX) {
		l->events++;
		return true;
	}
	l->cut = true;
	return false;
}

/* TARGET: "" if the argument is a number. */
static void record(struct listener *l, const struct seccomp_notif *req, const char *target,
		   const char *why)
{
	const char *name = call_name_find(req->data.nr);
	struct wire_denial d = {.kind = WIRE_DENIAL, .count = 1};

	if (name)
		snprintf(d.call, sizeof(d.call), "%s", name);
	else
		snprintf(d.call, sizeof(d.call), "call %d", req->data.nr);
	describe(req, d.target, sizeof(d.target));
	if (target[0])
		snprintf(d.target, sizeof(d.target), "%s", target);
	snprintf(d.rule, sizeof(d.rule), "%s", why);
	keep(l, &d);
}

static const char *why_refused(const struct seccomp_notif *req)
{
	const struct call_rule *rule = call_rule_find(req->data.nr);

	return rule && rule->why[0] ? rule->why : "not on the list of allowed calls";
}

/* Calls that are answered in a box with internet sockets (NET). All others are refused. */
static bool is_dial(bool net, const struct seccomp_notif *req)
{
	return net && (req->data.nr == SYS_connect || req->data.nr == SYS_listen);
}

void listener_retire(struct listener *l, bool net)
{
	/* A call whose target is still being read is recorded without it. */
	for (size_t i = 0; i < WORKER_MAX; i++)
		if (l->workers[i].busy && !is_dial(net, &l->workers[i].req) && take_room(l))
			record(l, &l->workers[i].req, "", why_refused(&l->workers[i].req));
	worker_kill(l->workers);
	if (l->fd >= 0)
		l->retired = scope_take_fd(&l->fd);
}

void listener_close(struct listener *l)
{
	worker_end(l->workers);
	scope_close(&l->fd);
	scope_close(&l->retired);
}

void listener_note_lost(struct listener *l, uint64_t count)
{
	struct wire_denial d = {.kind = WIRE_DENIAL,
				.count = count > UINT32_MAX ? UINT32_MAX : (uint32_t)count,
				.call = "sendto",
				.target = "datagrams",
				.rule = "datagrams reach only the box's own resolver"};

	if (count)
		keep(l, &d);
}

/* 0: the answer was sent. ENOENT: the caller is dead, or will call again. */
static int answer(struct listener *l, const struct seccomp_notif *req, int error, unsigned flags)
{
	struct seccomp_notif_resp resp = {.id = req->id, .error = -error, .flags = flags};

	return ioctl(l->fd, SECCOMP_IOCTL_NOTIF_SEND, &resp);
}

/* The first call comes from Cordon's own code: the filter is on, and the program has not started. In a box
 * that may execute programs it is the self-test, which is refused. Otherwise it is the one exec that is ever
 * let through, and only Cordon's own code can have made it. */
static int on_setup(struct listener *l, struct box *b, const struct seccomp_notif *req,
		    struct err *err)
{
	bool exec = box_may_exec(b);

	if (req->data.nr != (exec ? SYS_personality : SYS_execve)) {
		answer(l, req, EPERM, 0);
		err_set(err, ERR_LAYER, "an unexpected call before the program's start: %d",
			req->data.nr);
		err_blame(err, "seccomp");
		return -1;
	}
	if (b->attach_late && cgroup_attach(&b->cgroup, (pid_t)req->pid, err) < 0)
		return -1;
	l->started_ns = io_now_ns();
	int sent = exec ? answer(l, req, EPERM, 0)
			: answer(l, req, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE);
	/* If a signal has cancelled the call, it comes again, and the exec is still unused. */
	if (sent == 0)
		l->phase = LISTENER_RUN;
	return 0;
}

static void refuse(struct listener *l, bool net, const struct seccomp_notif *req,
		   const char *target)
{
	const struct call_rule *rule = call_rule_find(req->data.nr);
	bool kills = rule && rule->action == CALL_KILL;

	if (take_room(l) || kills)
		record(l, req, target, why_refused(req));
	if (kills) {
		l->kill = true; /* no answer: the caller sleeps until it is killed */
		return;
	}
	answer(l, req, rule && rule->err ? rule->err : EPERM, 0);
	if (net || l->events < CORDON_EVENTS_MAX)
		return;
	l->cut = true;
	listener_close(l);
}

static void on_run(struct listener *l, const struct box *b, const struct seccomp_notif *req)
{
	const struct call_rule *rule = call_rule_find(req->data.nr);
	bool net = box_has_inet(b);
	bool dials = is_dial(net, req);
	bool observed =
		is_pointer(req->data.nr) && l->events < CORDON_EVENTS_MAX && !l->blind &&
		!(rule && rule->action == CALL_KILL); /* killed at once, without its target */

	if (net && req->data.nr == SYS_socket && net_call_socket(b, l->fd, req))
		return;
	if ((dials || observed) && worker_start(l->workers, work, b, l->fd, req) == 0)
		return;
	if (dials)
		answer(l, req, EAGAIN, 0);
	else
		refuse(l, net, req, "");
}

/* A connect to a local socket that does not exist in the box is recorded: the program may look for the
 * host's. */
void listener_answer_examined(struct listener *l, bool net)
{
	struct seccomp_notif req;
	struct worker_answer a;

	for (size_t i = 0; i < WORKER_MAX; i++) {
		if (!worker_take(&l->workers[i], &req, &a) || a.verdict == WORKER_ASKED)
			continue;
		/* Also when the worker was killed. */
		if (a.verdict == WORKER_REFUSE || !is_dial(net, &req)) {
			refuse(l, net, &req, a.target);
			continue;
		}
		if ((a.error == ENOENT || a.error == ECONNREFUSED) && !a.quiet && take_room(l))
			record(l, &req, a.target, "there is no such socket in the box");
		answer(l, &req, a.error, 0);
	}
}

int listener_answer(struct listener *l, struct box *b, struct err *err)
{
	struct seccomp_notif req;

	memset(&req, 0, sizeof(req)); /* the kernel insists */
	if (ioctl(l->fd, SECCOMP_IOCTL_NOTIF_RECV, &req) < 0) {
		if (errno == ENOENT || errno == EINTR)
			return 0;
		return err_errno(err, ERR_SYSTEM, "reading from the listener");
	}
	if (l->phase == LISTENER_SETUP)
		return on_setup(l, b, &req, err);
	on_run(l, b, &req);
	return 0;
}
