/* SPDX-License-Identifier: MIT
 *
 * npm as a child, with scripts in its place: what it is given, how it may fail, and that nothing of it
 * is left. The real one is tested with the command (rules_fetch.bats).
 */
#include "door/cli/npm.h"

#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "scratch.h"
#include "tap.h"

static char path[64], npm[64]; /* not in the scratch directory: nothing may be run from memory */
static sigset_t ending;

static int run_args(const char *const *args, unsigned seconds, struct err *err)
{
	int work = open("work", O_RDONLY | O_DIRECTORY | O_CLOEXEC), result;
	const struct npm_call call = {work, args, seconds, &ending};

	*err = (struct err){0};
	result = npm_run(&call, err);
	close(work);
	return result;
}

/* SCRIPT is what npm does. */
static int run(const char *script, unsigned seconds, struct err *err)
{
	static const char *const args[] = {"npm", "pack", "--", "name", NULL};
	char text[512];

	snprintf(text, sizeof(text), "#!/bin/sh\n%s\n", script);
	scratch_file(npm, text, 0755);
	return run_args(args, seconds, err);
}

static bool is_quiet(void)
{
	return waitpid(-1, NULL, WNOHANG) < 0;
}

static void test_start(void)
{
	struct err err;

	ok(run("test \"$*\" = 'pack -- name' && test -z \"$(cat)\" && echo >here", 60, &err) == 0 &&
		   scratch_exists("work/here"),
	   "its words, its directory, no input");
	setenv("NODE_OPTIONS", "--require=/x", 1);
	setenv("NPM_TOKEN", "t", 1);
	setenv("npm_config_registry", "r", 1);
	setenv("HTTPS_PROXY", "p", 1);
	setenv("PATHS", "x", 1);
	setenv("CORDON_X", "x", 1);
	ok(run("env | cut -d= -f1 | grep -vxE 'PWD|OLDPWD|SHLVL|_' | sort | tr '\\n' ' ' >env; "
	       "test \"$(cat env)\" = 'HOME HTTPS_PROXY NPM_TOKEN PATH npm_config_registry '",
	       60, &err) == 0,
	   "its environment: %s", err.message);
	scratch_must(system("rm work/env work/here") == 0, "work");
	ok(run("yes | head -c 10000000", 60, &err) == 0, "standard output is not read");
}

static void test_errors(void)
{
	struct err err;

	ok(run("echo npm error sorry >&2; echo more >&2; exit 3", 60, &err) < 0 &&
		   strcmp(err.message, "npm failed") == 0 &&
		   strcmp(err.cause, "npm error sorry more ") == 0 && strstr(err.cure, "npm ping"),
	   "%s: %s", err.message, err.cause);
	ok(run("kill -9 $$", 60, &err) < 0 && strstr(err.message, "signal 9"), "%s", err.message);
	ok(run("head -c 65536 /dev/zero | tr '\\0' a >&2", 60, &err) == 0, "as much as it may");
	ok(run("head -c 65537 /dev/zero | tr '\\0' a >&2", 60, &err) < 0 && err.code == ERR_LIMIT,
	   "one byte more: %s", err.message);
	ok(run("yes >&2", 60, &err) < 0 && err.code == ERR_LIMIT && is_quiet(),
	   "one that does not stop: %s", err.message);
	ok(run("exec sleep 600", 1, &err) < 0 && err.code == ERR_LIMIT &&
		   strstr(err.message, "within 1 seconds") && is_quiet(),
	   "one that does not end: %s", err.message);
	unlink(npm);
	setenv("PATH", "/nowhere", 1);
	ok(run_args((const char *const[]){"npm", NULL}, 60, &err) < 0 && is_quiet() &&
		   strcmp(err.message, "cannot start npm: No such file or directory") == 0 &&
		   strstr(err.cure, "install npm"),
	   "%s: %s", err.message, err.cure);
	setenv("PATH", path, 1);
}

/* What npm started holds a lock as long as it lives. */
static void test_children(void)
{
	static const char left[] = "flock -o lock sh -c 'echo >ready; exec sleep 600' & "
				   "until [ -e ready ]; do sleep 0.01; done; ";
	struct err err;
	char text[256];

	snprintf(text, sizeof(text), "%s sleep 600", left);
	ok(run(text, 2, &err) < 0 && err.code == ERR_LIMIT, "one with a child: %s", err.message);
	ok(system("flock -w 20 work/lock true; r=$?; rm -f work/ready; exit $r") == 0,
	   "the child is ended too");
	snprintf(text, sizeof(text), "%s echo done", left);
	ok(run(text, 60, &err) == 0, "one that leaves a child: %s", err.message);
	ok(system("flock -w 20 work/lock true; r=$?; rm -f work/ready work/lock; exit $r") == 0,
	   "that is not left either");
}

/* A signal from the terminal reaches Cordon alone: npm has a group of its own. */
static void test_interrupted(void)
{
	const struct timespec none = {0};
	struct err err;

	sigprocmask(SIG_BLOCK, &ending, NULL);
	ok(run("kill -INT $PPID; exec sleep 600", 60, &err) < 0 &&
		   strcmp(err.message, "interrupted") == 0 && is_quiet(),
	   "a signal ends it: %s", err.message);
	ok(sigtimedwait(&ending, NULL, &none) == SIGINT, "and is still pending");
	ok(run("kill -TERM $$; exit 0", 60, &err) < 0 && strstr(err.message, "signal 15"),
	   "npm does not block it: %s", err.message);
	sigprocmask(SIG_UNBLOCK, &ending, NULL);
}

/* Four descriptors are left, for the directory, /dev/null and the pipe. */
static void test_unwatched(void)
{
	struct rlimit limit, few;
	struct err err;
	int next = dup(0);

	close(next);
	scratch_file(npm, "#!/bin/sh\nexec sleep 600\n", 0755);
	getrlimit(RLIMIT_NOFILE, &limit);
	few = (struct rlimit){(rlim_t)next + 4, limit.rlim_max};
	setrlimit(RLIMIT_NOFILE, &few);
	int result = run_args((const char *const[]){"npm", NULL}, 60, &err);
	setrlimit(RLIMIT_NOFILE, &limit);
	ok(result < 0 && strstr(err.message, "cannot watch npm: Too many open files") && is_quiet(),
	   "one that cannot be watched is ended: %s", err.message);
}

static void ignore(int sig)
{
	(void)sig;
}

static void test_signals(void)
{
	struct itimerval often = {{0, 500}, {0, 500}}, never = {0};
	struct sigaction act = {.sa_handler = ignore}, old; /* no SA_RESTART */
	struct err err;

	sigaction(SIGALRM, &act, &old);
	setitimer(ITIMER_REAL, &often, NULL);
	int result = run("sleep 0.2; echo npm error whole >&2; exit 1", 60, &err);
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &old, NULL);
	ok(result < 0 && strcmp(err.cause, "npm error whole ") == 0, "among signals: %s: %s",
	   err.message, err.cause);
}

int main(void)
{
	const char *dir = scratch_enter();
	char bin[] = "/tmp/unit-test.XXXXXX";

	scratch_must(mkdtemp(bin) != NULL, bin);
	scratch_dir("work");
	snprintf(npm, sizeof(npm), "%s/npm", bin);
	snprintf(path, sizeof(path), "%s:/usr/bin:/bin", bin);
	clearenv();
	setenv("PATH", path, 1);
	setenv("HOME", "/nowhere", 1);
	sigemptyset(&ending);
	sigaddset(&ending, SIGINT);
	sigaddset(&ending, SIGTERM);
	alarm(300);
	test_start();
	test_errors();
	test_children();
	test_interrupted();
	test_unwatched();
	test_signals();
	unlink(npm);
	rmdir(bin);
	scratch_leave(dir);
	return tap_done();
}
