/* SPDX-License-Identifier: MIT
 *
 * Makes, limits, measures and removes the box's cgroup directories, whatever the version.
 * A directory survives a SIGKILL of its owner, so each is locked with flock while it is in use, and a
 * sweep removes those that are not locked. rmdir of a populated cgroup fails, so a sweep can never hurt a
 * living box.
 */
#include "box/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/scope.h"
#include "box/cgroup_backend.h"

#define NAME_PREFIX "cordon-"

const struct cgroup_host cgroup_host_real = {"/proc/self/mountinfo", "/proc/self/cgroup",
					     "/sys/fs/cgroup"};

const char *cgroup_version(const struct cgroup *cg)
{
	return cg->ops ? cg->ops->version : "watcher";
}

static unsigned wanted_controllers(const uint64_t *limit)
{
	unsigned wanted = 0;

	for (const struct cgroup_limit *l = cgroup_limits; l->controller; l++)
		if (l->is_always || limit[l->id])
			wanted |= CGROUP_BIT(l->id);
	return wanted;
}

static int random_name(char *name, size_t size, struct err *err)
{
	uint64_t r[2];

	if (getrandom(r, sizeof(r), 0) != sizeof(r))
		return err_errno(err, ERR_SYSTEM, "asking for random bytes");
	snprintf(name, size, NAME_PREFIX "%016llx%016llx", (unsigned long long)r[0],
		 (unsigned long long)r[1]);
	return 0;
}

static bool is_named(int dir, int parent, const char *name)
{
	struct stat ours, there;

	return fstat(dir, &ours) == 0 && fstatat(parent, name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
	       ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

/* Between mkdir and flock a sweep may take the new directory for an abandoned one and remove it: then
 * try again. Once locked, it stays. */
static int open_locked(int parent, const char *name)
{
	for (int tries = 0; tries < 64; tries++) {
		if (mkdirat(parent, name, 0755) < 0 && errno != EEXIST)
			return -1;
		AUTO_CLOSE int dir = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (dir >= 0 && flock(dir, LOCK_EX) == 0 && is_named(dir, parent, name))
			return scope_take_fd(&dir);
	}
	return -1;
}

static int write_limits(const struct cgroup *cg, const struct cgroup_dir *d, const uint64_t *limit,
			struct err *err)
{
	for (const struct cgroup_limit *l = cgroup_limits; l->controller; l++) {
		int (*write_one)(int, uint64_t, struct err *) = l->write[cg->ops->kind];
		if (!(d->controllers & CGROUP_BIT(l->id)) || !write_one ||
		    write_one(d->dir, limit[l->id], err) == 0)
			continue;
		err_blame(err, "cgroup");
		return -1;
	}
	return 0;
}

static int make_dir(struct cgroup *cg, struct cgroup_dir *d, const uint64_t *limit, struct err *err)
{
	d->dir = open_locked(d->parent, cg->name);
	if (d->dir < 0) {
		err_errno(err, ERR_LAYER, "making a cgroup directory");
		err_blame(err, "cgroup");
		return -1;
	}
	return write_limits(cg, d, limit, err);
}

static int find_parents(struct cgroup *cg, const struct cgroup_host *host, unsigned wanted,
			struct err *err)
{
	struct cgroup_tables tables; /* not zeroed: most pages of it stay untouched */
	int n = -1;

	if (cgroup_tables_read(host, &tables) < 0) {
		err_errno(err, ERR_LAYER, "reading %s", host->self);
		err_blame(err, "cgroup");
	} else {
		/* A hybrid host has both versions: the one with the memory controller is in use. */
		cg->ops = cgroup_is_listed(&tables, "memory") ? &cgroup_v1 : &cgroup_v2;
		n = cg->ops->find(&tables, wanted, cg->dirs, err);
	}
	cgroup_tables_done(&tables);
	if (n < 0)
		cg->ops = NULL;
	cg->count = n < 0 ? 0 : (unsigned)n;
	return n;
}

int cgroup_open(struct cgroup *cg, const struct cgroup_host *host, const uint64_t *limit,
		struct err *err)
{
	memset(cg, 0, sizeof(*cg));
	if (random_name(cg->name, sizeof(cg->name), err) < 0 ||
	    find_parents(cg, host, wanted_controllers(limit), err) < 0)
		return -1;
	for (unsigned i = 0; i < cg->count; i++)
		if (make_dir(cg, &cg->dirs[i], limit, err) < 0) {
			cgroup_close(cg);
			return -1;
		}
	return 0;
}

bool cgroup_is_early(void)
{
	struct statfs fs;

	return statfs("/sys/fs/cgroup", &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC;
}

int cgroup_clone_fd(const struct cgroup *cg)
{
	return cg->ops == &cgroup_v2 ? cg->dirs[0].dir : -1;
}

/* "tasks", not "cgroup.procs": when a single thread moves itself, the kernel skips a lock that all forks
 * would wait for. */
int cgroup_open_joins(const struct cgroup *cg, int *fds, struct err *err)
{
	if (cg->ops != &cgroup_v1)
		return 0;
	for (unsigned i = 0; i < cg->count; i++) {
		fds[i] = openat(cg->dirs[i].dir, "tasks", O_WRONLY | O_CLOEXEC);
		if (fds[i] >= 0)
			continue;
		err_errno(err, ERR_LAYER, "opening the cgroup's tasks file");
		err_blame(err, "cgroup");
		while (i > 0)
			scope_close(&fds[--i]);
		return -1;
	}
	return (int)cg->count;
}

int cgroup_join(const int *fds, int count, struct err *err)
{
	for (int i = 0; i < count; i++)
		if (write(fds[i], "0", 1) != 1) {
			err_errno(err, ERR_LAYER, "entering the cgroup");
			err_blame(err, "cgroup");
			return -1;
		}
	return 0;
}

int cgroup_attach(const struct cgroup *cg, pid_t pid, struct err *err)
{
	for (unsigned i = 0; i < cg->count; i++)
		if (cgroup_write_u64(cg->dirs[i].dir, "cgroup.procs", (uint64_t)pid, err) < 0) {
			err_blame(err, "cgroup");
			err_context(err, "moving the program into its cgroup");
			return -1;
		}
	return 0;
}

void cgroup_measure(const struct cgroup *cg, struct cgroup_usage *ret)
{
	memset(ret, 0, sizeof(*ret));
	for (unsigned i = 0; i < cg->count; i++)
		cg->ops->measure(&cg->dirs[i], ret);
}

uint64_t cgroup_pids_now(const struct cgroup *cg)
{
	for (unsigned i = 0; i < cg->count; i++)
		if (cg->dirs[i].controllers & CGROUP_BIT(LIMIT_PIDS))
			return cgroup_read_u64(cg->dirs[i].dir, "pids.current");
	return 0;
}

bool cgroup_has_clock(const struct cgroup *cg)
{
	for (unsigned i = 0; i < cg->count; i++)
		if (cg->dirs[i].controllers & CGROUP_BIT(LIMIT_CPU_TIME))
			return true;
	return cg->ops == &cgroup_v2;
}

int cgroup_cpu_ns(const struct cgroup *cg, uint64_t *ret_ns)
{
	for (unsigned i = 0; cg->ops && i < cg->count; i++)
		if (cg->dirs[i].controllers & CGROUP_BIT(LIMIT_CPU_TIME))
			return cg->ops->cpu_time(&cg->dirs[i], ret_ns);
	return -1;
}

/* A dead task may still be in its cgroup for a moment after waitpid has reaped it: EBUSY. */
static int remove_dir(int parent, const char *name, int tries)
{
	static const struct timespec pause = {.tv_nsec = 500 * 1000L};

	while (unlinkat(parent, name, AT_REMOVEDIR) < 0) {
		if (errno == ENOENT)
			return 0;
		if (errno != EBUSY || --tries <= 0)
			return -1;
		nanosleep(&pause, NULL);
	}
	return 0;
}

void cgroup_remove(const struct cgroup *cg)
{
	for (unsigned i = 0; i < cg->count; i++)
		remove_dir(cg->dirs[i].parent, cg->name, 2000);
}

void cgroup_close(struct cgroup *cg)
{
	cgroup_remove(cg);
	for (unsigned i = 0; i < cg->count; i++) {
		scope_close(&cg->dirs[i].dir);
		scope_close(&cg->dirs[i].parent);
	}
	cg->count = 0;
	cg->ops = NULL;
}

static int sweep_parent(int parent)
{
	int swept = 0, fd = openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_CLOSEDIR DIR *d = fd >= 0 ? fdopendir(fd) : NULL;

	for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
		if (strncmp(e->d_name, NAME_PREFIX, sizeof(NAME_PREFIX) - 1) != 0)
			continue;
		AUTO_CLOSE int dir = openat(parent, e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (dir >= 0 && flock(dir, LOCK_EX | LOCK_NB) == 0)
			swept += remove_dir(parent, e->d_name, 400) == 0;
	}
	return swept;
}

void cgroup_sweep_beside(const struct cgroup *cg)
{
	for (unsigned i = 0; i < cg->count; i++)
		sweep_parent(cg->dirs[i].parent);
}

int cgroup_sweep(const struct cgroup_host *host)
{
	int swept = 0;

	for (const struct cgroup_limit *l = cgroup_limits; l->controller; l++) {
		struct cgroup cg = {0};
		struct err ignored;
		int n = find_parents(&cg, host, CGROUP_BIT(l->id), &ignored);
		for (int p = 0; p < n; p++) {
			swept += sweep_parent(cg.dirs[p].parent);
			scope_close(&cg.dirs[p].parent);
		}
	}
	return swept;
}
