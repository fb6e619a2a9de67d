/* SPDX-License-Identifier: MIT
 *
 * Answers notifications. What is read from the program's memory only explains a refusal; it never
 * decides anything, and a process that may wait reads it (box/local.h). After CORDON_EVENTS_MAX events
 * nothing is read or kept any more, and the listener is closed: from then on the kernel answers ENOSYS by
 * itself, so a flood of refused calls costs us nothing. With a network connections need it, so it stays,
 * and a refusal costs one answer.
 */
#include "box/gate.h"

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
#include "box/dial.h"
#include "box/filter.h"
#include "box/reach.h"

/* How to show what a refused call was about. */
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

void gate_init(struct gate *g)
{
	memset(g, 0, offsetof(struct gate, denials)); /* the rest is written before it is read */
	g->listener = g->spent = -1;
}

static void read_string(pid_t pid, uint64_t address, char *out, size_t size)
{
	struct iovec local = {out, size - 1};
	struct iovec remote = {(void *)(uintptr_t)address, size - 1};
	ssize_t n = process_vm_readv(pid, &local, 1, &remote, 1, 0);

	/* A string near the end of its mapping: take what is on its page. */
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

/* What a number says; "" if it says nothing. */
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

/* In a process of its own: what stands where a pointer leads. */
static void read_target(const struct box *b, int listener, const struct seccomp_notif *req,
			struct local_answer *ret)
{
	(void)b;
	for (size_t i = 0; i < ARRAY_SIZE(targets); i++) {
		if (targets[i].nr != req->data.nr)
			continue;
		uint64_t skip = targets[i].show == SHOW_LOCAL ? sizeof(sa_family_t) : 0;
		read_string((pid_t)req->pid, req->data.args[targets[i].arg] + skip, ret->target,
			    sizeof(ret->target));
	}
	/* Its number may be another process's by now. */
	if (!reach_is_valid(listener, req))
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

/* In a process of its own: all that needs a look at the program. */
static void work(const struct box *b, int listener, const struct seccomp_notif *req,
		 struct local_answer *ret)
{
	bool net = b->spec->flags & SPEC_NET;

	if (net && req->data.nr == SYS_listen)
		dial_listen(b, listener, req, ret);
	else if (net && req->data.nr == SYS_connect)
		dial_connect(b, listener, req, ret);
	if (ret->verdict == LOCAL_REFUSE)
		read_target(b, listener, req, ret);
}

static void keep(struct gate *g, const struct wire_denial *d)
{
	for (unsigned i = 0; i < g->count; i++)
		if (strcmp(g->denials[i].call, d->call) == 0 &&
		    strcmp(g->denials[i].target, d->target) == 0) {
			g->denials[i].count += d->count;
			return;
		}
	if (g->count < CORDON_DENIALS_MAX)
		g->denials[g->count++] = *d;
	else
		g->cut = true;
}

/* True, and one less is left: this one is looked at. */
static bool take_room(struct gate *g)
{
	if (g->events < CORDON_EVENTS_MAX) {
		g->events++;
		return true;
	}
	g->cut = true;
	return false;
}

/* TARGET: "" if only a number could say it. */
static void record(struct gate *g, const struct seccomp_notif *req, const char *target,
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
	keep(g, &d);
}

static const char *why_refused(const struct seccomp_notif *req)
{
	const struct call_rule *rule = call_rule_find(req->data.nr);

	return rule && rule->why[0] ? rule->why : "not on the list of allowed calls";
}

/* With a network, cordon-egress answers these. All other calls that come here are refused. */
static bool is_dial(bool net, const struct seccomp_notif *req)
{
	return net && (req->data.nr == SYS_connect || req->data.nr == SYS_listen);
}

void gate_retire(struct gate *g, bool net)
{
	/* Calls whose target is still being read are told without it. */
	for (size_t i = 0; i < LOCAL_MAX; i++)
		if (g->local[i].busy && !is_dial(net, &g->local[i].req) && take_room(g))
			record(g, &g->local[i].req, "", why_refused(&g->local[i].req));
	local_kill(g->local);
	if (g->listener >= 0)
		g->spent = scope_take_fd(&g->listener);
}

void gate_close(struct gate *g)
{
	local_end(g->local);
	scope_close(&g->listener);
	scope_close(&g->spent);
}

void gate_note_lost(struct gate *g, uint64_t count)
{
	struct wire_denial d = {.kind = WIRE_DENIAL,
				.count = count > UINT32_MAX ? UINT32_MAX : (uint32_t)count,
				.call = "sendto",
				.target = "datagrams",
				.rule = "they reach nobody but the box's own resolver"};

	if (count)
		keep(g, &d);
}

/* Zero the answer when it went out; ENOENT means that the caller is gone or will ask again. */
static int answer(struct gate *g, const struct seccomp_notif *req, int error, unsigned flags)
{
	struct seccomp_notif_resp resp = {.id = req->id, .error = -error, .flags = flags};

	return ioctl(g->listener, SECCOMP_IOCTL_NOTIF_SEND, &resp);
}

/* The first call comes from our own code: the program is filtered and has run nothing yet. Where
 * programs may be started it is the self-test, which is refused; otherwise it is the one exec that
 * is ever let through, and nothing but our own code can have made it. */
static int on_setup(struct gate *g, struct box *b, const struct seccomp_notif *req, struct err *err)
{
	bool exec = box_may_exec(b);

	if (req->data.nr != (exec ? SYS_personality : SYS_execve)) {
		answer(g, req, EPERM, 0);
		err_set(err, ERR_LAYER, "an unexpected call before the program's start: %d",
			req->data.nr);
		err_blame(err, "seccomp");
		return -1;
	}
	if (b->attach_late && cgroup_attach(&b->cgroup, (pid_t)req->pid, err) < 0)
		return -1;
	g->started_ns = io_now_ns();
	int sent = exec ? answer(g, req, EPERM, 0)
			: answer(g, req, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE);
	/* A signal may have cancelled it; then it comes again and the grant is still unused. */
	if (sent == 0)
		g->phase = GATE_RUN;
	return 0;
}

static void refuse(struct gate *g, bool net, const struct seccomp_notif *req, const char *target)
{
	const struct call_rule *rule = call_rule_find(req->data.nr);
	bool kills = rule && rule->action == CALL_KILL;

	if (take_room(g) || kills)
		record(g, req, target, why_refused(req));
	if (kills) {
		g->kill = true; /* unanswered: the caller sleeps until it is killed */
		return;
	}
	answer(g, req, rule && rule->err ? rule->err : EPERM, 0);
	if (net || g->events < CORDON_EVENTS_MAX)
		return;
	g->cut = true;
	gate_close(g);
}

static void on_run(struct gate *g, const struct box *b, const struct seccomp_notif *req)
{
	const struct call_rule *rule = call_rule_find(req->data.nr);
	bool net = b->spec->flags & SPEC_NET;
	bool dials = is_dial(net, req);
	bool told = is_pointer(req->data.nr) && g->events < CORDON_EVENTS_MAX && !g->blind &&
		    !(rule && rule->action == CALL_KILL); /* at once, without its target */

	if (net && req->data.nr == SYS_socket && dial_socket(b, g->listener, req))
		return;
	if ((dials || told) && local_start(g->local, work, b, g->listener, req) == 0)
		return;
	if (dials)
		answer(g, req, EAGAIN, 0);
	else
		refuse(g, net, req, "");
}

/* A local socket that the box lacks is recorded: the program may be looking for the host's. */
void gate_answer_local(struct gate *g, bool net)
{
	struct seccomp_notif req;
	struct local_answer a;

	for (size_t i = 0; i < LOCAL_MAX; i++) {
		if (!local_take(&g->local[i], &req, &a) || a.verdict == LOCAL_ASKED)
			continue;
		/* Also when the process that read its target was killed. */
		if (a.verdict == LOCAL_REFUSE || !is_dial(net, &req)) {
			refuse(g, net, &req, a.target);
			continue;
		}
		if ((a.error == ENOENT || a.error == ECONNREFUSED) && !a.quiet && take_room(g))
			record(g, &req, a.target, "there is no such socket in the box");
		answer(g, &req, a.error, 0);
	}
}

int gate_answer(struct gate *g, struct box *b, struct err *err)
{
	struct seccomp_notif req;

	memset(&req, 0, sizeof(req)); /* the kernel insists */
	if (ioctl(g->listener, SECCOMP_IOCTL_NOTIF_RECV, &req) < 0) {
		if (errno == ENOENT || errno == EINTR)
			return 0;
		return err_errno(err, ERR_SYSTEM, "reading from the listener");
	}
	if (g->phase == GATE_SETUP)
		return on_setup(g, b, &req, err);
	on_run(g, b, &req);
	return 0;
}
