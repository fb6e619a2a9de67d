/* SPDX-License-Identifier: MIT
 *
 * Everything that happens before the clock runs: the filter for the peers, OCI bundles, the
 * priority to measure at, and the proof that each tool really runs its program.
 * Must never let a tool into the table that did not print "ok" through its own sandbox.
 */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <linux/filter.h>
#include <linux/magic.h>
#include <pwd.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "bench.h"

#define HIGHEST_NICE (-20)

bool tool_is_present(const struct tool *t)
{
	static const char *const dirs[] = {"/usr/bin", "/bin", "/usr/sbin", "/sbin", NULL};
	char path[PATH_BYTES_MAX];
	if (t->program[0] == '{' || t->program[0] == '/')
		return true;
	for (size_t i = 0; dirs[i]; i++) {
		snprintf(path, sizeof(path), "%s/%s", dirs[i], t->program);
		if (access(path, X_OK) == 0)
			return true;
	}
	return false;
}

/* What runs alone is timed at the real-time priority we were started with, so that the host's other
 * work is not in the numbers; everything else above it by nice only, or we would starve the host.
 */
bool priority_is_realtime(void)
{
	return sched_getscheduler(0) == SCHED_FIFO;
}

void priority_lower(void)
{
	struct sched_param none = {0};

	sched_setscheduler(0, SCHED_OTHER, &none);
	setpriority(PRIO_PROCESS, 0, HIGHEST_NICE);
}

/* The build makes one filter for programs that take a file: Cordon's list, and EPERM for the rest
 * where Cordon would ask its supervisor. Its length is reported, because loading it costs by it. */
int filter_measure(struct bench *b)
{
	struct stat st;

	if (stat(b->filter, &st) < 0 || st.st_size <= 0 ||
	    st.st_size % (off_t)sizeof(struct sock_filter))
		return -1;
	b->filter_len = (size_t)st.st_size / sizeof(struct sock_filter);
	return 0;
}

/* Makes the root's entries relative to the scratch directory: no long paths to put together. */
static int rootfs_make(int scratch_fd)
{
	static const char *const dirs[] = {
		"rootfs",     "rootfs/usr", "rootfs/proc", "rootfs/dev",
		"rootfs/tmp", "rootfs/sys", "rootfs/etc",  "rootfs/etc/alternatives",
		NULL};
	static const char *const links[][2] = {
		{"usr/bin", "rootfs/bin"},
		{"usr/sbin", "rootfs/sbin"},
		{"usr/lib", "rootfs/lib"},
		{"usr/lib64", "rootfs/lib64"},
		{NULL, NULL},
	};
	for (size_t i = 0; dirs[i]; i++)
		if (mkdirat(scratch_fd, dirs[i], 0755) < 0 && errno != EEXIST)
			return -1;
	for (size_t i = 0; links[i][0]; i++)
		if (symlinkat(links[i][0], scratch_fd, links[i][1]) < 0 && errno != EEXIST)
			return -1;
	return 0;
}

static json_t *words_json(const char *text)
{
	json_t *list = json_array();
	while (*text) {
		size_t len = strcspn(text, " ");
		json_array_append_new(list, json_stringn(text, len));
		text += len + strspn(text + len, " ");
	}
	return list;
}

static int bundle_write(int scratch_fd, json_t *config, const struct work *w)
{
	char name[64];
	json_object_set_new(json_object_get(config, "process"), "args", words_json(w->cmd));
	snprintf(name, sizeof(name), "bundle-%s", w->name);
	if (mkdirat(scratch_fd, name, 0755) < 0 && errno != EEXIST)
		return -1;
	snprintf(name, sizeof(name), "bundle-%s/config.json", w->name);
	int fd = openat(scratch_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	int rc = fd < 0 ? -1 : json_dumpfd(config, fd, JSON_INDENT(1));
	if (fd >= 0)
		close(fd);
	return rc;
}

int bundles_prepare(const struct bench *b)
{
	char path[PATH_BYTES_MAX];
	snprintf(path, sizeof(path), "%s/oci.json", b->here);
	json_t *config = json_load_file(path, 0, NULL);
	int fd = open(b->scratch, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int rc = config && fd >= 0 ? rootfs_make(fd) : -1;
	snprintf(path, sizeof(path), "%s/rootfs", b->scratch);
	json_object_set_new(json_object_get(config, "root"), "path", json_string(path));
	for (size_t i = 0; rc == 0 && i < WORK_COUNT; i++)
		rc = bundle_write(fd, config, &works[i]);
	json_decref(config);
	if (fd >= 0)
		close(fd);
	return rc;
}

static bool cgroup_is_mixed(void)
{
	struct statfs top, unified;
	return statfs("/sys/fs/cgroup", &top) == 0 && top.f_type == TMPFS_MAGIC &&
	       statfs("/sys/fs/cgroup/unified", &unified) == 0 &&
	       unified.f_type == CGROUP2_SUPER_MAGIC;
}

/* Why a row is not for this host or this user; NULL if it is. */
static const char *tool_unfit(const struct bench *b, const struct tool *t)
{
	if ((t->needs & NEED_ROOT) && !b->root)
		return "needs root";
	if ((t->needs & NEED_PURE_CGROUP) && cgroup_is_mixed())
		return "refuses hosts that mount cgroup v1 and v2 together";
	if ((t->needs & NEED_ACCOUNT) && !getpwuid(getuid()))
		return "needs a user with a passwd entry";
	return NULL;
}

static void tool_verify(struct bench *b, const struct tool *t, struct outcome *o)
{
	struct plan p;
	char text[64] = "";
	const char *unfit = tool_unfit(b, t);
	if (!tool_is_present(t)) {
		snprintf(o->reason, sizeof(o->reason), "not installed");
		return;
	}
	o->state = unfit ? STATE_NOT_HERE : STATE_FAILED;
	snprintf(o->reason, sizeof(o->reason), "%s", unfit ? unfit : "");
	if (unfit)
		return;
	if ((t->needs & NEED_FILTER) && !b->filter_len)
		snprintf(o->reason, sizeof(o->reason), "no filter at %s", b->filter);
	else if (plan_make(&p, b, t, &works[WORK_ECHO]) < 0)
		snprintf(o->reason, sizeof(o->reason), "its row is too long");
	else if (spawn_read(&p, b->err_fd, text, sizeof(text), o->reason) < 0)
		spawn_blame(b->err_fd, o->reason);
	else if (strcmp(text, "ok\n") != 0)
		snprintf(o->reason, sizeof(o->reason), "ran, but printed \"%s\" instead of ok",
			 text);
	else
		o->state = STATE_RAN;
}

void tools_verify(struct bench *b)
{
	for (size_t i = 0; i < tools_count; i++)
		if (!b->only || strcmp(tools[i].name, "bare") == 0 ||
		    strstr(b->only, tools[i].name))
			tool_verify(b, &tools[i], &b->out[i]);
		else
			snprintf(b->out[i].reason, REASON_BYTES_MAX, "not asked for");
}
