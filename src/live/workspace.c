/* SPDX-License-Identifier: MIT
 *
 * See workspace.h. A workspace must contain ordinary files. The kernel's own file systems (proc,
 * sysfs and others) would reveal the host and let the program change it. An overlay shows one file
 * system, so below a mount the program would see the files that the mount hides.
 */
#include "live/workspace.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/account.h"
#include "base/scope.h"
#include "live/mounts.h"

static const struct {
	unsigned long type;
	char name[16];
} kernel_files[] = {
	{PROC_SUPER_MAGIC, "proc"},
	{SYSFS_MAGIC, "sysfs"},
	{CGROUP_SUPER_MAGIC, "cgroup"},
	{CGROUP2_SUPER_MAGIC, "cgroup2"},
	{DEBUGFS_MAGIC, "debugfs"},
	{TRACEFS_MAGIC, "tracefs"},
	{SECURITYFS_MAGIC, "securityfs"},
	{SELINUX_MAGIC, "selinuxfs"},
	{SMACK_MAGIC, "smackfs"},
	{BPF_FS_MAGIC, "bpf"},
	{DEVPTS_SUPER_MAGIC, "devpts"},
	{EFIVARFS_MAGIC, "efivarfs"},
	{PSTOREFS_MAGIC, "pstore"},
	{BINFMTFS_MAGIC, "binfmt_misc"},
	{NSFS_MAGIC, "nsfs"},
	{RDTGROUP_SUPER_MAGIC, "resctrl"},
	{0x62656570, "configfs"},
	{0x65735543, "fusectl"},
	{0x19800202, "mqueue"},
};

static int refuse_kernel_files(const char *path, const char *name, struct err *err)
{
	err_set(err, ERR_INPUT, "workspace %s: not a directory of files", path);
	err_cause(err, "it is %s, a file system of the kernel, which reveals and controls the host",
		  name);
	err_cure(err, "copy the files that the program needs to a directory");
	return -1;
}

static int check_type(int fd, const char *real, struct err *err)
{
	struct statfs fs;

	if (fstatfs(fd, &fs) < 0)
		return err_errno(err, ERR_INPUT, "workspace %s", real);
	for (size_t i = 0; i < ARRAY_SIZE(kernel_files); i++)
		if ((unsigned long)fs.f_type == kernel_files[i].type)
			return refuse_kernel_files(real, kernel_files[i].name, err);
	return 0;
}

static int refuse_mount(const char *real, const char *path, struct err *err)
{
	err_set(err, ERR_INPUT, "workspace %s: something is mounted below it", real);
	err_cause(err, "an overlay shows one file system, and %.200s is on another", path);
	err_cure(err, "use :ro or :rw, or a directory without mounts below it");
	return -1;
}

static int check_mounts(const struct mount *all, const char *real, enum workspace_mode mode,
			struct err *err)
{
	for (const struct mount *m = all; m; m = m->next) {
		const char *rest = path_below(m->point, real);
		if (!rest || !*rest)
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(kernel_files); i++)
			if (strcmp(m->type, kernel_files[i].name) == 0)
				return refuse_kernel_files(m->point, m->type, err);
		if (mode == WORKSPACE_OVERLAY)
			return refuse_mount(real, m->point, err);
	}
	return 0;
}

static int check_path(const char *what, const char *real, struct err *err)
{
	if (strcmp(real, "/") == 0) {
		err_set(err, ERR_INPUT, "%s /: the root directory is not allowed", what);
		err_cause(err, "every file of the host would be in the box");
	} else if (!spec_path_is_clean(real)) {
		err_set(err, ERR_INPUT, "%s %s: the path is not allowed", what, real);
		err_cause(err, "it contains a control character");
	} else {
		return 0;
	}
	err_cure(err, "use a directory that contains only the files for the program");
	return -1;
}

/* Files that the program creates there would belong to root, executable ones included. The box
 * refuses this too, but only after the decision. */
static int check_owner(const char *what, int fd, const char *real, enum workspace_mode mode,
		       struct err *err)
{
	struct stat st;

	if (mode != WORKSPACE_RW || geteuid() != 0 || account_is_mapped())
		return 0;
	if (fstat(fd, &st) < 0)
		return err_errno(err, ERR_INPUT, "%s %s", what, real);
	if (st.st_uid != 0 && st.st_gid != 0)
		return 0;
	bool owner = st.st_uid == 0;
	err_set(err, ERR_REFUSED, "%s: a directory of root's%s cannot be written to directly", what,
		owner ? "" : " group");
	err_cause(err, "files that the program creates would belong to %s",
		  owner ? "root" : "root's group, whichever user owns the directory");
	err_cure(err, "use --workspace DIR:overlay with --apply, or %s",
		 owner ? "a directory of an ordinary user" : "change its group with chgrp");
	return -1;
}

/* The box has its own of these. */
static const char *const boxes_own[] = {
	"/bin",	  "/boot",    "/cordon",  "/dev",	"/dev/shm",  "/etc",  "/lib",
	"/lib32", "/lib64",   "/libx32",  "/proc",	"/run",	     "/sbin", "/sys",
	"/usr",	  "/usr/bin", "/usr/lib", "/usr/local", "/usr/sbin", NULL};
/* Directories of all accounts, or with files of every kind. */
static const char *const wholes[] = {"/home", "/media", "/mnt", "/opt",	    "/root",
				     "/srv",  "/tmp",	"/var", "/var/tmp", NULL};

static bool is_among(const char *real, const char *const *list)
{
	while (*list && strcmp(*list, real) != 0)
		list++;
	return *list;
}

static bool is_home(const char *real)
{
	const char *home = getenv("HOME"), *name = path_below(real, "/home");
	char path[PATH_MAX];

	if (name && *name && !strchr(name, '/'))
		return true;
	return home && realpath(home, path) && strcmp(path, real) == 0;
}

/* The workspace has the same path in the box. */
static int check_whole(const char *what, const char *real, bool whole, struct err *err)
{
	if (is_among(real, boxes_own)) {
		err_set(err, ERR_INPUT, "%s %s: a directory of the system", what, real);
		err_cause(err, "the box has its own");
		err_cure(err, "use a directory below it, or a copy");
		return -1;
	}
	if (whole || (!is_among(real, wholes) && !is_home(real)))
		return 0;
	err_set(err, ERR_INPUT, "%s %s: this is more than one project", what, real);
	err_cause(err, "every file in it would be in the box");
	err_cure(err, "use the project's directory; or --whole");
	return -1;
}

int workspace_open(const char *real, const struct request *req, struct own_paths *own,
		   struct spec *spec, struct err *err)
{
	enum workspace_mode mode = req->workspace_mode;
	const struct own_shown shown = {real, real, mode >= WORKSPACE_OVERLAY};
	AUTO_CLOSE int fd = open(real, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return err_errno(err, ERR_INPUT, "workspace %s", real);
	if (check_path("workspace", real, err) < 0 ||
	    check_whole("workspace", real, req->whole, err) < 0 || check_type(fd, real, err) < 0 ||
	    own_paths_mask(own, fd, &shown, spec, err) < 0 ||
	    check_mounts(own->mounts, real, mode, err) < 0 ||
	    check_owner("workspace", fd, real, mode, err) < 0)
		return -1;
	return scope_take_fd(&fd);
}

int workspace_check_more(const char *what, const char *real, int fd, enum workspace_mode mode,
			 const struct request *req, const struct own_paths *own, struct err *err)
{
	if (check_path(what, real, err) < 0 || check_whole(what, real, req->whole, err) < 0)
		return -1;
	return check_type(fd, real, err) < 0 || check_mounts(own->mounts, real, mode, err) < 0
		       ? -1
		       : check_owner(what, fd, real, mode, err);
}

void workspace_explain(const char *asked, struct err *err)
{
	const char *colon = strrchr(asked, ':');

	err_context(err, "workspace");
	if (!colon || strchr(colon, '/'))
		return;
	err_cause(err, "\"%.64s\" is not a mode, so it was read as part of the name", colon);
	err_cure(err, "write DIR:ro, DIR:overlay or DIR:rw");
}
