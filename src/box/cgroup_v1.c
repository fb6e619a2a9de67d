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

static int add_controller(struct cgroup_tables *tables, const struct cgroup_limit *limit,
			  struct cgroup_dir *parents, int *n, struct err *err)
{
	struct cgroup_mount mount;

	if (cgroup_find_mount(tables, limit->controller, &mount) < 0)
		return no_controller(err, limit->controller);
	AUTO_CLOSE int fd = open(mount.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || faccessat(fd, ".", W_OK, AT_EACCESS) < 0)
		return not_writable(err, mount.path);
	int i = find_hierarchy(fd, parents, *n);
	if (i < *n) {
		parents[i].controllers |= CGROUP_BIT(limit->id);
		return 0;
	}
	parents[(*n)++] = (struct cgroup_dir){scope_take_fd(&fd), -1, CGROUP_BIT(limit->id)};
	return 0;
}

static int v1_find(struct cgroup_tables *tables, unsigned wanted, struct cgroup_dir *parents,
		   struct err *err)
{
	int n = 0;

	for (const struct cgroup_limit *l = cgroup_limits; l->controller; l++)
		if ((wanted & CGROUP_BIT(l->id)) &&
		    add_controller(tables, l, parents, &n, err) < 0) {
			while (n > 0)
				scope_close(&parents[--n].parent);
			return -1;
		}
	return n;
}

static void v1_measure(const struct cgroup_dir *d, struct cgroup_usage *u)
{
	if (d->controllers & CGROUP_BIT(LIMIT_MEMORY)) {
		u->memory_peak = cgroup_read_u64(d->dir, "memory.max_usage_in_bytes");
		u->memory_hit = cgroup_read_key(d->dir, "memory.oom_control", "oom_kill") > 0;
	}
	if (d->controllers & CGROUP_BIT(LIMIT_PIDS))
		u->pids_hit = cgroup_read_key(d->dir, "pids.events", "max") > 0;
	if (d->controllers & CGROUP_BIT(LIMIT_CPU_TIME))
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

const struct cgroup_ops cgroup_v1 = {"v1", CGROUP_V1, v1_find, v1_measure, v1_cpu_time};
