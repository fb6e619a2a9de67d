/* SPDX-License-Identifier: MIT
 *
 * The descendants of one process, from /proc: which they are, what they use, and how to end them.
 */
#ifndef CORDON_BOX_TREE_H
#define CORDON_BOX_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct tree_row {
	pid_t pid, parent;
	pid_t shown; /* the thread whose /proc entry shows the memory */
	bool dead;   /* a zombie */
	bool ours;
	uint64_t start;		    /* in ticks since boot; with the pid it names a process */
	uint64_t memory, threads;   /* memory: pages, page tables, pipes by its descriptors */
	uint64_t tables, fds;	    /* of that: what no proportional count shows */
	uint64_t sockets;	    /* only with TREE_SOCKETS */
	uint64_t own_us, reaped_us; /* CPU time: its own, and of children it has waited for */
	bool never_slept;	    /* one thread that has been working or waiting for a CPU */
	uint64_t waited_us;	    /* for a CPU, then */
	uint64_t tail_us;	    /* the watcher's own: see watch.c */
};

enum tree_how {
	TREE_PLAIN = 0,
	TREE_EXACT = 1,	  /* proportional memory, ten times slower */
	TREE_SOCKETS = 2, /* open sockets, from the descriptors of each process */
};

/* The descendants of ROOT, without ROOT, sorted by pid; malloc'd. -1 and errno if something
 * could not be read: an incomplete list is never returned. */
int tree_read(pid_t root, unsigned how, struct tree_row **ret, size_t *ret_count);
/* Reads /proc/PID/stat of ROW->pid; PROC is open on /proc. */
int tree_read_stat(int proc, struct tree_row *row);
/* The row of the same process; or NULL. */
struct tree_row *tree_find(struct tree_row *rows, size_t count, const struct tree_row *process);

/* Sends SIG if the pid still belongs to the same process. */
void tree_signal(const struct tree_row *row, int sig);
/* Without a pid namespace: stops, then kills all descendants. -1: they could not be read. */
int tree_kill(pid_t root);
/* Kills the descendants of the process at the other end of SOCK, except the caller of this function. Does
 * nothing if that process is not its parent: then it is dead, and its children have another parent. */
void tree_sweep(int sock);
/* The same below ROOT, which is this process, and reaps them. *RET_STATUS (or NULL) gets the
 * status of MAIN. */
void tree_bury(pid_t root, pid_t main, int *ret_status);
/* Counts a user's threads on this host. -1 and errno as with tree_read. */
int tree_count_user(uid_t uid, uint64_t *ret);

#endif
