/* SPDX-License-Identifier: MIT
 *
 * Which layers there are, what each one stops, and which tier insists on it.
 */
#include "model/layer.h"

#include <string.h>

#define FULL (1U << TIER_FULL)
#define NOCG (1U << TIER_NO_CGROUP)
#define NOUS (1U << TIER_NO_USERNS)
#define SPACED (FULL | NOCG)
#define EVERY (FULL | NOCG | NOUS)

static const struct layer_row rows[LAYER_COUNT] = {
	[LAYER_USERNS] = {"userns", "no id of the host, no capability over it", SPACED},
	[LAYER_MOUNTNS] = {"mountns", "no mount of the host can be changed", SPACED},
	[LAYER_PIDNS] = {"pidns", "no process of the host can be seen; killing pid 1 kills all",
			 SPACED},
	[LAYER_NETNS] = {"netns", "a network without interfaces", SPACED},
	[LAYER_IPCNS] = {"ipcns", "no System V or POSIX queue of the host", SPACED},
	[LAYER_UTSNS] = {"utsns", "the host's name stays unknown", SPACED},
	[LAYER_CGROUPNS] = {"cgroupns", "the host's cgroup names stay unknown", SPACED},
	[LAYER_NEWROOT] = {"newroot", "an own root with only what the profile lists, read-only",
			   SPACED},
	[LAYER_NOEXEC] = {"noexec", "nothing written in the box can be mapped as a program",
			  SPACED},
	[LAYER_SESSION] = {"session", "an own session without a terminal", EVERY},
	[LAYER_FDS] = {"fds", "no descriptor of the caller but standard input and output", EVERY},
	[LAYER_ENV] = {"env", "no environment variable of the caller", EVERY},
	[LAYER_CAPS] = {"caps", "no capability, and no way to get one", EVERY},
	[LAYER_NNP] = {"nnp", "setuid programs give nothing (no_new_privs)", EVERY},
	[LAYER_DUMPABLE] = {"dumpable",
			    "our own processes in the box cannot be read; no core files", EVERY},
	[LAYER_RLIMITS] = {"rlimits", "open files, file size, core, locked memory", EVERY},
	[LAYER_CGROUP] = {"cgroup", "memory and processes of the whole tree, counted by the kernel",
			  FULL},
	[LAYER_LANDLOCK] = {"landlock", "files, execution and signals by kernel object", EVERY},
	[LAYER_SECCOMP] = {"seccomp", "system calls: what is not listed is refused", EVERY},
	[LAYER_EXECGATE] = {"execgate", "no program is started after the first", EVERY},
	[LAYER_MEMFD] = {"memfd", "anonymous files are never executable (only root can set it)", 0},
};

static const struct tier_row tiers[TIER_COUNT] = {
	[TIER_FULL] = {"full", "every layer; the default"},
	[TIER_NO_CGROUP] = {"no-cgroup", "without cgroups: rlimits, and a watcher for memory"},
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
