/* SPDX-License-Identifier: MIT
 *
 * Its output goes to files in its directory, so that nobody has to read two pipes at once; the last
 * words of its standard error become the cause. It has a time after which it is ended.
 */
#include "cli/npm.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
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

#define OUT_NAME "npm.out"
#define ERR_NAME "npm.err"

enum { CAUSE_MAX = 256 };

static int spawn(const char *directory, const char *const *args, pid_t *ret)
{
	posix_spawn_file_actions_t actions;
	int create = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW;
	int result = posix_spawn_file_actions_init(&actions);

	if (result == 0)
		result = posix_spawn_file_actions_addchdir_np(&actions, directory);
	if (result == 0)
		result = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	if (result == 0)
		result = posix_spawn_file_actions_addopen(&actions, 1, OUT_NAME, create, 0600);
	if (result == 0)
		result = posix_spawn_file_actions_addopen(&actions, 2, ERR_NAME, create, 0600);
	if (result == 0)
		result = posix_spawnp(ret, "npm", &actions, NULL, (char *const *)args, environ);
	posix_spawn_file_actions_destroy(&actions);
	return result;
}

/* Is it over by TIMER's time? One that cannot be watched is late at once. */
static bool is_over(int process, int timer)
{
	struct pollfd p[] = {{.fd = process, .events = POLLIN}, {.fd = timer, .events = POLLIN}};
	int n;

	do
		n = poll(p, ARRAY_SIZE(p), -1);
	while (n < 0 && errno == EINTR);
	return n > 0 && p[0].revents;
}

/* Its status, or -1 when it had to be ended. A timer goes on while the wait is interrupted. */
static int wait_for(pid_t pid)
{
	static const struct itimerspec limit = {.it_value.tv_sec = NPM_SECONDS};
	AUTO_CLOSE int process = (int)syscall(SYS_pidfd_open, pid, 0);
	AUTO_CLOSE int timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC);
	int status = 0;
	bool late = process < 0 || timer < 0 || timerfd_settime(timer, 0, &limit, NULL) < 0 ||
		    !is_over(process, timer);

	if (late)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return late || !WIFEXITED(status) ? -1 : WEXITSTATUS(status);
}

/* What a file in DIRECTORY holds, cut to SIZE. */
static void read_file(const char *directory, const char *name, char *buf, size_t size)
{
	AUTO_FREE char *path = NULL;
	ssize_t n = -1;

	if (asprintf(&path, "%s/%s", directory, name) < 0)
		path = NULL;
	AUTO_CLOSE int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
	if (fd >= 0)
		n = io_read_full(fd, buf, size - 1);
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

int npm_run(const char *directory, const char *const *args, char *out, size_t size, struct err *err)
{
	char words[NPM_OUTPUT_MAX];
	pid_t pid;
	int result = spawn(directory, args, &pid);

	if (result != 0) {
		err_set(err, ERR_SYSTEM, "npm could not be started: %s", strerror(result));
		err_cure(err, "install npm; the built-in pack needs none");
		return -1;
	}
	result = wait_for(pid);
	read_file(directory, OUT_NAME, out, size);
	if (result == 0)
		return 0;
	read_file(directory, ERR_NAME, words, sizeof(words));
	err_set(err, ERR_SYSTEM, result < 0 ? "npm did not come to its end" : "npm failed");
	find_cause(words, err);
	err_cure(err, "look at the network; without one there is the built-in pack");
	return -1;
}
