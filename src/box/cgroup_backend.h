/* SPDX-License-Identifier: MIT
 *
 * What a cgroup version implements. cgroup.c does the rest for both versions.
 */
#ifndef CORDON_BOX_CGROUP_BACKEND_H
#define CORDON_BOX_CGROUP_BACKEND_H

#include "box/cgroup.h"

enum cgroup_kind { CGROUP_V1, CGROUP_V2, CGROUP_KINDS };

/* cgroup_limits.c: the limits that a cgroup enforces or counts, ended by a row without a controller. */
struct cgroup_limit {
	enum limit_id id;
	const char *controller;
	bool is_always; /* every box has it */
	/* Writes VALUE to the box's directory. NULL: the limit needs no file or no controller there. */
	int (*write[CGROUP_KINDS])(int dir, uint64_t value, struct err *err);
};
extern const struct cgroup_limit cgroup_limits[];
/* The controller of a limit, in a set of controllers. */
#define CGROUP_BIT(id) (1U << (id))
/* The box's init was started in a v2 cgroup and counts. */
enum { CGROUP_INIT_TASKS = 1 };

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
	enum cgroup_kind kind;
	/* Fills parents[] with the open directories in which the box's are made; returns how many, or -1. */
	int (*find)(struct cgroup_tables *tables, unsigned wanted, struct cgroup_dir *parents,
		    struct err *err);
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

#endif
