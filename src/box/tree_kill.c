/* SPDX-License-Identifier: MIT
 *
 * Ends the processes below one process where no pid namespace does it. Whom it signals is decided
 * by looking, and a number alone is never enough: between the look and the signal it may have
 * become somebody else's. It must never begin at a process that is not ours.
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

/* The descriptor holds on to one process, and the second look tells whether it is the one that was
 * meant. False if not. */
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
	return kill(row->pid, sig) == 0; /* rather a small risk than a survivor */
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

/* How many of them live, or -1; *RET is who was seen. */
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

/* Whoever was stopped is killed, also when a death has made them somebody else's children
 * meanwhile: nobody would ever wake them. */
static void kill_stopped(const struct crowd *stopped)
{
	for (size_t i = 0; stopped->rows && i < stopped->count; i++)
		if (!stopped->rows[i].dead)
			signal_same(&stopped->rows[i], SIGKILL, true);
}

/* Stopping first: a tree that is killed leaf by leaf can outgrow us, a stopped one cannot. ROOT
 * must stay until we are through, or its tree cannot be found again: it is ourselves, or stopped. */
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

/* Its death would make us somebody else's child, and that one's other children are none of our
 * business: the first process of the host has all of them. */
static pid_t caller_of(int sock)
{
	struct ucred peer = {0};
	socklen_t len = sizeof(peer);

	if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0 || peer.pid <= 1)
		return 0;
	return getppid() == peer.pid ? peer.pid : 0;
}

/* The caller may die at any moment and its children be anybody's then, so each of them is held by
 * itself: once stopped it keeps its own below it until all of them are dead. */
static void end_child(const struct tree_row *child)
{
	if (!signal_same(child, SIGSTOP, false))
		return; /* it has ended, or is not the caller's any more */
	for (int i = 0; i < END_ROUNDS && tree_kill(child->pid) < 0; i++)
		usleep(RETRY_US);
	signal_same(child, SIGKILL, true);
}

/* How many children of CALLER but us were alive, or -1. */
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

/* A death gives children a new parent, and those are not who was seen: once more. */
void tree_sweep(int sock)
{
	pid_t caller = caller_of(sock);

	for (int i = 0; caller && i < END_ROUNDS && end_children(caller) != 0; i++)
		usleep(RETRY_US);
}

/* Everybody is killed before anybody is waited for, and all who are dead are reaped at once: a tree
 * of thousands must not be read again for each of them. When it cannot be read, MAIN, which is
 * ours to reap and so has its number, is killed at least; we do not return before all are dead. */
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
