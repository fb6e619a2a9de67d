/* SPDX-License-Identifier: MIT
 *
 * An npm that is made up here: one that is waited for through a storm of signals, that does not end,
 * that cannot be watched, that leaves what would hang its reader. What the real one brings is tested
 * with the command (rules_fetch.bats).
 */
#include "cli/npm.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "scratch.h"
#include "tap.h"

static volatile sig_atomic_t rung;
static char npm[64]; /* not in the scratch directory: nothing may be run from memory */

static void ring(int sig)
{
	(void)sig;
	rung++;
}

/* SCRIPT is what npm does. */
static int run(const char *script, unsigned seconds, char *out, struct err *err)
{
	static const char *const args[] = {"npm", "pack", NULL};
	const struct npm_call call = {"work", args, seconds};
	char text[512];

	*err = (struct err){0};
	snprintf(text, sizeof(text), "#!/bin/sh\n%s\n", script);
	scratch_file(npm, text, 0755);
	return npm_run(&call, out, NPM_OUTPUT_MAX, err);
}

static bool is_quiet(void)
{
	return waitpid(-1, NULL, WNOHANG) < 0;
}

static void test_words(void)
{
	char out[NPM_OUTPUT_MAX];
	struct err err;

	ok(run("echo \"$@\"; pwd >&2", 60, out, &err) == 0 && strcmp(out, "pack\n") == 0, "%s",
	   out);
	ok(run("head -c 4095 /dev/zero | tr '\\0' a", 60, out, &err) == 0 && strlen(out) == 4095,
	   "the most of its words that are read");
	ok(run("head -c 4096 /dev/zero | tr '\\0' a", 60, out, &err) == 0 && strlen(out) == 4095,
	   "one more is cut");
	ok(run("echo npm error sorry >&2; exit 3", 60, out, &err) < 0 &&
		   strcmp(err.message, "npm failed") == 0 && strcmp(err.cause, "npm: sorry") == 0,
	   "%s: %s", err.message, err.cause);
	ok(run("kill -9 $$", 60, out, &err) < 0 && strstr(err.message, "signal 9"), "%s",
	   err.message);
	scratch_must(system("test -z \"$(ls work)\"") == 0, "nothing is left in its directory");
	ok(run("head -c 1048576 /dev/zero | tr '\\0' a >&2; echo fine", 60, out, &err) == 0 &&
		   strcmp(out, "fine\n") == 0,
	   "it may complain at length");
	ok(run("head -c 1048577 /dev/zero | tr '\\0' a >&2", 60, out, &err) < 0 &&
		   err.code == ERR_LIMIT,
	   "but not without end: %s", err.message);
	ok(run("yes", 60, out, &err) < 0 && err.code == ERR_LIMIT && strlen(out) == 4095,
	   "nor may it print so: %s", err.message);
}

/* Each call gets what the one before has left where its output could be. */
static void test_hostile_directory(void)
{
	char out[NPM_OUTPUT_MAX];
	struct err err;

	ok(run("mkfifo npm.out npm.err", 60, out, &err) == 0, "npm leaves FIFOs");
	ok(run("echo fine", 60, out, &err) == 0 && strcmp(out, "fine\n") == 0, "and is run again");
}

static void test_signals(void)
{
	struct itimerval often = {{0, 500}, {0, 500}}, never = {0};
	struct sigaction act = {.sa_handler = ring}, old; /* no SA_RESTART */
	char out[NPM_OUTPUT_MAX];
	struct err err;
	int result;

	sigaction(SIGALRM, &act, &old);
	setitimer(ITIMER_REAL, &often, NULL);
	result = run("sleep 0.2; echo whole", 60, out, &err);
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &old, NULL);
	ok(rung > 0 && result == 0 && strcmp(out, "whole\n") == 0, "%d signals: %s", (int)rung,
	   err.message);
}

static void test_end(void)
{
	char out[NPM_OUTPUT_MAX];
	struct err err;

	ok(run("exec sleep 600", 1, out, &err) < 0 && err.code == ERR_LIMIT &&
		   strstr(err.message, "in 1 seconds"),
	   "one that does not end: %s", err.message);
	ok(is_quiet(), "is ended");
}

/* What it started has a lock as long as it lives. */
static void test_children(void)
{
	static const char left[] = "flock -o lock sh -c 'echo >ready; exec sleep 600' & "
				   "until [ -e ready ]; do sleep 0.01; done; ";
	char out[NPM_OUTPUT_MAX], text[256];
	struct err err;

	snprintf(text, sizeof(text), "%s sleep 600", left);
	ok(run(text, 2, out, &err) < 0 && err.code == ERR_LIMIT, "one with a child: %s",
	   err.message);
	ok(system("flock -w 20 work/lock true; r=$?; rm -f work/ready; exit $r") == 0,
	   "the child is ended too");
	snprintf(text, sizeof(text), "%s echo done", left);
	ok(run(text, 60, out, &err) == 0 && strcmp(out, "done\n") == 0, "one that leaves a child");
	ok(system("flock -w 20 work/lock true; r=$?; rm -f work/ready work/lock; exit $r") == 0,
	   "that is not left either");
}

/* From the terminal, say, to us alone: npm has a group of its own. */
static void test_interrupted(void)
{
	char out[NPM_OUTPUT_MAX];
	struct err err;

	ok(run("kill -INT $PPID; exec sleep 600", 60, out, &err) < 0 &&
		   strcmp(err.message, "it was interrupted") == 0,
	   "a signal ends it: %s", err.message);
	ok(is_quiet(), "at once");
	sigset_t now;
	sigprocmask(SIG_SETMASK, NULL, &now);
	ok(!sigismember(&now, SIGINT), "and signals come through again");
}

/* Without a descriptor for the process: four are left, for what it says. */
static void test_blind(void)
{
	struct rlimit limit, few;
	char out[NPM_OUTPUT_MAX];
	struct err err;
	int next = dup(0);

	close(next);
	getrlimit(RLIMIT_NOFILE, &limit);
	few = (struct rlimit){(rlim_t)next + 4, limit.rlim_max};
	setrlimit(RLIMIT_NOFILE, &few);
	/* The script was written by the test before: there is no descriptor left to write it now. */
	static const char *const args[] = {"npm", "pack", NULL};
	const struct npm_call call = {"work", args, 60};
	int result = npm_run(&call, out, sizeof(out), &err);
	setrlimit(RLIMIT_NOFILE, &limit);
	ok(result < 0 && strstr(err.message, "npm cannot be watched: Too many open files"),
	   "one that cannot be watched: %s", err.message);
	ok(is_quiet(), "is ended");
}

/* As a caller may have left it. */
static void test_deaf(void)
{
	char out[NPM_OUTPUT_MAX];
	struct err err;

	signal(SIGCHLD, SIG_IGN);
	ok(run("exit 1", 60, out, &err) < 0 && strcmp(err.message, "npm failed") == 0,
	   "SIGCHLD is ignored: %s", err.message);
	ok(run("echo fine", 60, out, &err) == 0 && strcmp(out, "fine\n") == 0,
	   "how it ended is known");
	ok(signal(SIGCHLD, SIG_DFL) == SIG_IGN, "and it is ignored again");
}

int main(void)
{
	const char *dir = scratch_enter();
	char bin[] = "/tmp/unit-test.XXXXXX", path[64];

	scratch_must(mkdtemp(bin) != NULL, bin);
	scratch_dir("work");
	snprintf(npm, sizeof(npm), "%s/npm", bin);
	snprintf(path, sizeof(path), "%s:/usr/bin:/bin", bin);
	setenv("PATH", path, 1);
	alarm(300);
	test_words();
	test_hostile_directory();
	test_end();
	test_blind();
	test_children();
	test_interrupted();
	test_deaf();
	test_signals();
	unlink(npm);
	rmdir(bin);
	scratch_leave(dir);
	return tap_done();
}
