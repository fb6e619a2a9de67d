/* SPDX-License-Identifier: MIT
 *
 * What a run could leave behind on the host: processes, mounts, cgroups, directories.
 */
#ifndef CORDON_KILL_TRACES_H
#define CORDON_KILL_TRACES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum trace_kind { TRACE_PROCESS = 1, TRACE_MOUNT = 2, TRACE_CGROUP = 4, TRACE_DIRECTORY = 8 };
#define TRACE_ALL 15U
#define TRACE_TEXT_MAX 1024

struct traces {
	const char *stage;  /* where the programs under test are: their processes are ours */
	const char *marker; /* in the argument list of every program in the box */
	const char *cgroup; /* a part of the path of every cgroup under test; "": of any path */
	char *before;	    /* what was there already, one line each */
};

int traces_init(struct traces *t);
void traces_done(struct traces *t);
/* Waits until nothing of KINDS is there any more. Returns false after MS, *RET_TEXT says what. */
bool traces_gone(const struct traces *t, unsigned kinds, int ms, char *ret_text);
/* Removes what is left, so that the next case is judged by itself. */
void traces_remove(const struct traces *t);
/* The first child of PARENT, or 0. */
pid_t traces_child(pid_t parent);

#endif
