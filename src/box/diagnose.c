/* SPDX-License-Identifier: MIT
 *
 * Finds out why a layer is missing: reads the sysctls, profiles and lists that can switch it off, and
 * reports which one does and how to change it. It changes nothing and never guesses from a version.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "box/box.h"

struct sysctl_row {
	enum layer layer;
	const char *path, *bad; /* the value that switches the layer off */
	const char *cure;
};

static const struct sysctl_row sysctls[] = {
	{LAYER_USERNS, "/proc/sys/user/max_user_namespaces", "0",
	 "sysctl user.max_user_namespaces=10000"},
	{LAYER_USERNS, "/proc/sys/kernel/unprivileged_userns_clone", "0",
	 "sysctl kernel.unprivileged_userns_clone=1"},
	{LAYER_USERNS, "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1",
	 "an AppArmor profile with `userns,` for cordon-box: share/cordon/apparmor has one"},
	{LAYER_NETNS, "/proc/sys/user/max_net_namespaces", "0",
	 "sysctl user.max_net_namespaces=10000"},
	{LAYER_MOUNTNS, "/proc/sys/user/max_mnt_namespaces", "0",
	 "sysctl user.max_mnt_namespaces=10000"},
	{LAYER_PIDNS, "/proc/sys/user/max_pid_namespaces", "0",
	 "sysctl user.max_pid_namespaces=10000"},
	{LAYER_IPCNS, "/proc/sys/user/max_ipc_namespaces", "0",
	 "sysctl user.max_ipc_namespaces=10000"},
	{LAYER_UTSNS, "/proc/sys/user/max_uts_namespaces", "0",
	 "sysctl user.max_uts_namespaces=10000"},
	{LAYER_CGROUPNS, "/proc/sys/user/max_cgroup_namespaces", "0",
	 "sysctl user.max_cgroup_namespaces=10000"},
};

bool diagnose_sysctl(struct err *err, enum layer layer)
{
	char value[32];

	for (size_t i = 0; i < ARRAY_SIZE(sysctls); i++) {
		const struct sysctl_row *r = &sysctls[i];
		if (r->layer != layer ||
		    io_read_text(AT_FDCWD, r->path, value, sizeof(value)) < 0 ||
		    strcmp(value, r->bad) != 0)
			continue;
		/* Root is not bound by the switches for unprivileged users. */
		if (geteuid() == 0 && strstr(r->path, "unprivileged"))
			continue;
		err_cause(err, "%s is %s", r->path, r->bad);
		err_cure(err, "%s, or ask for --tier no-userns", r->cure);
		return true;
	}
	return false;
}

static bool try_apparmor(struct err *err)
{
	char label[256];

	if (io_read_text(AT_FDCWD, "/proc/self/attr/apparmor/current", label, sizeof(label)) < 0 &&
	    io_read_text(AT_FDCWD, "/proc/self/attr/current", label, sizeof(label)) < 0)
		return false;
	if (label[0] == '\0' || strcmp(label, "unconfined") == 0 || !strstr(label, "("))
		return false;
	err_cause(err, "this process is confined by the AppArmor profile %s", label);
	err_cure(err, "allow it user namespaces and mounts in that profile, or ask for "
		      "--tier no-userns");
	return true;
}

/* "Seccomp: 2" in /proc/self/status: a filter from outside already applies to this process. */
static bool try_outer_filter(struct err *err)
{
	char status[4096];

	if (io_read_text(AT_FDCWD, "/proc/self/status", status, sizeof(status)) < 0 ||
	    !strstr(status, "\nSeccomp:\t2"))
		return false;
	err_cause(err, "a seccomp filter around Cordon (Docker, Kubernetes) forbids it");
	err_cure(err, "allow user namespaces in the container's seccomp profile, or ask for "
		      "--tier no-userns");
	return true;
}

/* A process whose root is not a mount point is in a chroot, where the kernel refuses user namespaces. */
static bool try_chroot(struct err *err)
{
	char line[4096], point[256];
	bool has_root = false;
	FILE *mounts = fopen("/proc/self/mountinfo", "re");

	if (!mounts)
		return false;
	while (!has_root && fgets(line, sizeof(line), mounts))
		has_root = sscanf(line, "%*d %*d %*s %*s %255s", point) == 1 &&
			   strcmp(point, "/") == 0;
	fclose(mounts);
	if (has_root)
		return false;
	err_cause(err, "Cordon runs in a chroot, where the kernel refuses user namespaces");
	err_cure(err, "enter that root with pivot_root (systemd-nspawn, a container), or ask for "
		      "--tier no-userns");
	return true;
}

/* When no switch is to blame: errors about a path or about the machine. */
static const struct {
	int number;
	const char *cause, *cure;
} errors[] = {
	{ENOENT, "it does not exist, or was removed while the run was prepared",
	 "restore it, or leave it out, and run again"},
	{EACCES, "this account may not open it, or a directory above it",
	 "give the account access (chmod, setfacl), or use another path"},
	{ELOOP, "its symbolic links form a loop", "name the file itself"},
	{ENOTDIR, "a component of its path is not a directory", "correct the path"},
	{ENOMEM, "the machine is out of memory", "run fewer boxes at a time, or free memory"},
	{ENOSPC, "the kernel's limit for mounts or namespaces is reached, or memory is full",
	 "run fewer boxes at a time; sysctl fs.mount-max and user.max_*_namespaces"},
	{EMFILE, "this process has too many open files", "ulimit -n 1024, or more"},
	{ENFILE, "the machine has too many open files",
	 "run fewer boxes at a time; sysctl fs.file-max"},
};

static void why_errno(struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++)
		if (errors[i].number == err->sys_errno) {
			err_cause(err, "%s", errors[i].cause);
			err_cure(err, "%s", errors[i].cure);
			return;
		}
	err_cause(err, "%s", strerror(err->sys_errno));
	err_cure(err,
		 "cordon doctor says which layers hold here, and what is wrong with the others");
}

static void why_userns(struct err *err)
{
	if (diagnose_sysctl(err, LAYER_USERNS) || try_apparmor(err) || try_outer_filter(err) ||
	    try_chroot(err))
		return;
	err_cause(err, "the kernel refuses user namespaces: %s", strerror(err->sys_errno));
	err_cure(err, "enable CONFIG_USER_NS, or ask for --tier no-userns");
}

static void why_landlock(struct err *err)
{
	char lsm[512];

	if (err->sys_errno == ENOSYS) {
		err_cause(err, "the kernel has no Landlock, or a filter around Cordon hides it");
		err_cure(err, "use a kernel with CONFIG_SECURITY_LANDLOCK (5.13 or newer)");
		return;
	}
	if (err->sys_errno != EOPNOTSUPP) {
		why_errno(err);
		return;
	}
	if (io_read_text(AT_FDCWD, "/sys/kernel/security/lsm", lsm, sizeof(lsm)) == 0 &&
	    !strstr(lsm, "landlock"))
		err_cause(err, "landlock is not in the list of active security modules (%s)", lsm);
	else
		err_cause(err, "Landlock is built in but not active, or too old for this tier");
	err_cure(err, "add landlock to the kernel's lsm= list");
}

static void why_proc(struct err *err)
{
	err_cause(err, "parts of /proc are masked around Cordon (a container), so the "
		       "kernel refuses a new one");
	err_cure(err, "run the container with an unmasked /proc, or ask for "
		      "--tier no-userns");
}

/* Ubuntu allows the user namespace but gives it no capabilities, so the mount fails. */
static void why_mount(struct err *err, enum layer layer)
{
	bool forbidden = err->sys_errno == EPERM || err->sys_errno == EACCES;

	if (diagnose_sysctl(err, layer) ||
	    (forbidden && (diagnose_sysctl(err, LAYER_USERNS) || try_apparmor(err))))
		return;
	(err->sys_errno == EPERM ? why_proc : why_errno)(err);
}

int diagnose_failed(struct err *err, enum layer layer, const char *what)
{
	err_errno(err, ERR_LAYER, "%s", what);
	err_blame(err, layer_row(layer)->name);
	diagnose_layer(err, layer);
	return -1;
}

void diagnose_layer(struct err *err, enum layer layer)
{
	switch (layer) {
	case LAYER_USERNS:
		why_userns(err);
		break;
	case LAYER_LANDLOCK:
		why_landlock(err);
		break;
	case LAYER_MOUNTNS:
	case LAYER_NEWROOT:
		why_mount(err, layer);
		break;
	case LAYER_SECCOMP:
		err_cause(err, "%s", strerror(err->sys_errno));
		err_cure(err, "use a kernel with CONFIG_SECCOMP_FILTER (5.19 or newer)");
		break;
	default:
		diagnose_sysctl(err, layer);
		break;
	}
}
