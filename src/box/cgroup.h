/* SPDX-License-Identifier: MIT
 *
 * The cgroup of one box. It limits the memory and the processes of all untrusted code together, and its
 * CPU share if there is a limit for that. One contract, two backends (v1 and v2).
 */
#ifndef CORDON_BOX_CGROUP_H
#define CORDON_BOX_CGROUP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "model/limit.h"

enum { CGROUP_DIRS_MAX = 4, CGROUP_PATH_MAX = 4096 };

struct cgroup_dir {
	int parent; /* the directory that contains dir */
	int dir;    /* the box's; locked, so that a sweep leaves it alone */
	unsigned controllers;
};

struct cgroup {
	const struct cgroup_ops *ops; /* NULL: no cgroup */
	char name[48];
	unsigned count;
	struct cgroup_dir dirs[CGROUP_DIRS_MAX];
};

struct cgroup_usage {
	uint64_t memory_peak, pids_peak, cpu_ns;
	bool memory_hit, pids_hit;
};

/* Where the host keeps its cgroups; tests use a tree of their own. */
struct cgroup_host {
	const char *mountinfo, *self;
	const char *usual; /* where hierarchies are mounted almost everywhere, or NULL */
};
extern const struct cgroup_host cgroup_host_real;

/* A quick guess: does the host use v2 only? Then make the cgroup before the clone. */
bool cgroup_is_early(void);
int cgroup_open(struct cgroup *cg, const struct cgroup_host *host, const uint64_t *limit,
		struct err *err);
/* Moving another process into a cgroup waits for an RCU grace period: milliseconds. Two ways are faster.
 * v2: clone3 starts a process in the cgroup of this descriptor (-1: not v2). v1: a process moves itself
 * by writing "0" to the descriptors that cgroup_open_joins opens (their number, or -1). */
int cgroup_clone_fd(const struct cgroup *cg);
int cgroup_open_joins(const struct cgroup *cg, int *fds, struct err *err);
int cgroup_join(const int *fds, int count, struct err *err);
int cgroup_attach(const struct cgroup *cg, pid_t pid, struct err *err);

/* How many processes it has now; 0 if unknown. */
uint64_t cgroup_pids_now(const struct cgroup *cg);
/* Does cgroup_measure report CPU time? */
bool cgroup_has_clock(const struct cgroup *cg);
int cgroup_cpu_ns(const struct cgroup *cg, uint64_t *ret_ns);
void cgroup_measure(const struct cgroup *cg, struct cgroup_usage *ret);
/* Removes the directories once they are empty; their descriptors stay open. */
void cgroup_remove(const struct cgroup *cg);
void cgroup_close(struct cgroup *cg);
/* Removes the directories of dead boxes beside this one. */
void cgroup_sweep_beside(const struct cgroup *cg);
/* The same in all places where a box makes its cgroup. Returns how many were removed. */
int cgroup_sweep(const struct cgroup_host *host);
const char *cgroup_version(const struct cgroup *cg);

#endif
