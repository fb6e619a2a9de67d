/* SPDX-License-Identifier: MIT
 *
 * The processes below one process, from /proc: who they are, what they use, and how to end them.
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
	TREE_EXACT = 1,	  /* proportional memory, ten times dearer */
	TREE_SOCKETS = 2, /* open sockets, by reading everybody's descriptors */
};

/* Descendants of ROOT, without it, by pid; malloc'd. -1 and errno if something could not be looked
 * at: a part is never given out for the whole. */
int tree_read(pid_t root, unsigned how, struct tree_row **ret, size_t *ret_count);
/* What /proc says about ROW->pid, PROC being open there. */
int tree_read_stat(int proc, struct tree_row *row);
/* NULL if it is not among them. */
struct tree_row *tree_find(struct tree_row *rows, size_t count, const struct tree_row *who);

/* Only if it is still the same process. */
void tree_signal(const struct tree_row *row, int sig);
/* Where no pid namespace does it: stops, then kills all descendants. -1: it could not see them. */
int tree_kill(pid_t root);
/* Everybody below whoever made SOCK and holds its other end, but not ourselves. Nobody at all when
 * that is not our parent: it has died, and its children are with somebody else's. */
void tree_sweep(int sock);
/* The same below ROOT, which is the caller, and reaps them; *RET_STATUS (or NULL) is MAIN's. */
void tree_bury(pid_t root, pid_t main, int *ret_status);
/* Processes and threads of a user on this host. -1 and errno as with tree_read. */
int tree_count_user(uid_t uid, uint64_t *ret);

#endif
