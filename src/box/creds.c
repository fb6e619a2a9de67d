/* SPDX-License-Identifier: MIT
 *
 * Resource limits and credentials of the program, set just before Landlock and seccomp. Each row must
 * succeed. If the caller's own hard limit is lower than a row's, it stays.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "box/box.h"
#include "box/tree.h"

#define SECUREBITS_LOCKED                                                                          \
	(SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |                           \
	 SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED | SECBIT_NO_CAP_AMBIENT_RAISE |   \
	 SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED)

/* In bytes. 1 writes no core and starts no command of core_pattern; 0 would start the command. */
enum { CORE_MAX = 1 };

#define SYSCTLS "/proc/sys/kernel"

struct rlimit_row {
	int resource;
	const char *name;
	enum limit_id limit; /* LIMIT_NONE: the fixed value */
	rlim_t fixed;
};

static const struct rlimit_row rlimit_rows[] = {
	{RLIMIT_FSIZE, "file size", LIMIT_FILE_SIZE, 0},
	{RLIMIT_CORE, "core files", LIMIT_NONE, CORE_MAX},
	{RLIMIT_MEMLOCK, "locked memory", LIMIT_NONE, 64 << 10},
	{RLIMIT_MSGQUEUE, "message queues", LIMIT_NONE, 0},
	{RLIMIT_SIGPENDING, "pending signals and timers", LIMIT_NONE, 1024},
	{RLIMIT_NICE, "nice", LIMIT_NONE, 0},
	{RLIMIT_RTPRIO, "real-time priority", LIMIT_NONE, 0},
};

static int refuse_cores(const char *cause, const char *cure, struct err *err)
{
	err_set(err, ERR_LAYER, "the program's core dumps would leave the box");
	err_blame(err, "rlimits");
	err_cause(err, "%s", cause);
	err_cure(err, "%s", cure);
	return -1;
}

void creds_allow_cores(const struct box *b)
{
	const struct rlimit one = {CORE_MAX, CORE_MAX};
	struct rlimit now;

	if (box_wants(b, LAYER_RLIMITS) && getrlimit(RLIMIT_CORE, &now) == 0 &&
	    now.rlim_max < CORE_MAX)
		setrlimit(RLIMIT_CORE, &one);
}

/* Only a limit of exactly 1 stops a core that goes to a pipe, and a process with a hard limit of 0 cannot
 * set it. No limit stops a core that goes to a socket (Linux 6.16). */
int creds_check_cores(const struct box *b, struct err *err)
{
	struct rlimit now;
	char pattern[256];

	if (!box_wants(b, LAYER_RLIMITS))
		return 0;
	if (getrlimit(RLIMIT_CORE, &now) < 0 ||
	    io_read_text(AT_FDCWD, SYSCTLS "/core_pattern", pattern, sizeof(pattern)) < 0) {
		/* The kernel may have been built without core dumps. */
		if (errno == ENOENT && access(SYSCTLS, F_OK) == 0)
			return 0;
		return diagnose_failed(err, LAYER_RLIMITS, "looking where core dumps go");
	}
	if (pattern[0] == '@')
		return refuse_cores("kernel.core_pattern names a socket, and no limit stops that",
				    "sysctl kernel.core_pattern=core, or a command: Cordon stops "
				    "both",
				    err);
	if (pattern[0] != '|' || now.rlim_max >= CORE_MAX)
		return 0;
	return refuse_cores("kernel.core_pattern names a command, which a limit of 1 stops; your "
			    "hard limit is 0 (ulimit -Hc), which does not",
			    "have the hard limit raised, or sysctl kernel.core_pattern=core", err);
}

static int set_rlimit(int resource, const char *name, rlim_t value, struct err *err)
{
	struct rlimit old, now = {value, value};

	if (setrlimit(resource, &now) == 0)
		return 0;
	/* An ordinary process may not raise a hard limit: then the caller's lower one stays. */
	if (errno == EPERM && getrlimit(resource, &old) == 0 && old.rlim_max < value)
		now = (struct rlimit){old.rlim_max, old.rlim_max};
	if (setrlimit(resource, &now) < 0) {
		err_errno(err, ERR_LAYER, "limiting %s", name);
		err_blame(err, "rlimits");
		return -1;
	}
	return 0;
}

int creds_lower_limit(int resource, uint64_t value)
{
	struct rlimit now;

	if (getrlimit(resource, &now) < 0)
		return -1;
	if (value < now.rlim_max)
		now.rlim_max = value;
	now.rlim_cur = now.rlim_max;
	return setrlimit(resource, &now);
}

int creds_lower_limits(const uint64_t *limit)
{
	for (size_t i = 0; i < ARRAY_SIZE(rlimit_rows); i++) {
		const struct rlimit_row *r = &rlimit_rows[i];
		if (r->limit != LIMIT_NONE && creds_lower_limit(r->resource, limit[r->limit]) < 0)
			return -1;
	}
	return 0;
}

/* The kernel counts processes per user and user namespace. Without a namespace of its own, the box shares
 * the count with the other processes of its user, so those are added. Root's boxes have a user to
 * themselves. */
static int limit_processes(const struct box *b, struct err *err)
{
	uint64_t others = 0;

	if (b->spec->tier == TIER_NO_USERNS && !b->privileged &&
	    tree_count_user(b->outer_uid, &others) < 0)
		return diagnose_failed(err, LAYER_RLIMITS, "counting the user's processes");
	/* Init; in a live box also the starter, and a subreaper for each start, which has a process. */
	uint64_t most = b->spec->limit[LIMIT_PIDS], own = 1;
	if (b->spec->flags & SPEC_LIVE)
		own = 3 + (most < CORDON_STARTS_MAX ? most : CORDON_STARTS_MAX);

	return set_rlimit(RLIMIT_NPROC, "processes", most + own + others, err);
}

/* Without a cgroup, limits per process take its place. The watcher adds up what they cannot see: shared
 * memory, and many processes. */
static int limit_without_cgroup(struct box *b, struct err *err)
{
	const uint64_t *limit = b->spec->limit;

	if (b->spec->tier == TIER_FULL)
		return 0;
	if (limit[LIMIT_CPU_TIME] &&
	    set_rlimit(RLIMIT_CPU, "CPU time", limit[LIMIT_CPU_TIME] / 1000 + 1, err) < 0)
		return -1;
	return limit_processes(b, err);
}

int creds_limit(struct box *b, struct err *err)
{
	if (!box_wants(b, LAYER_RLIMITS))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(rlimit_rows); i++) {
		const struct rlimit_row *r = &rlimit_rows[i];
		rlim_t value = r->limit == LIMIT_NONE ? r->fixed : b->spec->limit[r->limit];
		if (set_rlimit(r->resource, r->name, value, err) < 0)
			return -1;
	}
	if (limit_without_cgroup(b, err) < 0)
		return -1;
	box_mark(b, LAYER_RLIMITS);
	return 0;
}

/* Called after cordon-box has opened its last descriptor and allocated its last memory. */
int creds_limit_last(struct box *b, struct err *err)
{
	if (!box_wants(b, LAYER_RLIMITS))
		return 0;
	if (b->spec->tier != TIER_FULL &&
	    set_rlimit(RLIMIT_DATA, "memory", b->spec->limit[LIMIT_MEMORY], err) < 0)
		return -1;
	return set_rlimit(RLIMIT_NOFILE, "open files", b->spec->limit[LIMIT_FILES], err);
}

/* An ordinary user without a user namespace has no CAP_SETPCAP and cannot empty the bounding set. The
 * process then has no capability, and no_new_privs keeps it so. */
int creds_drop_bounding(const struct box *b, struct err *err)
{
	if (!box_wants(b, LAYER_CAPS))
		return 0;
	for (int cap = 0; cap < 64; cap++) {
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == 0)
			continue;
		if (errno == EINVAL) /* one past the last capability of this kernel */
			break;
		if (errno == EPERM && b->spec->tier == TIER_NO_USERNS)
			return 0;
		return diagnose_failed(err, LAYER_CAPS, "emptying the capability bounding set");
	}
	if (prctl(PR_SET_SECUREBITS, SECUREBITS_LOCKED, 0, 0, 0) < 0)
		return diagnose_failed(err, LAYER_CAPS, "locking the secure bits");
	return 0;
}

/* The call succeeded and had no effect, so errno means nothing. */
static int does_not_hold(struct err *err, enum layer layer, const char *what)
{
	err_set(err, ERR_LAYER, "%s", what);
	err_blame(err, layer_row(layer)->name);
	err_cause(err, "the kernel, or a layer above it, accepted the call and did nothing");
	return -1;
}

static int drop_caps(struct box *b, struct err *err)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct none[2], now[2];

	if (!box_wants(b, LAYER_CAPS))
		return 0;
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
		return diagnose_failed(err, LAYER_CAPS, "clearing the ambient capabilities");
	memset(none, 0, sizeof(none));
	if (syscall(SYS_capset, &head, none) < 0)
		return diagnose_failed(err, LAYER_CAPS, "dropping the capabilities");
	if (syscall(SYS_capget, &head, now) < 0)
		return diagnose_failed(err, LAYER_CAPS, "reading the capabilities");
	if (memcmp(none, now, sizeof(now)) != 0)
		return does_not_hold(err, LAYER_CAPS, "capabilities are still there");
	box_mark(b, LAYER_CAPS);
	return 0;
}

int creds_drop_held(struct box *b, struct err *err)
{
	if (drop_caps(b, err) < 0)
		return -1;
	if (!box_wants(b, LAYER_NNP))
		return 0;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return diagnose_failed(err, LAYER_NNP, "setting no_new_privs");
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		return does_not_hold(err, LAYER_NNP, "no_new_privs is not set");
	box_mark(b, LAYER_NNP);
	return 0;
}

int creds_drop(struct box *b, struct err *err)
{
	return creds_drop_bounding(b, err) < 0 ? -1 : creds_drop_held(b, err);
}
