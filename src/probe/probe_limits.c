/* SPDX-License-Identifier: MIT
 *
 * Canaries that exceed limits: those of a process, and those of the cgroup. The limits are
 * small, so that this takes little time.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/scope.h"
#include "probe/probe.h"

enum {
	FEW_FILES = 32,
	FEW_PROCESSES = 2,
	SMALL_FILE = 4096,
	SMALL_MEMORY = 16 << 20,
	BOMB = 64 << 20,
};

/* ---- rlimits ---- */

static int try_file_size(struct err *err)
{
	AUTO_CLOSE int fd = memfd_create("canary", MFD_CLOEXEC);
	char byte = 0;

	signal(SIGXFSZ, SIG_IGN);
	if (fd < 0 || pwrite(fd, &byte, 1, SMALL_FILE - 1) != 1)
		return probe_untried(err, "writing a small file");
	if (pwrite(fd, &byte, 1, SMALL_FILE) == 1 || errno != EFBIG)
		return probe_leak(err, "it wrote past the file size limit");
	return 0;
}

static int in_rlimits(struct probe *p, struct err *err)
{
	struct rlimit more = {1 << 20, 1 << 20};

	if (probe_become(p, err) < 0 || creds_limit(&p->box, err) < 0 ||
	    creds_limit_last(&p->box, err) < 0 || creds_drop(&p->box, err) < 0 ||
	    try_file_size(err) < 0)
		return -1;
	for (int i = 0; i <= FEW_FILES; i++)
		if (dup(p->ctl) < 0 && errno != EMFILE)
			return probe_untried(err, "opening files");
	if (dup(p->ctl) >= 0)
		return probe_leak(err, "it opened more files than allowed");
	if (setrlimit(RLIMIT_CORE, &more) == 0 || setrlimit(RLIMIT_NOFILE, &more) == 0)
		return probe_leak(err, "it raised its own limits");
	return 0;
}

int probe_rlimits(struct probe *p, struct err *err)
{
	creds_allow_cores(&p->box);
	if (creds_check_cores(&p->box, err) < 0)
		return -1;
	p->spec.limit[LIMIT_FILES] = FEW_FILES;
	p->spec.limit[LIMIT_FILE_SIZE] = SMALL_FILE;
	return probe_child(p, probe_usual_spaces(p), &(struct probe_part){.inside = in_rlimits},
			   err);
}

/* ---- cgroup ---- */

static int attach(struct probe *p, struct err *err)
{
	return box_wants(&p->box, LAYER_CGROUP) ? cgroup_attach(&p->box.cgroup, p->child, err) : 0;
}

/* The cgroup may allow one more, for the box's init. */
static int in_pids(struct probe *p, struct err *err)
{
	pid_t pid = 0;
	int alive = 1;

	if (probe_ready(p, err) < 0)
		return -1;
	while (alive <= FEW_PROCESSES + 1 && (pid = fork()) > 0)
		alive++;
	if (pid == 0)
		for (;;) /* until cordon-probe kills it */
			pause();
	if (pid > 0 || errno != EAGAIN)
		return probe_leak(err, "it started more processes than allowed");
	return 0;
}

static int in_memory(struct probe *p, struct err *err)
{
	if (probe_ready(p, err) < 0)
		return -1;
	char *memory = mmap(NULL, BOMB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return probe_untried(err, "asking for memory");
	memset(memory, 1, BOMB);
	return probe_leak(err, "it used more memory than allowed");
}

/* The death of the child is expected; exceed_limits checks that the cgroup's limit caused it. */
static int expect_death(struct probe *p, struct err *err)
{
	(void)p;
	(void)err;
	return 0;
}

static int exceed_limits(struct probe *p, struct err *err)
{
	struct probe_part pids = {.inside = in_pids, .ready = attach};
	struct probe_part memory = {.inside = in_memory, .ready = attach, .ended = expect_death};
	struct cgroup_usage used;

	if (probe_child(p, 0, &pids, err) < 0 || probe_child(p, 0, &memory, err) < 0)
		return -1;
	cgroup_measure(&p->box.cgroup, &used);
	if (!used.memory_hit || !WIFSIGNALED(p->status) || WTERMSIG(p->status) != SIGKILL)
		return err_set(err, ERR_LAYER, "the kernel did not stop it at the memory limit");
	return 0;
}

int probe_cgroup(struct probe *p, struct err *err)
{
	p->spec.limit[LIMIT_PIDS] = FEW_PROCESSES;
	p->spec.limit[LIMIT_MEMORY] = SMALL_MEMORY;
	if (cgroup_open(&p->box.cgroup, &cgroup_host_real, p->spec.limit, err) < 0)
		return -1;
	int r = exceed_limits(p, err);
	cgroup_close(&p->box.cgroup);
	return r;
}
