/* SPDX-License-Identifier: MIT
 *
 * kill CORDON [COUNT]: SIGKILL for cordon, cordon-box, the box's init, the program or several at
 * once, at fixed and at COUNT random moments of a run, in every tier, as root and as an ordinary
 * user. A run whose program was killed must not report success. No process, mount, cgroup or
 * directory may be left; when several were killed at once, the next run removes what no process
 * lives to remove. The random moments come from a fixed sequence.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../harmless.h"
#include "step.h"
#include "traces.h"

enum {
	FEW = 100,
	RANDOM_MAX_US = 8000,
	GONE_MS = 30000,
	READY_MS = 10000,
	SHOWN = 3,
	FIND_TRIES = 2000
};

enum victim { CORDON, BOX, INIT, PROGRAM, BOTH, ALL, VICTIMS };

static const char *const victim_names[VICTIMS] = {
	"cordon",      "cordon-box",   "init",
	"the program", "both at once", "cordon, cordon-box and init at once"};

struct leg {
	const char *account, *tier;
	bool as_root;
};

static const struct leg legs[] = {
	{"root", "full", true},
	{"user", "no-cgroup", false},
	{"user", "no-userns", false},
	{"root", "no-userns", true},
};

struct test {
	struct traces traces;
	char stage[64], cordon[96], sleeper[96], single[96];
	char rules[96]; /* by itself: a run reads the whole directory */
	char state[96]; /* of the leg's account */
	char cgroup[32];
	char marker[32];
	uint64_t random;
	int number, failed;
	uid_t user; /* the ordinary account of this run, see tests/run */
	const struct leg *leg;
	char notes[8192]; /* printed below the next result */
};

struct run {
	pid_t pid;
	int out; /* its standard output */
};

static uint64_t next_random(struct test *t)
{
	t->random ^= t->random << 13;
	t->random ^= t->random >> 7;
	return t->random ^= t->random << 17;
}

static void pause_us(long us)
{
	struct timespec ts = {us / 1000000, us % 1000000 * 1000};

	nanosleep(&ts, NULL);
}

__attribute__((format(printf, 2, 3))) static void note(struct test *t, const char *fmt, ...)
{
	size_t len = strlen(t->notes);
	va_list args;

	va_start(args, fmt);
	vsnprintf(t->notes + len, sizeof(t->notes) - len, fmt, args);
	va_end(args);
}

static void report(struct test *t, int leaks, const char *what)
{
	printf("%sok %d - %s, tier %s: %s\n", leaks ? "not " : "", ++t->number, t->leg->account,
	       t->leg->tier, what);
	printf("%s", t->notes);
	t->notes[0] = '\0';
	fflush(stdout);
	t->failed += leaks != 0;
}

static void become(uid_t uid)
{
	gid_t gid = uid;

	if (uid && geteuid() == 0 && (setgroups(1, &gid) < 0 || setgid(gid) < 0 || setuid(uid) < 0))
		_exit(99);
}

static uid_t uid_of(const struct test *t, const struct leg *leg)
{
	return leg->as_root ? 0 : t->user;
}

enum how { SHORT, STAYS, SINGLE, STEPPED };

/* Starts a program that stays, with children or as a single process, or one that ends at once. */
static struct run start(struct test *t, enum how how)
{
#define COMMON                                                                                     \
	"cordon", "run", "--tier", t->leg->tier, "--user", "--rules", t->rules, "--state", t->state
	const char *const long_run[] = {COMMON, how == SINGLE ? t->single : t->sleeper, "--",
					t->marker, NULL};
	const char *const short_run[] = {COMMON, "--lang", "binary", "/bin/true", NULL};
#undef COMMON
	int fds[2];

	snprintf(t->state, sizeof(t->state), "%s/%u/state", t->stage, uid_of(t, t->leg));
	if (pipe2(fds, O_CLOEXEC) < 0)
		return (struct run){-1, -1};
	pid_t pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);
		become(uid_of(t, t->leg));
		dup2(null, 0);
		dup2(fds[1], 1);
		dup2(null, 2);
		if (how == STEPPED && step_begin() < 0)
			_exit(97);
		bool stays = how == STAYS || how == SINGLE;
		execv(t->cordon, (char **)(uintptr_t)(stays ? long_run : short_run));
		_exit(98);
	}
	close(fds[1]);
	return (struct run){pid, fds[0]};
}

static bool wait_ready(const struct run *r)
{
	struct pollfd fd = {.fd = r->out, .events = POLLIN};
	char byte;

	return poll(&fd, 1, READY_MS) == 1 && read(r->out, &byte, 1) == 1;
}

static bool has_ended(pid_t pid)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid;
}

/* It may take a moment to be there on a busy machine, and may be gone already. */
static pid_t find_below(pid_t parent, pid_t main)
{
	pid_t pid = 0;

	for (int tries = 0; !pid && tries < FIND_TRIES && !has_ended(main); tries++)
		pid = traces_child(parent);
	return pid;
}

static void strike(const struct run *r, enum victim victim, long us)
{
	pid_t box = victim == CORDON ? 0 : find_below(r->pid, r->pid);
	bool deeper = victim == INIT || victim == PROGRAM || victim == ALL;
	pid_t init = deeper && box ? find_below(box, r->pid) : 0;
	pid_t program = victim == PROGRAM && init ? find_below(init, r->pid) : 0;

	pause_us(us);
	if ((victim == INIT || victim == ALL) && init)
		kill(init, SIGKILL);
	if (victim == PROGRAM && program)
		kill(program, SIGKILL);
	if ((victim == BOX || victim == BOTH || victim == ALL) && box)
		kill(box, SIGKILL);
	if (victim == CORDON || victim == BOTH || victim == ALL)
		kill(r->pid, SIGKILL);
}

/* Cordon itself ends on its own unless it was the victim; if it hangs, that is a failure too. */
static bool finish(struct test *t, const struct run *r, int *ret_status)
{
	bool ended = false;

	for (int tries = 0; !ended && tries < GONE_MS; tries++) {
		ended = waitpid(r->pid, ret_status, WNOHANG) == r->pid;
		if (!ended)
			pause_us(1000);
	}
	if (!ended) {
		note(t, "# cordon still runs\n");
		kill(r->pid, SIGKILL);
		waitpid(r->pid, NULL, 0);
	}
	close(r->out);
	return ended;
}

static unsigned kinds(const struct test *t)
{
	return strcmp(t->leg->tier, "full") == 0 ? TRACE_ALL : TRACE_ALL & ~(unsigned)TRACE_CGROUP;
}

/* If no process is left to remove a directory, the next run removes it. A dying process may
 * still hold the lock of the directory for a moment; then the run after that removes it. */
static bool next_run_sweeps(struct test *t, char *text)
{
	bool gone = false;

	for (int runs = 0; runs < 2 && !gone; runs++) {
		struct run r = start(t, SHORT);
		int status;

		gone = finish(t, &r, &status) && traces_gone(&t->traces, kinds(t), GONE_MS, text);
	}
	return gone;
}

/* One run, one kill; false and a word if anything stays. US < 0: when the program says ready. */
static bool kill_once(struct test *t, enum victim victim, bool stays, long us, int *shown)
{
	char text[TRACE_TEXT_MAX];
	/* Without a pid namespace children outlive the death of all three: docs/explanation/THREATS.md. */
	struct run r = start(t, !stays ? SHORT : victim == ALL ? SINGLE : STAYS);
	bool nobody_left = victim == BOTH || victim == ALL;

	if (us < 0)
		wait_ready(&r);
	strike(&r, victim, us < 0 ? 0 : us);
	int status = -1;
	bool ended = finish(t, &r, &status);
	bool is_lie = victim == PROGRAM && stays && status == 0;
	if (is_lie)
		note(t, "# the program was killed after %ld us, and cordon said 0\n", us);
	unsigned alone = nobody_left ? kinds(t) & (TRACE_PROCESS | TRACE_MOUNT) : kinds(t);
	bool gone = traces_gone(&t->traces, alone, GONE_MS, text);
	if (gone && nobody_left)
		gone = next_run_sweeps(t, text);
	if (!gone && (*shown)++ < SHOWN) {
		note(t, "# %s killed after %ld us (%s); left:\n", victim_names[victim], us,
		     stays ? "sleeping program" : "short program");
		for (char *save = NULL, *l = strtok_r(text, "\n", &save); l;
		     l = strtok_r(NULL, "\n", &save))
			note(t, "#   %s\n", l);
	}
	if (!gone)
		traces_remove(&t->traces);
	return gone && ended && !is_lie;
}

/* With fewer than FEW random moments only some of the fixed ones. */
static void test_fixed(struct test *t, enum victim victim, bool few)
{
	char what[128];
	int leaks = 0, count = 0, shown = 0;

	for (int running = 0; running < (few ? 2 : 5); running++, count++)
		leaks += !kill_once(t, victim, true, -1, &shown);
	for (long us = 0; us <= 10000; us += few ? 3000 : 1000, count++)
		leaks += !kill_once(t, victim, us % 2000 == 0, us, &shown);
	snprintf(what, sizeof(what), "SIGKILL for %s at %d fixed moments leaves nothing (%d did)",
		 victim_names[victim], count, leaks);
	report(t, leaks, what);
}

static void test_random(struct test *t, enum victim victim, int count)
{
	char what[128];
	int leaks = 0, shown = 0;

	for (int i = 0; i < count && leaks < 10; i++)
		leaks += !kill_once(t, victim, i % 2, (long)(next_random(t) % RANDOM_MAX_US),
				    &shown);
	snprintf(what, sizeof(what), "SIGKILL for %s at %d random moments leaves nothing (%d did)",
		 victim_names[victim], count, leaks);
	report(t, leaks, what);
}

/* The test is worth nothing if the runs that it kills would fail anyway. */
static bool test_control(struct test *t)
{
	struct run r = start(t, SHORT), stays = start(t, STAYS);
	int status = -1;

	waitpid(r.pid, &status, 0);
	close(r.out);
	bool ready = wait_ready(&stays);
	kill(stays.pid, SIGTERM);
	waitpid(stays.pid, NULL, 0);
	close(stays.out);
	report(t, status != 0 || !ready, "an undisturbed run works, and one that stays starts");
	return status == 0 && ready;
}

/* The result is told before the cgroup is removed: the moment between them is too short to be met. */
static void test_between(struct test *t)
{
	char text[TRACE_TEXT_MAX];
	struct run r = start(t, STEPPED);
	int status = -1;
	bool killed = step_to_removal(r.pid, &status);

	close(r.out);
	if (!killed)
		note(t, "# no process removed a directory\n");
	if (status != 0)
		note(t, "# cordon ended with %#x though the result had been told\n",
		     (unsigned)status);
	bool gone = traces_gone(&t->traces, kinds(t), GONE_MS, text);
	if (!gone)
		note(t, "# left: %s\n", text);
	report(t, !killed || status != 0 || !gone,
	       "SIGKILL for cordon-box between its result and its cgroup's removal leaves nothing");
}

/* Init's /proc/1/net is the host's until it has followed the program's process into its network. */
static void test_network(struct test *t)
{
	struct run r = start(t, STEPPED);
	int status = -1;
	enum step_held held = step_holding_setns(r.pid, &status);

	close(r.out);
	if (held == STEP_NOBODY)
		note(t, "# no process changed a namespace\n");
	if (status != 0)
		note(t, "# cordon ended with %#x\n", (unsigned)status);
	report(t, held != STEP_HELD || status != 0,
	       "the program starts when init has left the host's network, not before");
}

static void run_leg(struct test *t, int count)
{
	if (geteuid() != 0 && t->leg->as_root) {
		printf("ok %d - %s, tier %s # SKIP needs root\n", ++t->number, t->leg->account,
		       t->leg->tier);
		return;
	}
	if (!test_control(t))
		return;
	if (kinds(t) & TRACE_CGROUP)
		test_between(t);
	if (strcmp(t->leg->tier, "no-userns") != 0)
		test_network(t);
	for (enum victim v = 0; v < VICTIMS; v++)
		test_fixed(t, v, count < FEW);
	test_random(t, CORDON, count);
	test_random(t, BOX, count);
	test_random(t, INIT, count / 4);
	test_random(t, PROGRAM, count / 4);
	test_random(t, BOTH, count / 4);
	test_random(t, ALL, count / 4);
}

static int copy(const char *from, const char *to)
{
	char command[4096];

	snprintf(command, sizeof(command), "cp '%s' '%s' && chmod 755 '%s'", from, to, to);
	return system(command) == 0 ? 0 : -1;
}

/* A /tmp of our own, so that other people's directories are not taken for ours. */
static int own_tmp(void)
{
	if (geteuid() != 0)
		return 0;
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return -1;
	return 0;
}

static bool enter_cgroup(const char *dir)
{
	char path[600];

	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	FILE *procs = fopen(path, "we");
	return procs && fprintf(procs, "%d\n", (int)getpid()) > 0 && fclose(procs) == 0;
}

/* In each hierarchy of cgroup v1 a group of our own: boxes make theirs below their caller's, so those of
 * other programs are told apart. */
static void join_cgroups(struct test *t)
{
	FILE *f = geteuid() == 0 ? fopen("/proc/self/cgroup", "re") : NULL;
	char line[512], controllers[64], own[256], path[512];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%*d:%63[^:=]:%255[^\n]", controllers, own) != 2)
			continue;
		snprintf(path, sizeof(path), "/sys/fs/cgroup/%s%s/%s", controllers, own, t->cgroup);
		if (mkdir(path, 0755) < 0)
			continue;
		if (enter_cgroup(path))
			t->traces.cgroup = t->cgroup;
		else
			rmdir(path);
	}
	if (f)
		fclose(f);
}

static void leave_cgroups(const struct test *t)
{
	FILE *f = fopen("/proc/self/cgroup", "re");
	char line[512], controllers[64], own[256], path[512];

	while (f && fgets(line, sizeof(line), f)) {
		char *ours = NULL;
		if (sscanf(line, "%*d:%63[^:=]:%255[^\n]", controllers, own) == 2)
			ours = strstr(own, t->cgroup);
		if (!ours)
			continue;
		snprintf(path, sizeof(path), "/sys/fs/cgroup/%s%.*s", controllers,
			 (int)(ours - own), own);
		enter_cgroup(path);
		snprintf(path, sizeof(path), "/sys/fs/cgroup/%s%s", controllers, own);
		rmdir(path);
	}
	if (f)
		fclose(f);
}

static int write_script(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	return !f || fputs(text, f) < 0 || fclose(f) != 0 ? -1 : chmod(path, 0644);
}

static int prepare(struct test *t, const char *cordon)
{
	char from[4096], to[128];

	snprintf(from, sizeof(from), "%s-box", cordon);
	snprintf(t->stage, sizeof(t->stage), "/var/tmp/kill-test.XXXXXX");
	if (!mkdtemp(t->stage) || chmod(t->stage, 0755) < 0)
		return -1;
	snprintf(t->cordon, sizeof(t->cordon), "%s/cordon", t->stage);
	snprintf(t->sleeper, sizeof(t->sleeper), "%s/sleeper.sh", t->stage);
	snprintf(t->single, sizeof(t->single), "%s/single.sh", t->stage);
	snprintf(to, sizeof(to), "%s/cordon-box", t->stage);
	if (copy(cordon, t->cordon) < 0 || copy(from, to) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(legs) / sizeof(legs[0]); i++) {
		uid_t uid = uid_of(t, &legs[i]);
		snprintf(to, sizeof(to), "%s/%u", t->stage, uid);
		if ((mkdir(to, 0700) < 0 && errno != EEXIST) ||
		    (geteuid() == 0 && chown(to, uid, uid) < 0))
			return -1;
	}
	snprintf(t->rules, sizeof(t->rules), "%s/rules", t->stage);
	if (mkdir(t->rules, 0755) < 0 || harmless_write(t->rules) < 0)
		return -1;
	if (write_script(t->sleeper, "sleep $1 & sleep $1 & echo ready; wait\n") < 0 ||
	    write_script(t->single, "echo ready; exec sleep $1\n") < 0)
		return -1;
	/* A number of seconds that no other program sleeps, and longer than we look for what is left. */
	snprintf(t->marker, sizeof(t->marker), "%d.%06d", 3 * GONE_MS / 1000, (int)getpid());
	if (own_tmp() < 0 ||
	    (geteuid() == 0 && mount("tmpfs", "/tmp", "tmpfs", 0, "mode=1777") < 0))
		return -1;
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	snprintf(t->cgroup, sizeof(t->cgroup), "kill-test.%d", (int)getpid());
	t->traces.cgroup = "";
	join_cgroups(t);
	t->traces.stage = t->stage;
	t->traces.marker = t->marker;
	t->random = 0x2545f4914f6cdd1dULL;
	return traces_init(&t->traces);
}

static void clear(struct test *t)
{
	char command[128];

	leave_cgroups(t);
	snprintf(command, sizeof(command), "rm -rf %s", t->stage);
	if (system(command) != 0)
		printf("# %s stays\n", t->stage);
	traces_done(&t->traces);
}

int main(int argc, char **argv)
{
	static struct test t;
	const char *user = getenv("TEST_UID");
	int count = argc > 2 ? atoi(argv[2]) : 200;

	if (argc < 2) {
		fprintf(stderr, "usage: kill CORDON [COUNT [TIER]]\n");
		return 2;
	}
	t.user = user ? (uid_t)strtoul(user, NULL, 10) : 61000;
	if (prepare(&t, argv[1]) < 0) {
		printf("Bail out! cannot prepare: %s\n", strerror(errno));
		return 1;
	}
	for (size_t i = 0; i < sizeof(legs) / sizeof(legs[0]); i++) {
		t.leg = &legs[i];
		if (argc < 4 || strcmp(argv[3], t.leg->tier) == 0)
			run_leg(&t, count);
	}
	clear(&t);
	printf("1..%d\n", t.number);
	return t.failed ? 1 : 0;
}
