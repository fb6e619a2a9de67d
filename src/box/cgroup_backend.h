/* SPDX-License-Identifier: MIT
 *
 * What a cgroup version implements. cgroup.c does the rest for both versions.
 */
#ifndef CORDON_BOX_CGROUP_BACKEND_H
#define CORDON_BOX_CGROUP_BACKEND_H

#include "box/cgroup.h"

enum controller { CTL_MEMORY = 1, CTL_PIDS = 2, CTL_CPU = 4, CTL_CPUACCT = 8 };

struct cgroup_mount {
	char path[CGROUP_PATH_MAX]; /* directory of our own cgroup in that hierarchy */
	bool is_root;		    /* that directory is the top of the hierarchy */
};

/* The host's tables of cgroups, read once. */
struct cgroup_tables {
	const struct cgroup_host *host;
	char *mountinfo; /* NULL until it is needed */
	char self[8192];
};

struct cgroup_ops {
	const char *version;
	/* Fills parents[] with the open directories in which the box's are made; returns how many, or -1. */
	int (*find)(struct cgroup_tables *tables, unsigned wanted, struct cgroup_dir *parents,
		    struct err *err);
	int (*limit)(const struct cgroup_dir *dir, const uint64_t *limit, struct err *err);
	void (*measure)(const struct cgroup_dir *dir, struct cgroup_usage *ret);
	int (*cpu_time)(const struct cgroup_dir *dir, uint64_t *ret_ns);
};

extern const struct cgroup_ops cgroup_v1, cgroup_v2;

/* cgroup_find.c: finds the mount of a hierarchy: the v2 one, or the v1 one that has CONTROLLER. */
int cgroup_tables_read(const struct cgroup_host *host, struct cgroup_tables *ret);
void cgroup_tables_done(struct cgroup_tables *t);
/* Is CONTROLLER in a v1 hierarchy, mounted or not? */
bool cgroup_is_listed(const struct cgroup_tables *t, const char *controller);
int cgroup_find_mount(struct cgroup_tables *tables, const char *controller,
		      struct cgroup_mount *ret);

/* cgroup_file.c */
int cgroup_write_u64(int dir, const char *file, uint64_t value, struct err *err);
uint64_t cgroup_read_u64(int dir, const char *file);
/* The number after KEY in a file of "key number" lines; 0 when there is none. */
uint64_t cgroup_read_key(int dir, const char *file, const char *key);
const char *cgroup_controller_name(enum controller c);

#endif
