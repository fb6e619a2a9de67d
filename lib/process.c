/* SPDX-License-Identifier: MIT
 *
 * Starts the program cordon: code and input are memory files, never arguments; its lines come through one
 * pipe; whatever happens, it is dead, reaped and closed afterwards.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "private.h"

extern char **environ;

enum { INPUT_FD = 3, FIXED = 12 };

static int memory(const char *name, const void *data, size_t len)
{
	int fd = memfd_create(name, MFD_CLOEXEC);
	const char *at = data;

	while (fd >= 0 && len) {
		ssize_t n = write(fd, at, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			close(fd);
			return -1;
		}
		at += n;
		len -= (size_t)n;
	}
	if (fd >= 0)
		lseek(fd, 0, SEEK_SET);
	return fd;
}

static char **words_of(const struct cordon *c)
{
	char **argv = calloc(FIXED + c->options.count + c->arguments.count, sizeof(*argv));
	size_t n = 0;

	if (!argv)
		return NULL;
	argv[n++] = c->program ? c->program : "cordon";
	argv[n++] = "run";
	argv[n++] = "--events";
	if (!c->has_lang)
		argv[n++] = "--lang=python";
	if (c->input)
		argv[n++] = "--stdin=/proc/self/fd/3";
	for (size_t i = 0; i < c->options.count; i++)
		argv[n++] = c->options.word[i];
	argv[n++] = "--";
	argv[n++] = "-";
	argv[n++] = "--";
	for (size_t i = 0; i < c->arguments.count; i++)
		argv[n++] = c->arguments.word[i];
	return argv;
}

/* FROM on the places 0 to 3 of the child. All of them are above, so that no place is taken twice. */
static int spawn(const struct cordon *c, char **argv, const int from[4], pid_t *ret)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	int error = posix_spawn_file_actions_init(&actions);

	if (error)
		return error;
	posix_spawnattr_init(&attributes);
	sigemptyset(&none);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	for (int i = 0; error == 0 && i < (c->input ? 4 : 3); i++)
		error = posix_spawn_file_actions_adddup2(&actions, from[i], i);
	if (error == 0)
		error = posix_spawnp(ret, argv[0], &actions, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

/* Above the places of the child. */
static int lift(int fd)
{
	int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, INPUT_FD + 1);

	if (fd >= 0)
		close(fd);
	return high;
}

int child_start(struct cordon *c, const void *code, size_t len, struct child *ret)
{
	int pipes[2] = {-1, -1}, from[4], error = 0;
	char **argv = words_of(c);

	*ret = (struct child){.out = -1, .words = -1};
	if (pipe2(pipes, O_CLOEXEC) < 0)
		pipes[0] = pipes[1] = -1;
	from[0] = lift(memory("cordon-code", code, len));
	from[1] = lift(pipes[1]);
	from[2] = lift(memory("cordon-words", "", 0));
	from[3] = c->input ? lift(memory("cordon-input", c->input, c->input_len)) : -1;
	if (!argv || pipes[0] < 0 || from[0] < 0 || from[1] < 0 || from[2] < 0 ||
	    (c->input && from[3] < 0))
		error = errno ? errno : ENOMEM;
	else
		error = spawn(c, argv, from, &ret->pid);
	if (error)
		fail(c, "%s could not be started: %s", argv ? argv[0] : "cordon", strerror(error));
	ret->out = pipes[0];
	ret->words = from[2];
	for (int i = 0; i < 4; i++)
		if (i != 2 && from[i] >= 0)
			close(from[i]);
	free(argv);
	return error ? -1 : 0;
}

void child_end(struct child *child, bool kill_it, int *ret_status, char *words, size_t size)
{
	if (child->out >= 0)
		close(child->out);
	if (child->pid > 0 && kill_it)
		kill(child->pid, SIGKILL);
	while (child->pid > 0 && waitpid(child->pid, ret_status, 0) < 0 && errno == EINTR)
		;
	ssize_t n = child->words >= 0 ? pread(child->words, words, size - 1, 0) : 0;
	words[n > 0 ? n : 0] = '\0';
	if (child->words >= 0)
		close(child->words);
	*child = (struct child){.out = -1, .words = -1};
}
