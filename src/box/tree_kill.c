/* SPDX-License-Identifier: MIT
 *
 * Kills the descendants of one process where no pid namespace does it. A pid alone never identifies a
 * process: before the signal is sent it may belong to another one, so the start time is compared too. It must
 * never start at a process that is not part of a box.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/scope.h"
#include "box/sys.h"
#include "box/tree.h"

enum { STOP_ROUNDS = 64, END_ROUNDS = 200, RETRY_US = 10000 };

/* The pidfd pins one process, and reading its stat again shows whether it is the one in ROW. False if not. */
static bool signal_same(const struct tree_row *row, int sig, bool any_parent)
{
	struct tree_row now = {.pid = row->pid};
	AUTO_CLOSE int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_CLOSE int fd = sys_pidfd_open(row->pid);
	bool is_dead = fd < 0 && errno == ESRCH;

	if (is_dead || tree_read_stat(proc, &now) < 0 || now.start != row->start ||
	    (now.parent != row->parent && !any_parent))
		return false;
	if (fd >= 0)
		return sys_pidfd_send_signal(fd, sig) == 0;
	return kill(row->pid, sig) ==
	       0; /* without a pidfd: a small risk is better than a survivor */
}

void tree_signal(const struct tree_row *row, int sig)
{
	signal_same(row, sig, false);
}

struct crowd {
	struct tree_row *rows;
	size_t count;
};

static void crowd_done(struct crowd *c)
{
	scope_free(&c->rows);
}

#define AUTO_CROWD __attribute__((cleanup(crowd_done)))

/* Returns how many live, or -1. *RET gets the processes that were found. */
static ssize_t signal_all(pid_t root, int sig, struct crowd *ret)
{
	struct crowd now = {0};

	if (tree_read(root, TREE_PLAIN, &now.rows, &now.count) < 0)
		return -1;
	ssize_t living = 0;
	for (size_t i = 0; now.rows && i < now.count; i++) {
		if (now.rows[i].dead)
			continue;
		tree_signal(&now.rows[i], sig);
		living++;
	}
	crowd_done(ret);
	*ret = now;
	return living;
}

/* Kills each process that was stopped, even if it has another parent by now: no other process would continue
 * it. */
static void kill_stopped(const struct crowd *stopped)
{
	for (size_t i = 0; stopped->rows && i < stopped->count; i++)
		if (!stopped->rows[i].dead)
			signal_same(&stopped->rows[i], SIGKILL, true);
}

/* Stops all processes first: a tree that is only killed can fork faster than it dies. ROOT must
 * live until all are dead, or its tree cannot be found again: it is this process, or it is
 * stopped. */
int tree_kill(pid_t root)
{
	AUTO_CROWD struct crowd stopped = {0}, rest = {0};
	ssize_t before = 0, now = 0;

	for (int i = 0; i < STOP_ROUNDS; i++) {
		now = signal_all(root, SIGSTOP, &stopped);
		if (now <= 0 || now == before)
			break;
		before = now;
	}
	kill_stopped(&stopped);
	return now < 0 || signal_all(root, SIGKILL, &rest) < 0 ? -1 : 0;
}

/* 0 if the caller is dead: then the parent is another process, for example pid 1 of the host, and its other
 * children do not belong to a box. */
static pid_t caller_of(int sock)
{
	struct ucred peer = {0};
	socklen_t len = sizeof(peer);

	if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0 || peer.pid <= 1)
		return 0;
	return getppid() == peer.pid ? peer.pid : 0;
}

/* The caller may die at any time, and its children then get another parent. So each child is stopped first: a
 * stopped child keeps its own descendants until all of them are dead. */
static void end_child(const struct tree_row *child)
{
	if (!signal_same(child, SIGSTOP, false))
		return; /* it has ended, or has another parent */
	for (int i = 0; i < END_ROUNDS && tree_kill(child->pid) < 0; i++)
		usleep(RETRY_US);
	signal_same(child, SIGKILL, true);
}

/* How many children of CALLER, except this process, were alive; or -1. */
static ssize_t end_children(pid_t caller)
{
	AUTO_CROWD struct crowd all = {0};
	ssize_t living = 0;

	if (tree_read(caller, TREE_PLAIN, &all.rows, &all.count) < 0)
		return -1;
	for (size_t i = 0; all.rows && i < all.count; i++) {
		const struct tree_row *row = &all.rows[i];
		if (row->parent != caller || row->pid == getpid() || row->dead)
			continue;
		end_child(row);
		living++;
	}
	return living;
}

/* A death gives its children another parent, so the list changes: repeat until it is empty. */
void tree_sweep(int sock)
{
	pid_t caller = caller_of(sock);

	for (int i = 0; caller && i < END_ROUNDS && end_children(caller) != 0; i++)
		usleep(RETRY_US);
}

/* Kills all processes before it waits for one, and reaps all dead ones at once, so that it does
 * not read a tree of thousands again for each. If the tree cannot be read, it kills at least
 * MAIN, whose pid is certain because it was not reaped. It returns only when all are dead. */
void tree_bury(pid_t root, pid_t main, int *ret_status)
{
	int status;

	for (;;) {
		bool seen = tree_kill(root) == 0;
		if (!seen) {
			if (main > 0)
				kill(main, SIGKILL);
			usleep(RETRY_US);
		}
		pid_t pid = waitpid(-1, &status, seen ? 0 : WNOHANG);
		while (pid > 0) {
			if (pid == main && ret_status)
				*ret_status = status;
			main = pid == main ? 0 : main;
			pid = waitpid(-1, &status, WNOHANG);
		}
		if (pid < 0 && errno == ECHILD)
			return;
	}
}
