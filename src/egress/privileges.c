/* SPDX-License-Identifier: MIT
 *
 * Gives up the rights of this process before it reads the first byte from outside: root's id,
 * all capabilities, executing programs, all files except those that the resolver and TLS read.
 * If a right cannot be given up, cordon-egress does not start.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/scope.h"
#include "egress/egress.h"

enum { NOBODY = 65534, CAP_LIMIT = 64 };

/* Where known systems keep the configuration of their resolver, and certificates. */
static const char *const readable[] = {
	"/etc",
	"/usr",
	"/lib",
	"/lib64",
	"/nix/store",
	"/run/systemd/resolve",
	"/run/NetworkManager",
	"/run/resolvconf",
	"/run/connman",
	"/run/nscd",
	"/var/lib/ca-certificates",
	"/mnt/wsl",
};

#define FS_FIRST ((LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1) /* the rights of the first version */
#define FS_READ (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)

/* Later versions add the bits for linking to another directory and for truncating. */
static uint64_t handled(long version)
{
	return FS_FIRST | (version >= 2 ? FS_FIRST + 1 : 0) |
	       (version >= 3 ? (FS_FIRST + 1) << 1 : 0);
}

static int allow(int rules, const char *path)
{
	AUTO_CLOSE int fd = open(path, O_PATH | O_CLOEXEC);
	struct landlock_path_beneath_attr rule = {FS_READ, fd};

	if (fd < 0)
		return 0;
	return (int)syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

static int drop_files(struct err *err)
{
	long version =
		syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	struct landlock_ruleset_attr attr = {.handled_access_fs = handled(version)};

	if (version < 1) { /* every tier needs Landlock, so no box would start either */
		err_errno(err, ERR_SYSTEM, "giving up files");
		err_cause(err, "this kernel has no Landlock");
		return -1;
	}
	AUTO_CLOSE int rules =
		(int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(uint64_t), 0);
	bool good = rules >= 0;
	for (size_t i = 0; good && i < ARRAY_SIZE(readable); i++)
		good = allow(rules, readable[i]) == 0;
	if (!good || syscall(SYS_landlock_restrict_self, rules, 0) < 0)
		return err_errno(err, ERR_SYSTEM, "giving up files");
	return 0;
}

/* EINVAL and EPERM: the user namespace has no such id, and the process keeps its own. */
static int drop_root(struct err *err)
{
	for (unsigned long cap = 0; cap < CAP_LIMIT; cap++)
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) < 0 && errno != EINVAL && errno != EPERM)
			return err_errno(err, ERR_SYSTEM, "giving up capabilities");
	if (geteuid() != 0)
		return 0;
	if ((setgroups(0, NULL) < 0 && errno != EPERM) ||
	    (setresgid(NOBODY, NOBODY, NOBODY) < 0 && errno != EINVAL && errno != EPERM) ||
	    (setresuid(NOBODY, NOBODY, NOBODY) < 0 && errno != EINVAL && errno != EPERM))
		return err_errno(err, ERR_SYSTEM, "changing to user nobody");
	return 0;
}

static int drop_capabilities(struct err *err)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[2] = {{0}};

	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0 ||
	    syscall(SYS_capset, &head, none) < 0)
		return err_errno(err, ERR_SYSTEM, "giving up capabilities");
	return 0;
}

int privileges_drop(struct err *err)
{
	if (drop_root(err) < 0 || drop_capabilities(err) < 0)
		return -1;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_errno(err, ERR_SYSTEM, "setting no_new_privs");
	return drop_files(err);
}

/* After the ids have changed, because that clears both settings. */
int privileges_end_with_parent(struct err *err)
{
	struct ucred cordon;
	socklen_t len = sizeof(cordon);

	/* This process holds secrets, and sockets of a hostile program: no other process may read it. */
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 ||
	    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 ||
	    getsockopt(EGRESS_CONTROL_FD, SOL_SOCKET, SO_PEERCRED, &cordon, &len) < 0)
		return err_errno(err, ERR_SYSTEM, "tying cordon-egress to cordon");
	if (getppid() != cordon.pid)
		return err_set(err, ERR_SYSTEM, "cordon is gone");
	return 0;
}
