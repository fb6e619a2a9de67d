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

/* As many as there can be on a host. */
#define TREE_MAX (1 << 22)

struct tree_row {
	pid_t pid, parent;
	bool ours;
	uint64_t memory, threads;
	uint64_t own_ms, reaped_ms; /* CPU time: its own, and of children it has waited for */
};

/* Descendants of ROOT, without it; malloc'd. EXACT: proportional memory, ten times dearer. */
struct tree_row *tree_read(pid_t root, bool exact, size_t *ret_count);

/* Where no pid namespace does it: stops, then kills all descendants. */
void tree_kill(pid_t root);
/* The same, and reaps them; *RET_STATUS (or NULL) is MAIN's. ROOT is the caller. */
void tree_bury(pid_t root, pid_t main, int *ret_status);
/* Processes and threads of a user on this host. */
uint64_t tree_count_user(uid_t uid);

#endif
