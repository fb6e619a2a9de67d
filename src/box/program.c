/* SPDX-License-Identifier: MIT
 *
 * The process that becomes the untrusted program. It starts first and works in parallel with init, on
 * another core: while init builds the root, it makes the network namespace (half a millisecond, more than
 * all others together) and drops its rights. When init reports that the root is ready, it enters Landlock's
 * rules, its cgroup and the filter. Before it reads the first byte of the program, every layer is in place,
 * the host's root is unmounted, and the filter has been tested.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/io.h"
#include "base/scope.h"
#include "base/spawn.h"
#include "box/box.h"
#include "box/starter.h"
#include "box/sys.h"

void box_give_up(const struct box *b, const struct err *err)
{
	struct wire_error msg = {.kind = WIRE_ERROR, .err = *err};

	io_send(b->ctl, &msg, sizeof(msg), -1);
	_exit(127);
}

/* Init joins this namespace before the program starts. A socket identifies it, because to open
 * /proc/self/ns/net takes six times as long. */
static int make_network(struct box *b, int init, struct err *err)
{
	uint32_t kind = WIRE_NETWORK;

	if (!box_makes_network(b))
		return 0;
	if (unshare(CLONE_NEWNET) < 0)
		return diagnose_failed(err, LAYER_NETNS, "making the network namespace");
	AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || io_send(init, &kind, sizeof(kind), fd) < 0)
		return diagnose_failed(err, LAYER_NETNS, "making the network namespace");
	box_mark(b, LAYER_NETNS);
	return own_network_open(b, err);
}

/* Receives a message of init, and the descriptor with it. If init has ended, so does this process; the reason
 * has been reported. */
static int receive(int init, void *msg, size_t size, uint32_t expected)
{
	int fd = -1;
	uint32_t kind = 0;
	ssize_t n = io_recv(init, msg, size, &fd);

	if (n >= (ssize_t)sizeof(kind))
		memcpy(&kind, msg, sizeof(kind));
	if (n != (ssize_t)size || kind != expected)
		_exit(127);
	return fd;
}

/* This message means that the ids are mapped. */
static int become_user(struct box *b, int init, struct err *err)
{
	struct wire_go go;

	receive(init, &go, sizeof(go), WIRE_GO);
	b->outer_uid = go.outer_uid;
	b->outer_gid = go.outer_gid;
	b->privileged = go.privileged;
	return ids_become(b, err);
}

/* When memory runs out, on the host or in the box, the kernel shall kill the program and not init. */
static void prefer_for_oom(void)
{
	(void)!io_write_text(AT_FDCWD, "/proc/self/oom_score_adj", "1000");
}

/* Late, because the supervisor makes the cgroup meanwhile. Init and this process share the socket; init took
 * its own message before it sent WIRE_GO, so the next one is for this process. */
static int enter_cgroup(struct box *b, struct err *err)
{
	uint32_t kind = 0;
	int joins[CGROUP_DIRS_MAX];
	size_t count = CGROUP_DIRS_MAX;

	if (io_recv_fds(b->ctl, &kind, sizeof(kind), joins, &count) != sizeof(kind) ||
	    kind != WIRE_JOIN)
		_exit(127);
	return cgroup_join(joins, (int)count, err);
}

static int leave_session(struct box *b, struct err *err)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (!box_wants(b, LAYER_SESSION))
		return 0;
	if (setsid() < 0) {
		err_errno(err, ERR_LAYER, "leaving the caller's session");
		err_blame(err, "session");
		return -1;
	}
	box_mark(b, LAYER_SESSION);
	return 0;
}

/* The exec closes them, because errors must get out until then. A program that exchanges messages with cordon
 * first (SPEC_CHANNEL) keeps two. */
static int close_inherited(struct box *b, struct err *err)
{
	if (!box_wants(b, LAYER_FDS))
		return 0;
	bool talks = b->spec->flags & SPEC_CHANNEL;
	if (close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) < 0 ||
	    (talks && (fcntl(CHANNEL_FD, F_SETFD, 0) < 0 || fcntl(PARTS_FD, F_SETFD, 0) < 0))) {
		err_errno(err, ERR_LAYER, "closing inherited descriptors");
		err_blame(err, "fds");
		return -1;
	}
	box_mark(b, LAYER_FDS);
	return 0;
}

/* Init has moved this process into the finished root. It has made the Landlock rules too, unless they name
 * this process's own /proc. */
static int enter_root(struct box *b, int init, int *ret_rules, struct err *err)
{
	struct wire_ready ready = {0};

	*ret_rules = init >= 0 ? receive(init, &ready, sizeof(ready), WIRE_READY) : -1;
	b->layers |= ready.layers;
	if (*ret_rules < 0 && landlock_open(b, ret_rules, err) < 0)
		return -1;
	if (chdir(b->spec->cwd) < 0)
		return err_errno(err, ERR_INPUT, "entering %s", b->spec->cwd);
	return 0;
}

/* The socket of the resolver was made with the network namespace. */
static int hand_over_resolver(struct box *b, struct err *err)
{
	uint32_t kind = WIRE_RESOLVER;

	if (b->resolver < 0)
		return 0;
	if (io_send(b->ctl, &kind, sizeof(kind), b->resolver) < 0)
		return err_errno(err, ERR_SYSTEM, "handing over the resolver");
	scope_close(&b->resolver);
	return 0;
}

/* The filter is on: from here this process may use allowed calls only. */
static int hand_over_listener(struct box *b, int listener, struct err *err)
{
	struct wire_listener msg = {WIRE_LISTENER, b->layers};

	if (hand_over_resolver(b, err) < 0)
		return -1;
	if (io_send(b->ctl, &msg, sizeof(msg), listener) < 0)
		return err_errno(err, ERR_SYSTEM, "handing over the listener");
	if (listener < 0) /* a mutant without seccomp */
		return 0;
	close(listener);
	return seccomp_self_test(box_may_exec(b), err);
}

static char **program_env(struct box *b)
{
#ifdef CORDON_MUTANT
	if (!box_wants(b, LAYER_ENV))
		return environ;
#endif
	box_mark(b, LAYER_ENV);
	return (char **)b->spec->env;
}

/* Without a root of its own, the program has its path on the host. */
static const char *program_path(const struct box *b)
{
	const struct spec *s = b->spec;

	for (size_t i = 0; !(b->layers & LAYER_BIT(LAYER_NEWROOT)) && i < s->bindc; i++)
		if (strcmp(s->bind[i].target, s->program) == 0)
			return s->bind[i].source;
	return s->program;
}

/* The steps that do not depend on the root. */
static int drop_rights(struct box *b, struct err *err)
{
	if (leave_session(b, err) < 0 || close_inherited(b, err) < 0 || creds_limit(b, err) < 0)
		return -1;
	return creds_drop_held(b, err);
}

/* Programs have the same ids as the starter, so only this keeps its memory and descriptors from them. */
static int hide_starter(const struct box *b, struct err *err)
{
	if (box_wants(b, LAYER_DUMPABLE) && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return err_errno(err, ERR_LAYER, "hiding the starter");
	return 0;
}

void program_exec(struct box *b, int init)
{
	const struct spec *s = b->spec;
	char **env = program_env(b);
	uint32_t alone;
	int rules, listener = -1;
	struct err err;

	if (drop_rights(b, &err) < 0 || enter_root(b, init, &rules, &err) < 0 ||
	    (s->flags & SPEC_LIVE && hide_starter(b, &err) < 0) ||
	    landlock_enter(b, rules, &err) < 0 || (init >= 0 && enter_cgroup(b, &err) < 0) ||
	    seccomp_load(b, &listener, &err) < 0 || hand_over_listener(b, listener, &err) < 0)
		box_give_up(b, &err);
	/* Without a pid namespace the death of init does not end the program. Its children do
	 * not inherit this. */
	if (s->tier == TIER_NO_USERNS)
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (init >= 0)
		receive(init, &alone, sizeof(alone), WIRE_ALONE);
	if (s->flags & SPEC_LIVE)
		starter_main(b);
	if (creds_limit_last(b, &err) < 0)
		box_give_up(b, &err);
	execve(program_path(b), (char **)s->argv, env);
	err_errno(&err, ERR_INPUT, "starting %s", s->program);
	if (errno == ENOENT)
		err_cause(&err, "the program, or the interpreter it names, is not in the box");
	box_give_up(b, &err);
}

static void __attribute__((noreturn)) program_main(struct box *b, int init)
{
	struct err err;

	cpu_yield(false);
	/* Not with a v1 cgroup: init is not in it, so the kernel cannot choose init. Before become_user,
	 * while this process may still write its /proc/self. */
	if (b->spec->tier != TIER_FULL || b->cgroup.ops)
		prefer_for_oom();
	if (make_network(b, init, &err) < 0 || become_user(b, init, &err) < 0)
		box_give_up(b, &err);
	program_exec(b, init);
}

int program_begin(struct box *b, struct program *ret, struct err *err)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_errno(err, ERR_SYSTEM, "making a socket pair");
	/* All arguments but the flags are 0, so their order, which differs by architecture, does
	 * not matter. */
	ret->pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (ret->pid == 0) {
		close(pair[0]);
		program_main(b, pair[1]);
	}
	close(pair[1]);
	if (ret->pid < 0)
		return spawn_explain(err, "the program's process");
	cpu_spread(ret->pid);
	ret->sock = pair[0];
	return 0;
}
