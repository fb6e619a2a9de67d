/* SPDX-License-Identifier: MIT
 *
 * What it says goes through pipes, of which the beginning is kept and the rest is counted: npm may say
 * a lot, but not without end. The words of its standard error become the cause. It has a time after
 * which it is ended, and with it whatever it started: they are a process group of their own. So a
 * signal from the terminal no longer reaches them; it is taken here, and ends them too.
 */
#include "cli/npm.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/scope.h"

enum { CAUSE_MAX = 256 };

/* One of its two outputs. */
struct said {
	int fd;		  /* -1: it has ended */
	char *text;	  /* the beginning */
	size_t room, len; /* of it */
	size_t all;	  /* bytes that came */
};

enum { OUT, ERRORS, STREAMS };

struct child {
	pid_t pid;
	struct said said[STREAMS];
	sigset_t before; /* the signals that were blocked when it was started */
};

static int set_up(posix_spawn_file_actions_t *actions, const struct npm_call *call, const int *fd)
{
	int result = posix_spawn_file_actions_addchdir_np(actions, call->directory);

	if (result == 0)
		result = posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);
	for (int i = 0; result == 0 && i < STREAMS; i++)
		result = posix_spawn_file_actions_adddup2(actions, fd[i], i + 1);
	return result;
}

static int spawn(const struct npm_call *call, const int *fd, struct child *c)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int result = posix_spawn_file_actions_init(&actions);

	if (result != 0)
		return result;
	result = posix_spawnattr_init(&attributes);
	if (result != 0) {
		posix_spawn_file_actions_destroy(&actions);
		return result;
	}
	result = set_up(&actions, call, fd);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setsigmask(&attributes, &c->before);
	if (result == 0)
		result = posix_spawnp(&c->pid, "npm", &actions, &attributes,
				      (char *const *)call->args, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return result;
}

/* What is there now; the beginning is kept. */
static void hear(struct said *s)
{
	char part[4096];
	ssize_t n;

	while (s->fd >= 0 && s->all <= NPM_SAID_MAX) {
		n = read(s->fd, part, sizeof(part));
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0) {
			scope_close(&s->fd);
			return;
		}
		size_t room = s->room - 1 - s->len, kept = (size_t)n < room ? (size_t)n : room;
		memcpy(s->text + s->len, part, kept);
		s->len += kept;
		s->text[s->len] = '\0';
		s->all += (size_t)n;
	}
}

static int hear_all(struct child *c, struct err *err)
{
	for (int i = 0; i < STREAMS; i++) {
		hear(&c->said[i]);
		if (c->said[i].all > NPM_SAID_MAX)
			return err_set(err, ERR_LIMIT, "npm says more than %d bytes", NPM_SAID_MAX);
	}
	return 0;
}

enum { PROCESS = STREAMS, TIMER, SIGNALS, WATCHED };

/* 1: it is over, 0: not yet. */
static int look(struct child *c, struct pollfd *p, unsigned seconds, struct err *err)
{
	int n;

	for (int i = 0; i < STREAMS; i++)
		p[i] = (struct pollfd){.fd = c->said[i].fd, .events = POLLIN};
	do
		n = poll(p, WATCHED, -1);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return err_errno(err, ERR_SYSTEM, "npm cannot be watched");
	if (p[SIGNALS].revents)
		return err_set(err, ERR_SYSTEM, "it was interrupted");
	if (p[TIMER].revents)
		return err_set(err, ERR_LIMIT, "npm did not come to its end in %u seconds",
			       seconds);
	if (hear_all(c, err) < 0)
		return -1;
	return p[PROCESS].revents != 0;
}

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

/* Until it is over. A timer goes on while the wait is interrupted. */
static int watch(struct child *c, unsigned seconds, struct err *err)
{
	const struct itimerspec limit = {.it_value.tv_sec = seconds};
	sigset_t set;
	int over = 0;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		sigaddset(&set, ending[i]);
	AUTO_CLOSE int process = (int)syscall(SYS_pidfd_open, c->pid, 0);
	AUTO_CLOSE int timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC);
	AUTO_CLOSE int signals = signalfd(-1, &set, SFD_CLOEXEC);
	struct pollfd p[WATCHED] = {[PROCESS] = {.fd = process, .events = POLLIN},
				    [TIMER] = {.fd = timer, .events = POLLIN},
				    [SIGNALS] = {.fd = signals, .events = POLLIN}};
	if (process < 0 || timer < 0 || signals < 0 || timerfd_settime(timer, 0, &limit, NULL) < 0)
		return err_errno(err, ERR_SYSTEM, "npm cannot be watched");
	while (over == 0)
		over = look(c, p, seconds, err);
	if (p[SIGNALS].revents) { /* it is told as an error; it must not come once more */
		struct signalfd_siginfo info;
		(void)!read(signals, &info, sizeof(info));
	}
	return over < 0 ? -1 : 0;
}

/* It is gone when this returns, and so is what it has left: until it is reaped, nobody else can have
 * the group's number. */
static int wait_for(struct child *c, unsigned seconds, struct err *err)
{
	int status, watched = watch(c, seconds, err);
	pid_t reaped;

	kill(-c->pid, SIGKILL);
	do
		reaped = waitpid(c->pid, &status, 0);
	while (reaped < 0 && errno == EINTR);
	if (watched < 0 || hear_all(c, err) < 0)
		return -1;
	if (reaped < 0)
		return err_errno(err, ERR_SYSTEM, "how npm ended is not known");
	if (WIFSIGNALED(status))
		return err_set(err, ERR_SYSTEM, "npm was ended by signal %d", WTERMSIG(status));
	return WEXITSTATUS(status) == 0 ? 0 : err_set(err, ERR_SYSTEM, "npm failed");
}

/* The lines in which npm says what is wrong, without what they begin with. */
static void find_cause(const char *text, struct err *err)
{
	static const char *const marks[] = {"npm error ", "npm ERR! "};
	char words[CAUSE_MAX] = "";
	size_t len = 0;

	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
		for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
			size_t skip = strlen(marks[i]);
			if (strncmp(line, marks[i], skip) != 0 || len + 1 >= sizeof(words))
				continue;
			len += (size_t)snprintf(words + len, sizeof(words) - len, "%s%.*s",
						len ? "; " : "", (int)strcspn(line + skip, "\n"),
						line + skip);
		}
	err_cause(err, "npm: %.300s", *words ? words : "it did not say");
}

static int run(const struct npm_call *call, struct child *c, struct err *err)
{
	AUTO_CLOSE int out = -1, errors = -1;
	int pair[STREAMS][2] = {{-1, -1}, {-1, -1}};

	for (int i = 0; i < STREAMS; i++)
		if (pipe2(pair[i], O_CLOEXEC) == 0)
			c->said[i].fd = pair[i][0];
	out = pair[OUT][1];
	errors = pair[ERRORS][1];
	for (int i = 0; i < STREAMS; i++)
		if (c->said[i].fd < 0 || fcntl(c->said[i].fd, F_SETFL, O_NONBLOCK) < 0)
			return err_errno(err, ERR_SYSTEM, "a pipe for what npm says");
	int fd[STREAMS] = {out, errors}, result = spawn(call, fd, c);
	if (result != 0) {
		err_set(err, ERR_SYSTEM, "npm could not be started: %s", strerror(result));
		err_cure(err, "install npm; the built-in pack needs none");
		return -1;
	}
	scope_close(&out);
	scope_close(&errors);
	if (wait_for(c, call->seconds, err) == 0)
		return 0;
	find_cause(c->said[ERRORS].text, err);
	err_cure(err, "look at the network; without one there is the built-in pack");
	return -1;
}

int npm_run(const struct npm_call *call, char *out, size_t size, struct err *err)
{
	char words[NPM_OUTPUT_MAX] = "";
	struct child c = {.said = {{-1, out, size, 0, 0}, {-1, words, sizeof(words), 0, 0}}};
	struct sigaction before, plain = {.sa_handler = SIG_DFL};
	sigset_t block;

	out[0] = '\0';
	sigemptyset(&block);
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		sigaddset(&block, ending[i]);
	sigprocmask(SIG_BLOCK, &block, &c.before);
	/* Who ignores this signal, as our caller may have left it, never hears how a child ended,
	 * and the child's number may be somebody else's when it is killed. */
	sigaction(SIGCHLD, &plain, &before);
	int result = run(call, &c, err);
	sigaction(SIGCHLD, &before, NULL);
	sigprocmask(SIG_SETMASK, &c.before, NULL);
	for (int i = 0; i < STREAMS; i++)
		scope_close(&c.said[i].fd);
	return result;
}
