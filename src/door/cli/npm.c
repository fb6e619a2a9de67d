/* SPDX-License-Identifier: MIT
 *
 * npm has a process group of its own, which is killed at its end. If Cordon is killed, the kernel
 * kills npm. npm's standard error becomes the cause of an error.
 */
#include "door/cli/npm.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"

/* The environment that npm and its configuration use, in upper or lower case. */
static const char *const passed[] = {"path=",
				     "home=",
				     "npm_",
				     "http_proxy=",
				     "https_proxy=",
				     "no_proxy=",
				     "node_extra_ca_certs="};

static char **make_environment(void)
{
	size_t count = 0;
	char **env;

	while (environ && environ[count])
		count++;
	env = calloc(count + 1, sizeof(*env));
	for (size_t i = 0, kept = 0; env && i < count; i++)
		for (size_t k = 0; k < ARRAY_SIZE(passed); k++)
			if (strncasecmp(environ[i], passed[k], strlen(passed[k])) == 0)
				env[kept++] = environ[i];
	return env;
}

/* The child shares the parent's memory until it executes npm. */
static pid_t start(const struct npm_call *call, char **env, int null, int errors)
{
	volatile int failed = 0;
	pid_t parent = getpid(), pid = vfork();

	if (pid == 0) {
		if (setpgid(0, 0) == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 &&
		    getppid() == parent && fchdir(call->directory) == 0 && dup2(null, 0) >= 0 &&
		    dup2(null, 1) >= 0 && dup2(errors, 2) >= 0 &&
		    sigprocmask(SIG_UNBLOCK, call->ending, NULL) == 0)
			execvpe("npm", (char *const *)call->args, env);
		failed = errno;
		_exit(1);
	}
	if (pid > 0 && failed) {
		waitpid(pid, NULL, 0);
		errno = failed;
		return -1;
	}
	return pid;
}

/* Reads npm's messages into TEXT until npm has ended. */
static int watch(const struct npm_call *call, pid_t pid, int errors, char *text, struct err *err)
{
	AUTO_CLOSE int process = (int)syscall(SYS_pidfd_open, pid, 0);
	AUTO_CLOSE int signals = signalfd(-1, call->ending, SFD_CLOEXEC);
	struct pollfd p[] = {{process, POLLIN, 0}, {signals, POLLIN, 0}, {errors, POLLIN, 0}};
	uint64_t end = io_now_ns() + call->seconds * UINT64_C(1000000000), now;
	size_t len = 0;

	if (process < 0 || signals < 0)
		return err_errno(err, ERR_SYSTEM, "cannot watch npm");
	while ((now = io_now_ns()) < end) {
		int n = poll(p, ARRAY_SIZE(p), (int)((end - now) / 1000000) + 1);
		if (n < 0 && errno != EINTR)
			return err_errno(err, ERR_SYSTEM, "cannot watch npm");
		if (n <= 0)
			continue;
		if (p[1].revents)
			return err_set(err, ERR_SYSTEM, "interrupted");
		if (p[2].revents) {
			ssize_t got = read(errors, text + len, NPM_ERRORS_MAX + 1 - len);
			len += got > 0 ? (size_t)got : 0;
			p[2].fd = got > 0 ? errors : -1;
			if (len > NPM_ERRORS_MAX)
				return err_set(err, ERR_LIMIT, "npm wrote more than %d bytes",
					       NPM_ERRORS_MAX);
		} else if (p[0].revents) {
			return 0;
		}
	}
	return err_set(err, ERR_LIMIT, "npm did not end within %u seconds", call->seconds);
}

/* The group's number is not reused before npm is reaped. */
static int finish(pid_t pid, int watched, struct err *err)
{
	int status = 0;
	pid_t reaped;

	kill(-pid, SIGKILL);
	do
		reaped = waitpid(pid, &status, 0);
	while (reaped < 0 && errno == EINTR);
	if (watched < 0)
		return -1;
	if (reaped < 0)
		return err_errno(err, ERR_SYSTEM, "cannot tell how npm ended");
	if (WIFSIGNALED(status))
		return err_set(err, ERR_SYSTEM, "npm was ended by signal %d", WTERMSIG(status));
	if (WEXITSTATUS(status) == 0)
		return 0;
	err_set(err, ERR_SYSTEM, "npm failed");
	err_cure(err, "check the network and npm's configuration: npm ping");
	return -1;
}

static int run(const struct npm_call *call, char *text, struct err *err)
{
	AUTO_FREE char **env = make_environment();
	AUTO_CLOSE int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int pair[2] = {-1, -1};
	int made = pipe2(pair, O_CLOEXEC);
	AUTO_CLOSE int errors = pair[0], child_errors = pair[1];

	if (!env)
		return err_memory(err);
	if (null < 0 || made < 0)
		return err_errno(err, ERR_SYSTEM, "cannot prepare to start npm");
	pid_t pid = start(call, env, null, child_errors);
	if (pid < 0) {
		err_errno(err, ERR_SYSTEM, "cannot start npm");
		err_cure(err,
			 "install npm (Debian: apt install npm); the built-in rules need none");
		return -1;
	}
	scope_close(&child_errors);
	return finish(pid, watch(call, pid, errors, text, err), err);
}

int npm_run(const struct npm_call *call, struct err *err)
{
	AUTO_FREE char *text = calloc(1, NPM_ERRORS_MAX + 2);

	if (!text)
		return err_memory(err);
	int result = run(call, text, err);
	for (char *p = text; (p = strchr(p, '\n'));)
		*p = ' ';
	if (result < 0 && *text)
		err_cause(err, "%.350s", text);
	return result;
}
