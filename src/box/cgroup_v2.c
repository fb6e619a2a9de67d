/* SPDX-License-Identifier: MIT
 *
 * cgroup v2: one tree. Except for the root, a cgroup that has processes cannot give controllers to its
 * children. So the box's is made beside this process's own, in the same parent: that is where a delegated
 * subtree lets an ordinary user make one.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "box/cgroup_backend.h"

static int refuse(struct err *err, const char *message, const char *cause, const char *cure)
{
	err_set(err, ERR_LAYER, "%s", message);
	err_blame(err, "cgroup");
	err_cause(err, "%s", cause);
	err_cure(err, "%s", cure);
	return -1;
}

static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = list; (p = strstr(p, word)); p += len)
		if ((p == list || p[-1] == ' ') && (p[len] == ' ' || p[len] == '\0'))
			return true;
	return false;
}

static bool is_wanted(const struct cgroup_limit *l, unsigned wanted)
{
	return (wanted & CGROUP_BIT(l->id)) && l->write[CGROUP_V2];
}

/* The wanted controllers that are not in HAVE, by name. */
static bool list_missing(const char *have, unsigned wanted, char *ret, size_t size)
{
	size_t len = 0;

	ret[0] = '\0';
	for (const struct cgroup_limit *l = cgroup_limits; l->controller && len < size; l++)
		if (is_wanted(l, wanted) && !has_word(have, l->controller))
			len += (size_t)snprintf(ret + len, size - len, "%s%s", len ? ", " : "",
						l->controller);
	return len > 0;
}

static int enable(int parent, const char *path, const char *name, struct err *err)
{
	char ask[32], cause[CGROUP_PATH_MAX + 128];

	snprintf(ask, sizeof(ask), "+%s", name);
	if (io_write_text(parent, "cgroup.subtree_control", ask) == 0)
		return 0;
	snprintf(cause, sizeof(cause), "%s in %s/cgroup.subtree_control: %s", ask, path,
		 strerror(errno));
	return refuse(err, "a cgroup v2 controller could not be enabled", cause,
		      "use a delegated cgroup (systemd-run --user --scope -p Delegate=yes), or ask "
		      "for --tier no-cgroup");
}

/* The children of PARENT must have each wanted controller; some may have to be enabled first. */
static int enable_controllers(int parent, const char *path, unsigned wanted, struct err *err)
{
	char have[512] = "", now[512] = "", missing[64], cause[CGROUP_PATH_MAX + 128];

	io_read_text(parent, "cgroup.subtree_control", now, sizeof(now));
	if (!list_missing(now, wanted, missing, sizeof(missing)))
		return 0;
	io_read_text(parent, "cgroup.controllers", have, sizeof(have));
	if (list_missing(have, wanted, missing, sizeof(missing))) {
		snprintf(cause, sizeof(cause), "not in %s/cgroup.controllers: %s", path, missing);
		return refuse(err, "cgroup v2 controllers are missing", cause,
			      "enable them on the kernel command line or have them delegated, or "
			      "ask for --tier no-cgroup");
	}
	for (const struct cgroup_limit *l = cgroup_limits; l->controller; l++)
		if (is_wanted(l, wanted) && !has_word(now, l->controller) &&
		    enable(parent, path, l->controller, err) < 0)
			return -1;
	return 0;
}

static int v2_find(struct cgroup_tables *tables, unsigned wanted, struct cgroup_dir *parents,
		   struct err *err)
{
	struct cgroup_mount m;
	char cause[CGROUP_PATH_MAX + 128];

	if (cgroup_find_mount(tables, NULL, &m) < 0)
		return refuse(err, "no cgroup is usable", "cgroup v2 is not mounted",
			      "mount it at /sys/fs/cgroup, or ask for --tier no-cgroup");
	if (!m.is_root)
		dirname(m.path);
	AUTO_CLOSE int fd = open(m.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || faccessat(fd, ".", W_OK, AT_EACCESS) < 0) {
		snprintf(cause, sizeof(cause), "cgroup v2: %s is not writable for uid %u", m.path,
			 (unsigned)geteuid());
		return refuse(err, "no cgroup may be made here", cause,
			      "run in a delegated cgroup (systemd-run --user --scope -p "
			      "Delegate=yes), or ask for --tier no-cgroup");
	}
	if (enable_controllers(fd, m.path, wanted, err) < 0)
		return -1;
	parents[0] =
		(struct cgroup_dir){.parent = scope_take_fd(&fd), .dir = -1, .controllers = wanted};
	return 1;
}

static void v2_measure(const struct cgroup_dir *d, struct cgroup_usage *u)
{
	u->memory_peak = cgroup_read_u64(d->dir, "memory.peak");
	u->memory_hit = cgroup_read_key(d->dir, "memory.events", "oom_kill") > 0;
	u->pids_hit = cgroup_read_key(d->dir, "pids.events", "max") > 0;
	u->pids_peak = cgroup_read_u64(d->dir, "pids.peak");
	u->pids_peak -= u->pids_peak >= CGROUP_INIT_TASKS ? CGROUP_INIT_TASKS : 0;
	u->cpu_ns = cgroup_read_key(d->dir, "cpu.stat", "usage_usec") * 1000;
}

static int v2_cpu_time(const struct cgroup_dir *d, uint64_t *ret_ns)
{
	char text[2048];
	const char *at = NULL;

	if (io_read_text(d->dir, "cpu.stat", text, sizeof(text)) == 0)
		at = strstr(text, "usage_usec ");
	if (!at)
		return -1;
	*ret_ns = strtoull(at + strlen("usage_usec "), NULL, 10) * 1000;
	return 0;
}

const struct cgroup_ops cgroup_v2 = {"v2", CGROUP_V2, v2_find, v2_measure, v2_cpu_time};
