/* SPDX-License-Identifier: MIT
 *
 * Canaries for what may be opened, mapped and executed: the new root, its mounts, memory files, Landlock.
 * Each file that they make is in memory or in a mount, and goes away with them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "probe/probe.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

static char *const no_words[] = {NULL};

/* ---- newroot ---- */

static int enter(struct probe *p, struct err *err)
{
	if (probe_become(p, err) < 0)
		return -1;
	return box_wants(&p->box, LAYER_NEWROOT) ? newroot_enter(&p->box, err) : 0;
}

static int in_newroot(struct probe *p, struct err *err)
{
	if (enter(p, err) < 0)
		return -1;
	if (access(p->text, F_OK) == 0 || access("/etc/passwd", F_OK) == 0 ||
	    access("/proc/sys", F_OK) == 0)
		return probe_leak(err, "it sees files of the host");
	if (open("/canary", O_WRONLY | O_CREAT | O_CLOEXEC, 0600) >= 0 || errno != EROFS)
		return probe_leak(err, "its root can be written to");
	AUTO_CLOSE int fd = open("/tmp/canary", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return probe_untried(err, "writing to its own /tmp");
	return 0;
}

int probe_newroot(struct probe *p, struct err *err)
{
	if (readlink("/proc/self/exe", p->text, sizeof(p->text) - 1) < 0 ||
	    access(p->text, F_OK) < 0)
		return probe_untried(err, "finding a file of the host");
	return probe_child(p, PROBE_ALL_SPACES, &(struct probe_part){.inside = in_newroot}, err);
}

/* ---- noexec ---- */

static int try_executable(const char *path, struct err *err)
{
	AUTO_CLOSE int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0700);

	if (fd < 0 || ftruncate(fd, 4096) < 0 ||
	    mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		return probe_untried(err, "mapping %s", path);
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) != MAP_FAILED)
		return probe_leak(err, "it mapped %s as code", path);
	scope_close(&fd);
	/* The file is empty: if it could be executed, the error would be ENOEXEC. */
	if (execve(path, no_words, no_words) == 0 || errno != EACCES)
		return probe_leak(err, "it can execute %s", path);
	return 0;
}

static int in_noexec(struct probe *p, struct err *err)
{
	if (enter(p, err) < 0 || try_executable("/tmp/canary", err) < 0 ||
	    try_executable("/dev/shm/canary", err) < 0)
		return -1;
	return 0;
}

int probe_noexec(struct probe *p, struct err *err)
{
	return probe_child(p, PROBE_ALL_SPACES, &(struct probe_part){.inside = in_noexec}, err);
}

/* ---- memfd ---- */

#define NOT_NEEDED "not necessary: no tier requires it, and seccomp refuses this too"

static int in_memfd(struct probe *p, struct err *err)
{
	static const unsigned kinds[] = {0, MFD_EXEC};

	/* Only in a new pid namespace: otherwise it would apply to the whole host. */
	if (getpid() == 1 && box_wants(&p->box, LAYER_MEMFD) &&
	    io_write_text(AT_FDCWD, "/proc/sys/vm/memfd_noexec", "2") < 0) {
		err_errno(err, ERR_LAYER, "setting vm.memfd_noexec");
		err_cure(err, NOT_NEEDED);
		return -1;
	}
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		AUTO_CLOSE int fd = memfd_create("canary", MFD_CLOEXEC | kinds[i]);
		if (fd < 0)
			continue;
		fchmod(fd, 0700);
		if (syscall(SYS_execveat, fd, "", no_words, no_words, AT_EMPTY_PATH) == 0 ||
		    errno != EACCES)
			return probe_leak(err, "it can execute a memory file");
	}
	return 0;
}

int probe_memfd(struct probe *p, struct err *err)
{
	if (!p->box.privileged) {
		err_set(err, ERR_LAYER, "only root can set vm.memfd_noexec");
		err_cure(err, NOT_NEEDED);
		return -1;
	}
	return probe_child(p, LAYER_BIT(LAYER_USERNS) | LAYER_BIT(LAYER_PIDNS),
			   &(struct probe_part){.inside = in_memfd}, err);
}

/* ---- landlock ---- */

static int in_landlock(struct probe *p, struct err *err)
{
	int rules;

	if (creds_drop(&p->box, err) < 0)
		return -1;
	AUTO_CLOSE int before = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_CLOSE int program = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (before < 0 || program < 0)
		return probe_untried(err, "opening files before the rules apply");
	if (landlock_open(&p->box, &rules, err) < 0 || landlock_enter(&p->box, rules, err) < 0)
		return -1;
	if (open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC) >= 0 || errno != EACCES)
		return probe_leak(err, "it listed a directory that no rule grants");
	if (open("/proc/self/exe", O_RDONLY | O_CLOEXEC) >= 0 || errno != EACCES)
		return probe_leak(err, "it read a file that no rule grants");
	if (open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) >= 0)
		return probe_leak(err, "it wrote to a directory that no rule grants");
	if (execve("/proc/self/exe", no_words, no_words) == 0 || errno != EACCES)
		return probe_leak(err, "it can execute a file that no rule grants");
	return 0;
}

int probe_landlock(struct probe *p, struct err *err)
{
	return probe_child(p, probe_usual_spaces(p), &(struct probe_part){.inside = in_landlock},
			   err);
}
