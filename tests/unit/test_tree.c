/* SPDX-License-Identifier: MIT
 *
 * Reading processes from /proc: a process that cannot be read is an error and never skipped, a
 * process whose first thread is dead still has its memory, and a signal goes only to the process
 * that was found.
 */
#include "box/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/limit.h"
#include "tap.h"

#define MIB (1U << 20)
#define TOUCHED (16U * MIB)

static void *touch(void *unused)
{
	char *at = mmap(NULL, TOUCHED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)unused;
	if (at != MAP_FAILED)
		memset(at, 1, TOUCHED);
	sleep(20);
	_exit(0);
}

static pid_t start_headless(void)
{
	pthread_t thread;
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	if (pthread_create(&thread, NULL, touch, NULL) != 0)
		_exit(1);
	syscall(SYS_exit, 0);
	_exit(1);
}

static pid_t start_idle(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		sleep(20);
		_exit(0);
	}
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* The only child, or a row of zeros. */
static struct tree_row read_one(unsigned how)
{
	struct tree_row *rows = NULL, row = {0};
	size_t count = 0;

	if (tree_read(getpid(), how, &rows, &count) == 0 && count == 1)
		row = rows[0];
	free(rows);
	return row;
}

static void test_blind(void)
{
	struct rlimit old, none;
	struct tree_row *rows = NULL;
	size_t count = 7;
	pid_t pid = start_idle();
	int next = dup(0);

	close(next);
	ok(getrlimit(RLIMIT_NOFILE, &old) == 0, "the limit on descriptors is known");
	for (rlim_t more = 0; more < 2; more++) {
		none = (struct rlimit){(rlim_t)next + more, old.rlim_max};
		setrlimit(RLIMIT_NOFILE, &none);
		errno = 0;
		int r = tree_read(getpid(), TREE_PLAIN, &rows, &count);
		int error = errno;
		setrlimit(RLIMIT_NOFILE, &old);
		ok(r < 0 && error == EMFILE, "%d descriptors are too few, and it says so",
		   (int)more);
		ok(rows == NULL && count == 7, "the results are untouched");
	}
	ok(read_one(TREE_PLAIN).pid == pid, "with descriptors it sees the child");
	end(pid);
}

static void test_headless(void)
{
	pid_t pid = start_headless();
	struct tree_row row = {0};

	for (int i = 0; i < 100 && row.memory < TOUCHED; i++) {
		usleep(10000);
		row = read_one(TREE_PLAIN);
	}
	ok(row.pid == pid && row.shown != pid, "another thread stands for the dead one");
	ok(row.memory >= TOUCHED, "its memory is seen");
	ok(read_one(TREE_EXACT).memory >= TOUCHED, "and by the exact count");
	end(pid);
}

/* The groups stand before memory and threads. As root, with as many as the kernel allows. */
static void test_groups(void)
{
	static gid_t groups[CORDON_GROUPS_MAX];
	int ready[2];

	if (geteuid() != 0) {
		printf("# only root can be in many groups\n");
		return;
	}
	for (size_t i = 0; i < CORDON_GROUPS_MAX; i++)
		groups[i] = (gid_t)(4000000000U + i);
	pid_t pid = pipe2(ready, O_CLOEXEC) == 0 ? fork() : -1;
	if (pid == 0) {
		char done = setgroups(CORDON_GROUPS_MAX, groups) == 0;
		if (write(ready[1], &done, 1) == 1)
			touch(NULL);
		_exit(1);
	}
	char done = 0;
	close(ready[1]);
	ok(read(ready[0], &done, 1) == 1 && done, "a process in as many groups as there can be");
	close(ready[0]);
	struct tree_row row = {0};
	for (int i = 0; i < 100 && row.memory < TOUCHED; i++) {
		usleep(10000);
		row = read_one(TREE_PLAIN);
	}
	ok(row.pid == pid && row.threads == 1, "its threads are counted");
	ok(row.memory >= TOUCHED, "its memory is counted");
	end(pid);
}

static void test_sockets(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		for (int i = 0; i < 5; i++)
			syscall(SYS_socket, 1 /* AF_UNIX */, 1, 0);
		raise(SIGSTOP);
		_exit(0);
	}
	waitpid(pid, NULL, WUNTRACED);
	struct tree_row row = read_one(TREE_SOCKETS);
	ok(row.sockets >= 5 && row.sockets < 32, "sockets are counted");
	end(pid);
}

static void test_signal(void)
{
	pid_t pid = start_idle();
	struct tree_row row = read_one(TREE_PLAIN), other = row;
	int status = 0;

	ok(row.pid == pid && row.parent == getpid() && row.start > 0, "the child has a start");
	other.start++;
	tree_signal(&other, SIGKILL);
	other = row;
	other.parent = 1;
	tree_signal(&other, SIGKILL);
	usleep(20000);
	ok(waitpid(pid, &status, WNOHANG) == 0, "one of another start or parent is left alone");
	tree_signal(&row, SIGKILL);
	ok(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status), "the one that was seen is hit");
}

/* A caller with a child of its own and one that sweeps for it, before or after the caller's death.
 * Returns the caller's own child. */
static pid_t sweep_for(bool caller_dies)
{
	int pair[2], told[2];
	pid_t own = 0;

	if (pipe(told) < 0)
		return -1;
	pid_t caller = fork();
	if (caller == 0) {
		/* Whose socket it is is decided when it is made. */
		if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) < 0)
			_exit(1);
		own = start_idle();
		(void)!write(told[1], &own, sizeof(own));
		pid_t me = getpid(), sweeper = fork();
		if (sweeper == 0) {
			while (caller_dies && getppid() == me)
				usleep(1000);
			tree_sweep(pair[1]);
			_exit(0);
		}
		if (!caller_dies)
			waitpid(sweeper, NULL, 0);
		_exit(0);
	}
	(void)!read(told[0], &own, sizeof(own));
	waitpid(caller, NULL, 0);
	close(told[0]);
	close(told[1]);
	return own;
}

/* What the caller left has become ours, as a host's first process gets it. */
static void test_sweep(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid_t stranger = start_idle(), own = sweep_for(false);

	ok(own > 0 && waitpid(own, NULL, 0) == own, "the caller's child is ended");
	ok(kill(stranger, 0) == 0 && waitpid(stranger, NULL, WNOHANG) == 0, "a stranger is not");
	own = sweep_for(true);
	while (waitpid(-1, NULL, WNOHANG) == 0)
		usleep(1000); /* until the sweeper has come and gone */
	ok(waitpid(stranger, NULL, WNOHANG) == 0,
	   "when the caller is dead, the children of its children's new parent are left alone");
	kill(stranger, SIGKILL);
	kill(own, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
}

enum { CROWD = 8, MOMENTS = 40, MOMENT_US = 400 };

static char state_of(pid_t pid)
{
	char path[64], text[512] = "";
	FILE *f = NULL;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (f) {
		(void)!fread(text, 1, sizeof(text) - 1, f);
		fclose(f);
	}
	const char *at = strrchr(text, ')');
	return at && at[1] ? at[2] : '?';
}

/* A caller with many children and a sweeper; all tell their numbers, the sweeper last. */
static pid_t start_caller(int told)
{
	pid_t caller = fork(), crowd[CROWD + 1];
	int pair[2];

	if (caller != 0)
		return caller;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) < 0)
		_exit(1);
	for (int i = 0; i < CROWD; i++)
		crowd[i] = start_idle();
	crowd[CROWD] = fork();
	if (crowd[CROWD] == 0) {
		tree_sweep(pair[1]);
		_exit(0);
	}
	(void)!write(told, crowd, sizeof(crowd));
	waitpid(crowd[CROWD], NULL, 0);
	_exit(0);
}

/* How many children of a caller that is killed after US are neither dead nor free to go on. */
static int count_frozen(long us)
{
	pid_t crowd[CROWD + 1] = {0};
	int told[2], frozen = 0;

	if (pipe2(told, O_CLOEXEC) < 0)
		return -1;
	pid_t caller = start_caller(told[1]);
	bool knows = read(told[0], crowd, sizeof(crowd)) == sizeof(crowd);
	usleep((useconds_t)us);
	kill(caller, SIGKILL);
	waitpid(caller, NULL, 0);
	waitpid(crowd[CROWD], NULL, 0);
	for (int i = 0; knows && i < CROWD; i++) {
		frozen += state_of(crowd[i]) == 'T';
		kill(crowd[i], SIGKILL);
		waitpid(crowd[i], NULL, 0);
	}
	close(told[0]);
	close(told[1]);
	return knows ? frozen : -1;
}

static void test_caller_dies_meanwhile(void)
{
	int frozen = 0;

	for (int i = 0; i < MOMENTS && frozen == 0; i++)
		frozen = count_frozen(i * MOMENT_US);
	ok(frozen == 0, "whenever the caller dies, the sweep leaves no process stopped");
}

int main(void)
{
	test_blind();
	test_headless();
	test_groups();
	test_sockets();
	test_signal();
	test_sweep();
	test_caller_dies_meanwhile();
	return tap_done();
}
