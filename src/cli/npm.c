/* SPDX-License-Identifier: MIT
 *
 * Its output goes to files, so that nobody has to read two pipes at once, and to files without a
 * name: what npm leaves in its directory must never be opened as if it were ours, a FIFO would be
 * waited for. The last words of its standard error become the cause. It has a time after which it is
 * ended; one that cannot be watched is ended at once.
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
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"

enum { CAUSE_MAX = 256 };

/* A file in DIRECTORY that has lost its name already. */
static int nameless(const char *directory)
{
	AUTO_FREE char *path = NULL;

	if (asprintf(&path, "%s/npm-XXXXXX", directory) < 0) {
		path = NULL;
		return -1;
	}
	AUTO_CLOSE int fd = mkostemp(path, O_CLOEXEC);
	return fd >= 0 && unlink(path) == 0 ? scope_take_fd(&fd) : -1;
}

static int spawn(const struct npm_call *call, int out, int errors, pid_t *ret)
{
	posix_spawn_file_actions_t actions;
	int result = posix_spawn_file_actions_init(&actions);

	if (result != 0)
		return result;
	result = posix_spawn_file_actions_addchdir_np(&actions, call->directory);
	if (result == 0)
		result = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	if (result == 0)
		result = posix_spawn_file_actions_adddup2(&actions, out, 1);
	if (result == 0)
		result = posix_spawn_file_actions_adddup2(&actions, errors, 2);
	if (result == 0)
		result = posix_spawnp(ret, "npm", &actions, NULL, (char *const *)call->args,
				      environ);
	posix_spawn_file_actions_destroy(&actions);
	return result;
}

/* Until it is over. A timer goes on while the wait is interrupted. */
static int watch(pid_t pid, unsigned seconds, struct err *err)
{
	const struct itimerspec limit = {.it_value.tv_sec = seconds};
	AUTO_CLOSE int process = (int)syscall(SYS_pidfd_open, pid, 0);
	AUTO_CLOSE int timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC);
	struct pollfd p[] = {{.fd = process, .events = POLLIN}, {.fd = timer, .events = POLLIN}};
	int n = -1;

	if (process >= 0 && timer >= 0 && timerfd_settime(timer, 0, &limit, NULL) == 0)
		do
			n = poll(p, ARRAY_SIZE(p), -1);
		while (n < 0 && errno == EINTR);
	if (n < 0)
		return err_errno(err, ERR_SYSTEM, "npm cannot be watched");
	if (!p[0].revents)
		return err_set(err, ERR_LIMIT, "npm did not come to its end in %u seconds",
			       seconds);
	return 0;
}

/* It is gone when this returns. */
static int wait_for(pid_t pid, unsigned seconds, struct err *err)
{
	int status, watched = watch(pid, seconds, err);
	pid_t reaped;

	if (watched < 0)
		kill(pid, SIGKILL);
	do
		reaped = waitpid(pid, &status, 0);
	while (reaped < 0 && errno == EINTR);
	if (watched < 0)
		return -1;
	if (reaped < 0)
		return err_errno(err, ERR_SYSTEM, "how npm ended is not known");
	if (WIFSIGNALED(status))
		return err_set(err, ERR_SYSTEM, "npm was ended by signal %d", WTERMSIG(status));
	return WEXITSTATUS(status) == 0 ? 0 : err_set(err, ERR_SYSTEM, "npm failed");
}

/* What a file holds, cut to SIZE. */
static void read_back(int fd, char *buf, size_t size)
{
	ssize_t n = lseek(fd, 0, SEEK_SET) == 0 ? io_read_full(fd, buf, size - 1) : -1;

	buf[n > 0 ? n : 0] = '\0';
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

static int run(const struct npm_call *call, int output, int errors, struct err *err)
{
	char words[NPM_OUTPUT_MAX];
	pid_t pid;
	int result = spawn(call, output, errors, &pid);

	if (result != 0) {
		err_set(err, ERR_SYSTEM, "npm could not be started: %s", strerror(result));
		err_cure(err, "install npm; the built-in pack needs none");
		return -1;
	}
	if (wait_for(pid, call->seconds, err) == 0)
		return 0;
	read_back(errors, words, sizeof(words));
	find_cause(words, err);
	err_cure(err, "look at the network; without one there is the built-in pack");
	return -1;
}

int npm_run(const struct npm_call *call, char *out, size_t size, struct err *err)
{
	AUTO_CLOSE int output = nameless(call->directory), errors = nameless(call->directory);
	struct sigaction before, plain = {.sa_handler = SIG_DFL};

	if (output < 0 || errors < 0)
		return err_errno(err, ERR_SYSTEM, "a file for what npm says");
	/* Who ignores this signal, as our caller may have left it, never hears how a child ended,
	 * and the child's number may be somebody else's when it is killed. */
	sigaction(SIGCHLD, &plain, &before);
	int result = run(call, output, errors, err);
	sigaction(SIGCHLD, &before, NULL);
	read_back(output, out, size);
	return result;
}
