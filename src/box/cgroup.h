/* SPDX-License-Identifier: MIT
 *
 * The cgroup of one box: memory and processes of all untrusted code together, CPU share when
 * asked for. One contract, two backends (v1 and v2).
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
	int parent; /* the directory that holds ours */
	int dir;    /* ours; locked, so that a sweep leaves it alone */
	unsigned controllers;
};

struct cgroup {
	const struct cgroup_ops *ops; /* NULL: there is none */
	char name[48];
	unsigned count;
	struct cgroup_dir dirs[CGROUP_DIRS_MAX];
};

struct cgroup_usage {
	uint64_t memory_peak, pids_peak, cpu_ns;
	bool memory_hit, pids_hit;
};

/* Where the host keeps its cgroups; a test gives a tree of its own. */
struct cgroup_host {
	const char *mountinfo, *self;
	const char *usual; /* where hierarchies are mounted almost everywhere, or NULL */
};
extern const struct cgroup_host cgroup_host_real;

/* A quick guess: is v2 all there is? Then the cgroup should be there before the clone. */
bool cgroup_is_early(void);
int cgroup_open(struct cgroup *cg, const struct cgroup_host *host, const uint64_t *limit,
		struct err *err);
/* Moving another process into a cgroup waits for an RCU grace period: milliseconds. Two ways round:
 * v2 starts a process in it (a descriptor for clone3, or -1); in v1 a process moves itself by
 * writing "0" to descriptors that are opened here (how many, or -1). The slow way always works. */
int cgroup_clone_fd(const struct cgroup *cg);
int cgroup_open_joins(const struct cgroup *cg, int *fds, struct err *err);
int cgroup_join(const int *fds, int count, struct err *err);
int cgroup_attach(const struct cgroup *cg, pid_t pid, struct err *err);

/* How many processes there are now; 0 when that is not known. */
uint64_t cgroup_pids_now(const struct cgroup *cg);
/* Is CPU time among what cgroup_measure tells? */
bool cgroup_has_clock(const struct cgroup *cg);
int cgroup_cpu_ns(const struct cgroup *cg, uint64_t *ret_ns);
void cgroup_measure(const struct cgroup *cg, struct cgroup_usage *ret);
/* The directories, once they are empty; what they were opened for stays open. */
void cgroup_remove(const struct cgroup *cg);
void cgroup_close(struct cgroup *cg);
/* Removes directories beside this one whose owner is dead. */
void cgroup_sweep_beside(const struct cgroup *cg);
/* The same wherever one of ours could be. Returns how many. */
int cgroup_sweep(const struct cgroup_host *host);
const char *cgroup_version(const struct cgroup *cg);

#endif
