/* SPDX-License-Identifier: MIT
 *
 * The cgroup code against a made-up host: mountinfo, /proc/self/cgroup and the directories are
 * plain files in a scratch directory. mkdirat and unlinkat are wrapped by the linker to do what
 * cgroupfs does: a new directory has its files at once, and goes with them unless it holds a
 * process. So v1, v2 and every broken host are looked at on any machine.
 */
#include "box/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <sys/file.h>

#include "base/scope.h"
#include "box/cgroup_backend.h"
#include "scratch.h"
#include "tap.h"

static const struct cgroup_host host = {"mountinfo", "self", .usual = NULL};

static const char *const v1_files[] = {"cgroup.procs",
				       "tasks",
				       "memory.limit_in_bytes",
				       "memory.memsw.limit_in_bytes",
				       "memory.max_usage_in_bytes",
				       "memory.oom_control",
				       "pids.max",
				       "pids.events",
				       "cpu.cfs_quota_us",
				       "cpu.cfs_period_us",
				       "cpuacct.usage",
				       NULL};
static const char *const v2_files[] = {"cgroup.procs",
				       "cgroup.controllers",
				       "cgroup.subtree_control",
				       "memory.max",
				       "memory.swap.max",
				       "memory.oom.group",
				       "memory.peak",
				       "memory.events",
				       "pids.max",
				       "pids.events",
				       "pids.peak",
				       "cpu.max",
				       "cpu.stat",
				       NULL};

static const char *const *new_files; /* what a new directory holds */

int __real_mkdirat(int dir, const char *name, mode_t mode);
int __wrap_mkdirat(int dir, const char *name, mode_t mode);
int __real_unlinkat(int dir, const char *name, int flags);
int __wrap_unlinkat(int dir, const char *name, int flags);

int __wrap_mkdirat(int dir, const char *name, mode_t mode)
{
	int r = __real_mkdirat(dir, name, mode);

	if (r < 0)
		return r;
	AUTO_CLOSE int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (const char *const *f = new_files; *f; f++)
		close(openat(fd, *f, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
	return 0;
}

int __wrap_unlinkat(int dir, const char *name, int flags)
{
	struct stat st;
	AUTO_CLOSE int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (!(flags & AT_REMOVEDIR) || fd < 0)
		return __real_unlinkat(dir, name, flags);
	if (fstatat(fd, "cgroup.procs", &st, 0) == 0 && st.st_size > 0) {
		errno = EBUSY;
		return -1;
	}
	for (const char *const *f = new_files; *f; f++)
		__real_unlinkat(fd, *f, 0);
	return __real_unlinkat(dir, name, flags);
}

static void add_line(const char *path, const char *line)
{
	FILE *f = fopen(path, "a");

	scratch_must(f && fputs(line, f) >= 0 && fclose(f) == 0, path);
}

static void reset(const char *const *files)
{
	scratch_must(system("chmod -R u+rwx fake 2>/dev/null; rm -rf fake mountinfo self") == 0,
		     "reset");
	scratch_dir("fake");
	new_files = files;
	add_line("mountinfo", "22 1 0:20 / /proc rw,nosuid - proc proc rw\n"
			      "23 1 0:21 / /sys rw shared:7 - sysfs sysfs rw\n");
	add_line("self", "");
}

/* A v1 hierarchy CONTROLLERS mounted at fake/CONTROLLERS; we are in OWN below ROOT. */
static void add_v1(const char *controllers, const char *root, const char *own, const char *dir)
{
	static int id = 2;
	char line[512], here[256], path[512];

	scratch_must(getcwd(here, sizeof(here)) != NULL, "getcwd");
	snprintf(line, sizeof(line),
		 "3%d 23 0:3%d %s %s/fake/%s rw,relatime - cgroup cgroup rw,%s\n", id, id, root,
		 here, controllers, controllers);
	add_line("mountinfo", line);
	snprintf(line, sizeof(line), "%d:%s:%s\n", id++, controllers, own);
	add_line("self", line);
	snprintf(path, sizeof(path), "mkdir -p 'fake/%s%s'", controllers, dir);
	scratch_must(system(path) == 0, path);
}

static void add_v2(const char *own, const char *dir, const char *have, const char *enabled)
{
	char line[512], here[256], path[512];

	scratch_must(getcwd(here, sizeof(here)) != NULL, "getcwd");
	snprintf(line, sizeof(line), "40 23 0:40 / %s/fake/v2 rw - cgroup2 cgroup2 rw\n", here);
	add_line("mountinfo", line);
	snprintf(line, sizeof(line), "0::%s\n", own);
	add_line("self", line);
	snprintf(path, sizeof(path), "mkdir -p fake/v2%s", dir);
	scratch_must(system(path) == 0, path);
	snprintf(path, sizeof(path), "fake/v2%s/cgroup.controllers", dir);
	scratch_file(path, have, 0444);
	snprintf(path, sizeof(path), "fake/v2%s/cgroup.subtree_control", dir);
	scratch_file(path, enabled, 0644);
}

static void standard_v1(void)
{
	reset(v1_files);
	add_v1("cpu,cpuacct", "/", "/", "");
	add_v1("pids", "/", "/user/a", "/user/a");
	add_v1("memory", "/", "/user/a", "/user/a");
}

static const uint64_t *limits(bool cpu)
{
	static uint64_t limit[LIMIT_COUNT];

	for (int i = 0; i < LIMIT_COUNT; i++)
		limit[i] = limit_row((enum limit_id)i)->fallback;
	limit[LIMIT_CPU] = cpu ? 150 : 0;
	limit[LIMIT_CPU_TIME] = cpu ? 1000 : 0;
	return limit;
}

static const char *inside(const struct cgroup *cg, const char *where, const char *file)
{
	static char path[512];

	snprintf(path, sizeof(path), "fake/%s/%s/%s", where, cg->name, file);
	return path;
}

static bool holds(const struct cgroup *cg, const char *where, const char *file, const char *text)
{
	const char *got = scratch_text(inside(cg, where, file));

	if (strcmp(got, text) != 0)
		printf("# %s holds \"%s\", not \"%s\"\n", inside(cg, where, file), got, text);
	return strcmp(got, text) == 0;
}

static int leftovers(void)
{
	int status = system("test -z \"$(find fake -name 'cordon-*')\"");

	return status;
}

static void test_v1_open(void)
{
	struct cgroup cg;
	struct err err = {0};
	char procs[32];

	standard_v1();
	ok(cgroup_open(&cg, &host, limits(true), &err) == 0, "v1: a cgroup is made: %s",
	   err.message);
	ok(!strcmp(cgroup_version(&cg), "v1") && cg.count == 3, "v1: in three hierarchies");
	ok(!strncmp(cg.name, "cordon-", 7) && strlen(cg.name) > 20,
	   "v1: its name is ours and random");
	ok(holds(&cg, "memory/user/a", "memory.limit_in_bytes", "536870912"), "v1: memory");
	ok(holds(&cg, "memory/user/a", "memory.memsw.limit_in_bytes", "536870912"), "v1: and swap");
	ok(atoi(scratch_text(inside(&cg, "pids/user/a", "pids.max"))) >= 64, "v1: pids");
	ok(holds(&cg, "cpu,cpuacct", "cpu.cfs_quota_us", "150000"), "v1: CPU share");
	ok(cgroup_attach(&cg, getpid(), &err) == 0, "v1: a process is moved");
	snprintf(procs, sizeof(procs), "%d", getpid());
	ok(holds(&cg, "memory/user/a", "cgroup.procs", procs) &&
		   holds(&cg, "pids/user/a", "cgroup.procs", procs) &&
		   holds(&cg, "cpu,cpuacct", "cgroup.procs", procs),
	   "v1: into each of them");
	cgroup_close(&cg);
	ok(leftovers() != 0 && !cg.ops, "v1: a directory with a process in it is not forced away");
}

static void test_v1_measure(void)
{
	struct cgroup cg;
	struct cgroup_usage u;
	struct err err = {0};
	uint64_t ns = 0;

	standard_v1();
	cgroup_open(&cg, &host, limits(true), &err);
	cgroup_measure(&cg, &u);
	ok(!u.memory_hit && !u.pids_hit && u.memory_peak == 0, "v1: nothing was used");
	scratch_file(inside(&cg, "memory/user/a", "memory.max_usage_in_bytes"), "12345678\n", 0644);
	scratch_file(inside(&cg, "memory/user/a", "memory.oom_control"),
		     "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n", 0644);
	scratch_file(inside(&cg, "pids/user/a", "pids.events"), "max 7\n", 0644);
	scratch_file(inside(&cg, "cpu,cpuacct", "cpuacct.usage"), "99000000\n", 0644);
	cgroup_measure(&cg, &u);
	ok(u.memory_peak == 12345678 && u.memory_hit && u.pids_hit, "v1: what the kernel counted");
	ok(cgroup_cpu_ns(&cg, &ns) == 0 && ns == 99000000, "v1: CPU time");
	scratch_must(remove(inside(&cg, "cpu,cpuacct", "cpuacct.usage")) == 0, "cpuacct.usage");
	ok(cgroup_cpu_ns(&cg, &ns) == -1, "v1: a clock that cannot be read is not at zero");
	scratch_file(inside(&cg, "memory/user/a", "memory.oom_control"),
		     "oom_kill_disable 1\nunder_oom 1\noom_kill 0\n", 0644);
	cgroup_measure(&cg, &u);
	ok(!u.memory_hit, "v1: oom_kill_disable is not taken for oom_kill");
	cgroup_close(&cg);
	ok(leftovers() == 0, "v1: nothing stays");
	ok(cgroup_cpu_ns(&cg, &ns) == -1, "v1: a closed one has no clock");
}

/* Controllers that share a hierarchy in an unusual way. */
static void test_v1_together(void)
{
	struct cgroup cg;
	struct err err = {0};

	reset(v1_files);
	add_v1("memory,cpu,cpuacct", "/", "/", "");
	add_v1("pids", "/", "/", "");
	ok(cgroup_open(&cg, &host, limits(true), &err) == 0 && cg.count == 2,
	   "v1: memory and CPU in one hierarchy, pids in another: %s", err.message);
	if (cg.ops) {
		ok(holds(&cg, "memory,cpu,cpuacct", "cpu.cfs_quota_us", "150000") &&
			   holds(&cg, "pids", "cpu.cfs_quota_us", ""),
		   "v1: each limit is written to its own hierarchy");
		cgroup_close(&cg);
	}
	reset(v1_files);
	add_v1("memory", "/docker/abc", "/docker/abc/own", "/own");
	add_v1("pids", "/docker/abc", "/docker/abc", "");
	ok(cgroup_open(&cg, &host, limits(false), &err) == 0, "v1: in a container: %s",
	   err.message);
	ok(holds(&cg, "memory/own", "memory.limit_in_bytes", "536870912") &&
		   strlen(scratch_text(inside(&cg, "pids", "pids.max"))) > 0,
	   "v1: the mount's root is cut off");
	cgroup_close(&cg);
	ok(leftovers() == 0, "v1: and all is removed");
}

static void expect_refusal(const char *what, const uint64_t *limit, const char *word)
{
	struct cgroup cg;
	struct err err = {0};
	int r = cgroup_open(&cg, &host, limit, &err);

	if (!ok(r == -1 && err.code == ERR_LAYER && !strcmp(err.layer, "cgroup"), "%s: refused",
		what))
		printf("# %d, code %u, layer %s, %s\n", r, err.code, err.layer, err.message);
	if (!ok(err.cause[0] && err.cure[0] &&
			(strstr(err.cause, word) || strstr(err.message, word)),
		"%s: with cause and cure", what))
		printf("# message \"%s\", cause \"%s\", cure \"%s\"\n", err.message, err.cause,
		       err.cure);
	ok(leftovers() == 0, "%s: nothing stays", what);
	ok(!strcmp(cgroup_version(&cg), "watcher"), "%s: and no cgroup is reported", what);
}

static void test_v1_refusals(void)
{
	reset(v1_files);
	add_v1("memory", "/", "/", "");
	expect_refusal("v1 without pids", limits(false), "pids");
	reset(v1_files);
	add_v1("memory", "/", "/", "");
	add_v1("pids", "/", "/", "");
	expect_refusal("v1 without cpu", limits(true), "cpu");
	reset(v1_files);
	add_v1("memory", "/", "/gone", "");
	add_v1("pids", "/", "/", "");
	expect_refusal("v1 with a directory that is gone", limits(false), "gone");
	if (geteuid() == 0) {
		printf("# as root every directory is writable\n");
		return;
	}
	standard_v1();
	scratch_must(chmod("fake/pids/user/a", 0555) == 0, "closing");
	expect_refusal("v1 with a closed directory", limits(false), "pids/user/a");
	chmod("fake/pids/user/a", 0755);
}

static void test_v1_incomplete(void)
{
	static const char *const no_limit[] = {"cgroup.procs", "pids.max", NULL};
	static const char *const no_swap[] = {"cgroup.procs", "pids.max", "memory.limit_in_bytes",
					      "memory.swappiness", NULL};
	struct cgroup cg;
	struct err err = {0};

	standard_v1();
	new_files = no_limit;
	ok(cgroup_open(&cg, &host, limits(false), &err) == -1 && !strcmp(err.layer, "cgroup") &&
		   strstr(err.message, "memory.limit_in_bytes"),
	   "v1: a limit that cannot be written is a refusal: %s", err.message);
	ok(leftovers() == 0, "v1: and its half is removed");
	new_files = no_swap;
	ok(cgroup_open(&cg, &host, limits(false), &err) == 0,
	   "v1: without swap accounting it works");
	ok(holds(&cg, "memory/user/a", "memory.swappiness", "0"), "v1: and nothing is swapped out");
	cgroup_close(&cg);
}

static void test_v2_open(void)
{
	struct cgroup cg;
	struct cgroup_usage u;
	struct err err = {0};

	reset(v2_files);
	add_v2("/user/me/own", "/user/me", "cpuset cpu io memory pids\n", "memory pids\n");
	scratch_dir("fake/v2/user/me/own");
	ok(cgroup_open(&cg, &host, limits(true), &err) == 0, "v2: a cgroup is made: %s %s",
	   err.message, err.cause);
	ok(!strcmp(cgroup_version(&cg), "v2") && cg.count == 1, "v2: one");
	ok(holds(&cg, "v2/user/me", "memory.max", "536870912"),
	   "v2: memory, beside our own cgroup");
	ok(holds(&cg, "v2/user/me", "memory.swap.max", "0"), "v2: no swap");
	ok(atoi(scratch_text(inside(&cg, "v2/user/me", "pids.max"))) >= 64, "v2: pids");
	ok(holds(&cg, "v2/user/me", "cpu.max", "150000 100000"), "v2: CPU share");
	ok(strstr(scratch_text("fake/v2/user/me/cgroup.subtree_control"), "+cpu"),
	   "v2: the missing controller was asked for");
	scratch_file(inside(&cg, "v2/user/me", "memory.peak"), "777\n", 0644);
	scratch_file(inside(&cg, "v2/user/me", "memory.events"),
		     "low 0\nmax 3\noom 1\noom_kill 1\n", 0644);
	scratch_file(inside(&cg, "v2/user/me", "pids.events"), "max 0\n", 0644);
	scratch_file(inside(&cg, "v2/user/me", "cpu.stat"), "usage_usec 250\nuser_usec 9\n", 0644);
	cgroup_measure(&cg, &u);
	ok(u.memory_peak == 777 && u.memory_hit && !u.pids_hit && u.cpu_ns == 250000,
	   "v2: what the kernel counted");
	cgroup_close(&cg);
	ok(leftovers() == 0, "v2: nothing stays");
}

static void test_v2_refusals(void)
{
	reset(v2_files);
	expect_refusal("no cgroup at all", limits(false), "not mounted");
	reset(v2_files);
	add_v2("/", "", "cpu pids\n", "pids\n");
	expect_refusal("v2 without memory", limits(false), "memory");
	reset(v2_files);
	add_v2("/", "", "cpuset memory_recursive pidsx pids\n", "pids\n");
	expect_refusal("v2 with a controller of a similar name", limits(false), "memory");
	reset(v2_files);
	add_v2("/", "", "memory pids\n", "memory pids\n");
	expect_refusal("v2 without cpu when a share is asked for", limits(true), "cpu");
	reset(v2_files);
	add_v2("/a/b", "/a", "memory pids\n", "memory\n");
	scratch_must(remove("fake/v2/a/cgroup.subtree_control") == 0, "subtree_control");
	expect_refusal("v2 with a controller that may not be enabled", limits(false),
		       "subtree_control");
	if (geteuid() == 0)
		return;
	reset(v2_files);
	add_v2("/a/b", "/a", "memory pids\n", "memory pids\n");
	scratch_must(chmod("fake/v2/a", 0555) == 0, "closing");
	expect_refusal("v2 that is not delegated", limits(false), "not writable");
	chmod("fake/v2/a", 0755);
}

static void test_hybrid(void)
{
	struct cgroup cg;
	struct err err = {0};

	standard_v1();
	add_v2("/", "", "", "");
	ok(cgroup_open(&cg, &host, limits(false), &err) == 0 && !strcmp(cgroup_version(&cg), "v1"),
	   "a hybrid host uses the version that has the memory controller: %s", err.message);
	cgroup_close(&cg);
}

static void test_sweep(void)
{
	struct cgroup cg;
	struct err err = {0};

	standard_v1();
	ok(cgroup_sweep(&host) == 0, "sweep: nothing to do");
	cgroup_open(&cg, &host, limits(false), &err);
	/* A lock belongs to the open file: another descriptor is another owner. */
	ok(cgroup_sweep(&host) == 0 && scratch_exists(inside(&cg, "memory/user/a", "")),
	   "sweep: one that is in use stays");
	__wrap_mkdirat(AT_FDCWD, "fake/memory/user/a/cordon-dead", 0755);
	__wrap_mkdirat(AT_FDCWD, "fake/pids/user/a/cordon-dead", 0755);
	__wrap_mkdirat(AT_FDCWD, "fake/cpu,cpuacct/cordon-dead", 0755);
	__wrap_mkdirat(AT_FDCWD, "fake/memory/user/a/other", 0755);
	__wrap_mkdirat(AT_FDCWD, "fake/memory/user/a/cordon-busy", 0755);
	scratch_file("fake/memory/user/a/cordon-busy/cgroup.procs", "1\n", 0644);
	ok(cgroup_sweep(&host) == 3, "sweep: three whose owner is dead go");
	ok(!scratch_exists("fake/memory/user/a/cordon-dead") &&
		   !scratch_exists("fake/pids/user/a/cordon-dead") &&
		   !scratch_exists("fake/cpu,cpuacct/cordon-dead"),
	   "sweep: in every hierarchy");
	ok(scratch_exists("fake/memory/user/a/other"), "sweep: what is not ours stays");
	ok(scratch_exists("fake/memory/user/a/cordon-busy"), "sweep: and what holds processes");
	ok(scratch_exists(inside(&cg, "memory/user/a", "")), "sweep: and the living");
	cgroup_close(&cg);
	reset(v2_files);
	add_v2("/a/own", "/a", "memory pids cpu\n", "memory pids cpu\n");
	__wrap_mkdirat(AT_FDCWD, "fake/v2/a/cordon-dead", 0755);
	ok(cgroup_sweep(&host) == 1 && !scratch_exists("fake/v2/a/cordon-dead"), "sweep: v2");
	reset(v2_files);
	ok(cgroup_sweep(&host) == 0, "sweep: without any cgroup");
}

int main(void)
{
	const char *dir = scratch_enter();

	test_v1_open();
	test_v1_measure();
	test_v1_together();
	test_v1_refusals();
	test_v1_incomplete();
	test_v2_open();
	test_v2_refusals();
	test_hybrid();
	test_sweep();
	scratch_leave(dir);
	return tap_done();
}
