/* SPDX-License-Identifier: MIT
 *
 * cgroup v1: one hierarchy per controller, the box's directory below our own in each.
 * Out-of-memory is told from oom_control's counter only: failcnt also rises when the kernel
 * merely drops page cache.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "box/cgroup_backend.h"

static const enum controller order[] = {CTL_MEMORY, CTL_PIDS, CTL_CPU, CTL_CPUACCT};

static int no_controller(struct err *err, const char *name)
{
	err_set(err, ERR_LAYER, "no usable %s controller", name);
	err_blame(err, "cgroup");
	err_cause(err, "no cgroup v1 hierarchy with the %s controller is mounted", name);
	err_cure(err, "mount it, use a host with cgroup v2, or ask for --tier no-cgroup");
	return -1;
}

static int not_writable(struct err *err, const char *path)
{
	err_set(err, ERR_LAYER, "no cgroup may be made here: %s", strerror(errno));
	err_blame(err, "cgroup");
	err_cause(err, "cgroup v1: %s is not writable for uid %u", path, (unsigned)geteuid());
	err_cure(err, "run as root, have an administrator chown a cgroup to you, "
		      "or ask for --tier no-cgroup");
	return -1;
}

/* Controllers may share a hierarchy (cpu,cpuacct often do). N when this one is new. */
static int find_hierarchy(int fd, const struct cgroup_dir *before, int n)
{
	struct stat ours, other;
	int i = 0;

	while (i < n && (fstat(fd, &ours) < 0 || fstat(before[i].parent, &other) < 0 ||
			 ours.st_dev != other.st_dev || ours.st_ino != other.st_ino))
		i++;
	return i;
}

static int add_controller(struct cgroup_tables *tables, enum controller c,
			  struct cgroup_dir *parents, int *n, struct err *err)
{
	struct cgroup_mount mount;

	if (cgroup_find_mount(tables, cgroup_controller_name(c), &mount) < 0)
		return no_controller(err, cgroup_controller_name(c));
	AUTO_CLOSE int fd = open(mount.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || faccessat(fd, ".", W_OK, AT_EACCESS) < 0)
		return not_writable(err, mount.path);
	int i = find_hierarchy(fd, parents, *n);
	if (i < *n) {
		parents[i].controllers |= c;
		return 0;
	}
	parents[(*n)++] = (struct cgroup_dir){scope_take_fd(&fd), -1, c};
	return 0;
}

static int v1_find(struct cgroup_tables *tables, unsigned wanted, struct cgroup_dir *parents,
		   struct err *err)
{
	int n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		if ((wanted & order[i]) && add_controller(tables, order[i], parents, &n, err) < 0) {
			while (n > 0)
				scope_close(&parents[--n].parent);
			return -1;
		}
	return n;
}

/* memsw exists only with swap accounting. Without it the limit is on what is in memory, so nothing
 * of the box may be swapped out. */
static int limit_memory(int dir, uint64_t bytes, struct err *err)
{
	if (cgroup_write_u64(dir, "memory.limit_in_bytes", bytes, err) < 0)
		return -1;
	if (cgroup_write_u64(dir, "memory.memsw.limit_in_bytes", bytes, err) == 0)
		return 0;
	return errno == ENOENT ? cgroup_write_u64(dir, "memory.swappiness", 0, err) : -1;
}

static int v1_limit(const struct cgroup_dir *d, const uint64_t *limit, struct err *err)
{
	int r = 0;

	if (d->controllers & CTL_MEMORY)
		r = limit_memory(d->dir, limit[LIMIT_MEMORY], err);
	if (r == 0 && (d->controllers & CTL_PIDS))
		r = cgroup_write_u64(d->dir, "pids.max", limit[LIMIT_PIDS], err);
	if (r == 0 && (d->controllers & CTL_CPU) && limit[LIMIT_CPU])
		r = cgroup_write_u64(d->dir, "cpu.cfs_quota_us", limit[LIMIT_CPU] * 1000, err);
	if (r < 0)
		err_blame(err, "cgroup");
	return r;
}

static void v1_measure(const struct cgroup_dir *d, struct cgroup_usage *u)
{
	if (d->controllers & CTL_MEMORY) {
		u->memory_peak = cgroup_read_u64(d->dir, "memory.max_usage_in_bytes");
		u->memory_hit = cgroup_read_key(d->dir, "memory.oom_control", "oom_kill") > 0;
	}
	if (d->controllers & CTL_PIDS)
		u->pids_hit = cgroup_read_key(d->dir, "pids.events", "max") > 0;
	if (d->controllers & CTL_CPUACCT)
		u->cpu_ns = cgroup_read_u64(d->dir, "cpuacct.usage");
}

static int v1_cpu_time(const struct cgroup_dir *d, uint64_t *ret_ns)
{
	char text[32];

	if (io_read_text(d->dir, "cpuacct.usage", text, sizeof(text)) < 0)
		return -1;
	*ret_ns = strtoull(text, NULL, 10);
	return 0;
}

const struct cgroup_ops cgroup_v1 = {"v1", v1_find, v1_limit, v1_measure, v1_cpu_time};
