/* SPDX-License-Identifier: MIT
 *
 * Starts the program cordon. Code, input and options are memory files, never arguments, because
 * every account can read arguments. Its lines come through one pipe. At the end, also after an
 * error, the program is dead and reaped and its descriptors are closed.
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

/* The descriptors of the child. */
enum { CODE, OUT, ERRORS, REQUEST, INPUT, CHILD_FDS };

static int memory_file(const char *name, const void *data, size_t len)
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

/* Appends WORD and its NUL. */
static int add_word(struct text *t, const char *word)
{
	size_t len = strlen(word) + 1;
	char *grown = realloc(t->data, t->len + len);

	if (!grown)
		return -1;
	memcpy(grown + t->len, word, len);
	t->data = grown;
	t->len += len;
	return 0;
}

static int add_words(struct text *t, const struct list *l)
{
	for (size_t i = 0; i < l->count; i++)
		if (add_word(t, l->word[i]) < 0)
			return -1;
	return 0;
}

/* A memory file with the options and arguments of the command. */
static int request_file(const struct cordon *c)
{
	struct text t = {0};
	int fd = -1;

	if ((c->has_lang || add_word(&t, "--lang=python") == 0) &&
	    add_words(&t, &c->options) == 0 && add_word(&t, "--") == 0 && add_word(&t, "-") == 0 &&
	    add_word(&t, "--") == 0 && add_words(&t, &c->arguments) == 0)
		fd = memory_file("cordon-request", t.data, t.len);
	free(t.data);
	return fd;
}

/* The child gets FROM as its descriptors 0 to CHILD_FDS. All of FROM are higher, so none is
 * overwritten. */
static int spawn(char **argv, const int from[CHILD_FDS], pid_t *ret)
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
	for (int i = 0; error == 0 && i < CHILD_FDS && from[i] >= 0; i++)
		error = posix_spawn_file_actions_adddup2(&actions, from[i], i);
	if (error == 0)
		error = posix_spawn(ret, argv[0], &actions, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

/* Moves FD above the descriptors of the child. */
static int move_up(int fd)
{
	int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, CHILD_FDS);

	if (fd >= 0)
		close(fd);
	return high;
}

int child_start(struct cordon *c, const void *code, size_t len, struct child *ret)
{
	char *program = c->program ? c->program : CORDON_PROGRAM;
	char *argv[] = {program,
			"run",
			"--events",
			"--words=3",
			c->input ? "--stdin=/proc/self/fd/4" : NULL,
			NULL};
	int pipes[2] = {-1, -1}, from[CHILD_FDS], error = 0;

	*ret = (struct child){.out = -1, .errors = -1};
	if (pipe2(pipes, O_CLOEXEC) < 0)
		pipes[0] = pipes[1] = -1;
	from[CODE] = move_up(memory_file("cordon-code", code, len));
	from[OUT] = move_up(pipes[1]);
	from[ERRORS] = move_up(memory_file("cordon-words", "", 0));
	from[REQUEST] = move_up(request_file(c));
	from[INPUT] = c->input ? move_up(memory_file("cordon-input", c->input, c->input_len)) : -1;
	if (pipes[0] < 0 || from[CODE] < 0 || from[OUT] < 0 || from[ERRORS] < 0 ||
	    from[REQUEST] < 0 || (c->input && from[INPUT] < 0))
		error = errno ? errno : ENOMEM;
	else
		error = spawn(argv, from, &ret->pid);
	if (error)
		fail(c, "cannot start %s: %s", program, strerror(error));
	ret->out = pipes[0];
	ret->errors = from[ERRORS];
	for (int i = 0; i < CHILD_FDS; i++)
		if (i != ERRORS && from[i] >= 0)
			close(from[i]);
	return error ? -1 : 0;
}

void child_end(struct child *child, bool kill_it, int *ret_status, char *errors, size_t size)
{
	if (child->out >= 0)
		close(child->out);
	if (child->pid > 0 && kill_it)
		kill(child->pid, SIGKILL);
	while (child->pid > 0 && waitpid(child->pid, ret_status, 0) < 0 && errno == EINTR)
		;
	ssize_t n = child->errors >= 0 ? pread(child->errors, errors, size - 1, 0) : 0;
	errors[n > 0 ? n : 0] = '\0';
	if (child->errors >= 0)
		close(child->errors);
	*child = (struct child){.out = -1, .errors = -1};
}
