/* SPDX-License-Identifier: MIT
 *
 * The layers of the box and the tiers that need them. The name of a row is the name in the
 * result, in `cordon doctor` and in every refusal.
 */
#ifndef CORDON_MODEL_LAYER_H
#define CORDON_MODEL_LAYER_H

#include <stdbool.h>
#include <stdint.h>

enum layer {
	LAYER_USERNS,
	LAYER_MOUNTNS,
	LAYER_PIDNS,
	LAYER_NETNS,
	LAYER_IPCNS,
	LAYER_UTSNS,
	LAYER_CGROUPNS,
	LAYER_NEWROOT,
	LAYER_NOEXEC,
	LAYER_SESSION,
	LAYER_FDS,
	LAYER_ENV,
	LAYER_CAPS,
	LAYER_NNP,
	LAYER_DUMPABLE,
	LAYER_RLIMITS,
	LAYER_CGROUP,
	LAYER_LANDLOCK,
	LAYER_SECCOMP,
	LAYER_EXECGATE,
	LAYER_MEMFD,
	LAYER_COUNT,
};

/* The zero value is the strictest. */
enum tier { TIER_FULL, TIER_NO_CGROUP, TIER_NO_USERNS, TIER_COUNT };

#define LAYER_BIT(l) (1U << (l))

struct layer_row {
	const char *name;
	const char *help;
	unsigned needed; /* bits: the tiers that need it */
};

struct tier_row {
	const char *name;
	const char *help;
};

const struct layer_row *layer_row(enum layer layer);
const struct tier_row *tier_row(enum tier tier);
/* Returns TIER_COUNT if no tier has this name. */
enum tier tier_find(const char *name);
bool layer_is_needed(enum layer layer, enum tier tier);

#endif
