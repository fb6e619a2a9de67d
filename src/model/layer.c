/* SPDX-License-Identifier: MIT
 *
 * The layers: what each one stops, and which tiers need it.
 */
#include "model/layer.h"

#include <string.h>

#define FULL (1U << TIER_FULL)
#define NOCG (1U << TIER_NO_CGROUP)
#define NOUS (1U << TIER_NO_USERNS)
#define SPACED (FULL | NOCG)
#define EVERY (FULL | NOCG | NOUS)

static const struct layer_row rows[LAYER_COUNT] = {
	[LAYER_USERNS] = {"userns", "the run has no user id of the host and no capability over it",
			  SPACED},
	[LAYER_MOUNTNS] = {"mountns", "the run cannot change a mount of the host", SPACED},
	[LAYER_PIDNS] = {"pidns",
			 "the run sees no process of the host; killing its pid 1 kills all",
			 SPACED},
	[LAYER_NETNS] = {"netns", "the run has a network of its own, without interfaces", SPACED},
	[LAYER_IPCNS] = {"ipcns", "the run reaches no System V or POSIX queue of the host", SPACED},
	[LAYER_UTSNS] = {"utsns", "the run does not see the host's name", SPACED},
	[LAYER_CGROUPNS] = {"cgroupns", "the run does not see the host's cgroup names", SPACED},
	[LAYER_NEWROOT] = {"newroot",
			   "the run has a root of its own: what the profile lists, read-only",
			   SPACED},
	[LAYER_NOEXEC] = {"noexec",
			  "a file written in the box cannot be executed or mapped as code", SPACED},
	[LAYER_SESSION] = {"session", "the run has a session of its own, without a terminal",
			   EVERY},
	[LAYER_FDS] =
		{"fds",
		 "the run gets no file descriptor of the caller except standard input and output",
		 EVERY},
	[LAYER_ENV] = {"env", "the run gets no environment variable of the caller", EVERY},
	[LAYER_CAPS] = {"caps", "the run has no capability and cannot get one", EVERY},
	[LAYER_NNP] = {"nnp", "a setuid program gives no rights (no_new_privs)", EVERY},
	[LAYER_DUMPABLE] = {"dumpable",
			    "the run cannot read Cordon's processes in the box; no core files",
			    EVERY},
	[LAYER_RLIMITS] = {"rlimits",
			   "the kernel limits open files, file size, core files and locked memory",
			   EVERY},
	[LAYER_CGROUP] = {"cgroup", "the kernel limits memory and processes of the whole run",
			  FULL},
	[LAYER_LANDLOCK] =
		{"landlock",
		 "the kernel limits which files the run opens and executes, and its signals",
		 EVERY},
	[LAYER_SECCOMP] = {"seccomp", "a system call that is not listed is refused", EVERY},
	[LAYER_EXECGATE] = {"execgate", "the program cannot start another program", EVERY},
	[LAYER_MEMFD] = {"memfd", "an anonymous file cannot be executed (only root can set this)",
			 0},
};

static const struct tier_row tiers[TIER_COUNT] = {
	[TIER_FULL] = {"full", "every layer; the default"},
	[TIER_NO_CGROUP] = {"no-cgroup",
			    "without cgroups: rlimits, and a watcher that limits memory"},
	[TIER_NO_USERNS] = {"no-userns", "without namespaces: seccomp, Landlock and rlimits"},
};

const struct layer_row *layer_row(enum layer layer)
{
	return &rows[layer];
}

const struct tier_row *tier_row(enum tier tier)
{
	return &tiers[tier];
}

enum tier tier_find(const char *name)
{
	int i = 0;

	while (i < TIER_COUNT && strcmp(tiers[i].name, name) != 0)
		i++;
	return (enum tier)i;
}

bool layer_is_needed(enum layer layer, enum tier tier)
{
	return rows[layer].needed & (1U << tier);
}
