/* SPDX-License-Identifier: MIT
 *
 * vfork would hold us until the program is loaded, fork would copy our pages, and posix_spawn does the
 * first and asks for every signal's handler before. So: a child in our memory with a stack of its own,
 * and nobody waits. It writes nothing but that stack and, when it fails, the reason; it must never do
 * more than this, and call no function of the library.
 */
#include "flow/spawn_private.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/pages.h"
#include "base/raw.h"
#include "base/spread.h"
#include "model/spec.h"

enum { STACK_SIZE = 16384 };

struct spawn {
	_Alignas(16) char stack[STACK_SIZE];
	char path[PATH_MAX];
	int source[SPAWN_FDS];
	volatile int failed;
};

static int __attribute__((noreturn)) become(void *arg)
{
	static const int places[SPAWN_FDS] = {STDOUT_FILENO, STDERR_FILENO, RESULT_FD};
	static char name[] = "cordon-box";
	char *const argv[] = {name, NULL};
#ifdef CORDON_MUTANT
	char **env = environ; /* CORDON_WITHOUT, and the secrets a mutant is to leak */
#else
	static char *env[] = {NULL};
#endif
	struct spawn *s = arg;
	long r = 0;

	for (int i = 0; r >= 0 && i < SPAWN_FDS; i++)
		r = raw_call(SYS_dup3, s->source[i], places[i], 0);
	if (r >= 0)
		r = raw_call(SYS_execve, (long)s->path, (long)argv, (long)env);
	s->failed = (int)-r;
	for (;;)
		raw_call(SYS_exit_group, 127, 0, 0);
}

struct spawn *spawn_new(const char *path, const int sources[SPAWN_FDS], pid_t *ret)
{
	struct spawn *s = pages_new(sizeof(*s));

	if (!s)
		return NULL;
	snprintf(s->path, sizeof(s->path), "%s", path);
	memcpy(s->source, sources, sizeof(s->source));
	*ret = clone(become, s->stack + STACK_SIZE, CLONE_VM | SIGCHLD, s);
	if (*ret < 0) {
		int why = errno;
		pages_free(s);
		errno = why;
		return NULL;
	}
	spread(*ret);
	return s;
}

int spawn_failed(const struct spawn *s)
{
	return s ? s->failed : 0;
}

void spawn_free(struct spawn *s)
{
	pages_free(s);
}
