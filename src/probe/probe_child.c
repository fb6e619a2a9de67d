/* SPDX-License-Identifier: MIT
 *
 * The child process in which a canary runs, and the messages with it. The child has a deadline and leaves
 * nothing behind: it and its descendants are killed and reaped. Any outcome but a clear success is a failure.
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "box/sys.h"
#include "box/tree.h"
#include "probe/probe.h"

static const struct {
	enum layer layer;
	unsigned long flag;
	const char *file;
} spaces[PROBE_SPACES] = {
	{LAYER_USERNS, CLONE_NEWUSER, "user"},	     {LAYER_MOUNTNS, CLONE_NEWNS, "mnt"},
	{LAYER_PIDNS, CLONE_NEWPID, "pid"},	     {LAYER_NETNS, CLONE_NEWNET, "net"},
	{LAYER_IPCNS, CLONE_NEWIPC, "ipc"},	     {LAYER_UTSNS, CLONE_NEWUTS, "uts"},
	{LAYER_CGROUPNS, CLONE_NEWCGROUP, "cgroup"},
};

int probe_leak(struct err *err, const char *fmt, ...)
{
	char what[sizeof(err->message)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return err_set(err, ERR_LAYER, "the canary got through: %s", what);
}

int probe_untried(struct err *err, const char *fmt, ...)
{
	char what[sizeof(err->message)];
	int saved = errno;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	errno = saved;
	return err_errno(err, ERR_LAYER, "it could not be tried: %s", what);
}

uint32_t probe_usual_spaces(struct probe *p)
{
	if (p->proven & LAYER_BIT(LAYER_USERNS))
		return LAYER_BIT(LAYER_USERNS);
	p->spec.tier = TIER_NO_USERNS;
	return 0;
}

static void space_name(const char *file, char *ret, size_t size)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/ns/%s", file);
	ssize_t n = readlink(path, ret, size - 1);
	ret[n > 0 ? n : 0] = '\0';
}

/* The first check of a canary. It also keeps a canary from changing the host's own namespaces. */
static int check_spaces(struct probe *p, uint32_t wanted, struct err *err)
{
	char now[sizeof(p->outer[0])];

	for (size_t i = 0; i < PROBE_SPACES; i++) {
		if (!(wanted & LAYER_BIT(spaces[i].layer)))
			continue;
		space_name(spaces[i].file, now, sizeof(now));
		if (now[0] == '\0' || strcmp(now, p->outer[i]) == 0)
			return probe_leak(err, "it is in the host's own %s namespace",
					  spaces[i].file);
	}
	return 0;
}

struct ready {
	uint32_t kind; /* WIRE_GO */
	int32_t pid;
};

static int wait_for_go(struct probe *p, struct err *err)
{
	uint32_t kind;
	int fd = -1;

	if (io_recv(p->ctl, &kind, sizeof(kind), &fd) != sizeof(kind) || kind != WIRE_GO)
		return err_set(err, ERR_SYSTEM, "cordon-probe is dead");
	return 0;
}

int probe_ready(struct probe *p, struct err *err)
{
	struct ready hello = {WIRE_GO, getpid()};

	if (io_send(p->ctl, &hello, sizeof(hello), -1) < 0)
		return err_errno(err, ERR_SYSTEM, "talking to cordon-probe");
	return wait_for_go(p, err);
}

int probe_hand_over(struct probe *p, int listener, struct err *err)
{
	uint32_t kind = WIRE_LISTENER;

	if (listener < 0) /* a mutant without seccomp: the canary notices */
		return 0;
	if (io_send(p->ctl, &kind, sizeof(kind), listener) < 0)
		return err_errno(err, ERR_SYSTEM, "handing over the listener");
	close(listener);
	return 0;
}

int probe_become(struct probe *p, struct err *err)
{
	if (ids_become(&p->box, err) == 0)
		return 0;
	err_cause(err, "no process may become the box's user here: %s", err->message);
	err_cure(err, "run Cordon as an ordinary user, or as root with its capabilities");
	return -1;
}

static void __attribute__((noreturn))
canary_main(struct probe *p, uint32_t wanted, probe_fn *inside)
{
	struct wire_error failed = {.kind = WIRE_ERROR};
	uint32_t done = WIRE_DONE;

	/* Only the parent uses it, and no descendant of a canary may keep it open. */
	close(RESULT_FD);
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (wait_for_go(p, &failed.err) == 0 && check_spaces(p, wanted, &failed.err) == 0 &&
	    inside(p, &failed.err) == 0)
		io_send(p->ctl, &done, sizeof(done), -1);
	else
		io_send(p->ctl, &failed, sizeof(failed), -1);
	_exit(0);
}

union message {
	uint32_t kind;
	struct ready hello;
	struct wire_error error;
};

enum state { STATE_RUNNING, STATE_PROVEN, STATE_FAILED, STATE_ENDED };

static enum state on_message(struct probe *p, const struct probe_part *part, struct err *err)
{
	union message m;
	uint32_t go = WIRE_GO;
	int fd = -1;
	ssize_t n = io_recv(p->ctl, &m, sizeof(m), &fd);
	AUTO_CLOSE int passed = n > 0 ? fd : -1;

	if (n < (ssize_t)sizeof(m.kind))
		return STATE_ENDED;
	if (m.kind == WIRE_DONE)
		return STATE_PROVEN;
	if (m.kind == WIRE_LISTENER) {
		p->listener.fd = scope_take_fd(&passed);
		return STATE_RUNNING;
	}
	if (m.kind == WIRE_ERROR && n == sizeof(m.error)) {
		*err = m.error.err;
		err_sanitise(err);
		return STATE_FAILED;
	}
	p->program = m.hello.pid;
	if (part->ready && part->ready(p, err) < 0)
		return STATE_FAILED;
	return io_send(p->ctl, &go, sizeof(go), -1) < 0 ? STATE_ENDED : STATE_RUNNING;
}

/* Serves the canary until it reports an outcome or its socket ends. */
static enum state serve(struct probe *p, const struct probe_part *part, struct err *err)
{
	for (;;) {
		struct pollfd fds[] = {{.fd = p->ctl, .events = POLLIN},
				       {.fd = p->listener.fd, .events = POLLIN}};
		uint64_t now = io_now_ns();
		int left = now < p->deadline_ns ? (int)((p->deadline_ns - now) / 1000000U) + 1 : 0;
		int n = poll(fds, ARRAY_SIZE(fds), left);
		if (n == 0 || (n < 0 && errno != EINTR)) {
			err_set(err, ERR_LAYER, "the canary gave no answer in time");
			err_cure(err, "try again when the machine is less busy");
			return STATE_FAILED;
		}
		if (n > 0 && (fds[1].revents & POLLIN) &&
		    listener_answer(&p->listener, &p->box, err) < 0)
			return STATE_FAILED;
		if (n > 0 && !(fds[1].revents & POLLIN) && (fds[1].revents & POLLHUP))
			listener_close(&p->listener);
		enum state w = n > 0 && fds[0].revents ? on_message(p, part, err) : STATE_RUNNING;
		if (w != STATE_RUNNING)
			return w;
	}
}

/* cordon-probe is the subreaper: orphans of a canary become its children. */
static void bury(struct probe *p)
{
	kill(p->child, SIGKILL);
	while (waitpid(p->child, &p->status, 0) < 0 && errno == EINTR)
		;
	for (int rounds = 0; rounds < 100; rounds++) {
		pid_t left = waitpid(-1, NULL, WNOHANG);
		if (left < 0 && errno != EINTR)
			return;
		if (left == 0) {
			tree_kill(getpid());
			waitpid(-1, NULL, 0);
		}
	}
}

static int explain_clone(struct probe *p, uint32_t wanted, struct err *err)
{
	enum layer last = LAYER_USERNS;

	err_errno(err, ERR_LAYER, "making namespaces");
	for (int l = 0; l < LAYER_COUNT; l++)
		if (wanted & ~p->proven & LAYER_BIT(l))
			last = (enum layer)l;
	diagnose_layer(err, last);
	if (err->cause[0] == '\0') {
		err_cause(err, "the kernel, or a filter around Cordon, refuses it: %s",
			  strerror(err->sys_errno));
		err_cure(err, "allow this namespace there, or ask for --tier no-userns");
	}
	return -1;
}

/* clone and not clone3, which fails with ENOSYS in some containers. Both architectures take
 * these arguments in the same order. */
static int start(struct probe *p, uint32_t wanted, probe_fn *inside, struct err *err)
{
	unsigned long flags = SIGCHLD;
	int pair[2];

	for (size_t i = 0; i < PROBE_SPACES; i++) {
		space_name(spaces[i].file, p->outer[i], sizeof(p->outer[i]));
		if ((wanted & LAYER_BIT(spaces[i].layer)) && box_wants(&p->box, spaces[i].layer)) {
			flags |= spaces[i].flag;
			box_mark(&p->box, spaces[i].layer);
		}
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_errno(err, ERR_SYSTEM, "making a socket pair");
	p->child = (pid_t)syscall(SYS_clone, flags, NULL, NULL, NULL, NULL);
	if (p->child == 0) {
		close(pair[0]);
		p->ctl = pair[1];
		canary_main(p, wanted, inside);
	}
	int saved = errno;
	close(pair[1]);
	p->ctl = pair[0];
	errno = saved;
	return p->child < 0 ? explain_clone(p, wanted, err) : 0;
}

static enum state judge_end(struct probe *p, const struct probe_part *part, struct err *err)
{
	if (part->ended)
		return part->ended(p, err) == 0 ? STATE_PROVEN : STATE_FAILED;
	err_set(err, ERR_LAYER, "the canary died");
	return STATE_FAILED;
}

int probe_child(struct probe *p, uint32_t wanted, const struct probe_part *part, struct err *err)
{
	uint32_t go = WIRE_GO;
	enum state w = STATE_FAILED;

	p->parent = getpid();
	listener_init(&p->listener);
	p->listener.events = part->events;
	p->listener.blind = true;
	if (start(p, wanted, part->inside, err) < 0) {
		scope_close(&p->ctl);
		return -1;
	}
	bool mapped = p->box.layers & LAYER_BIT(LAYER_USERNS);
	if (!mapped || ids_map(&p->box, p->child, err) == 0) {
		io_send(p->ctl, &go, sizeof(go), -1);
		w = serve(p, part, err);
	}
	if (w == STATE_ENDED)
		w = judge_end(p, part, err);
	listener_close(&p->listener);
	scope_close(&p->ctl);
	bury(p);
	return w == STATE_PROVEN ? 0 : -1;
}
