/* SPDX-License-Identifier: MIT
 *
 * The limits of a run. One row each: its name is the flag, the JSON value and the word in every
 * message. A new limit is a row in limits.def and the place that enforces it.
 */
#ifndef CORDON_MODEL_LIMIT_H
#define CORDON_MODEL_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

enum limit_id {
#define LIMIT(number, ...) LIMIT_##number,
#include "model/limits.def"
#undef LIMIT
	LIMIT_COUNT,
	LIMIT_NONE = LIMIT_COUNT,
};

enum unit { UNIT_DURATION_MS, UNIT_PERCENT, UNIT_BYTES, UNIT_COUNT };

struct limit_row {
	const char *name;
	enum unit unit;
	uint64_t fallback; /* 0: no limit */
	uint64_t min, max;
	uint64_t
		command; /* in the place of FALLBACK for a user's command (cordon exec); 0: the same */
	bool of_box;	 /* it binds a box as a whole: a start in the box cannot have a lower one */
	const char *help;
};

const struct limit_row *limit_row(enum limit_id id);
uint64_t limit_default(enum limit_id id, bool is_command);
/* Returns LIMIT_COUNT if no limit has this name. */
enum limit_id limit_find(const char *name);

/* Other maxima. */
#define CORDON_PAYLOAD_MAX (64UL << 20)
#define CORDON_DENIALS_MAX 128	 /* different refused calls that a result lists */
#define CORDON_EVENTS_MAX 4096	 /* refused calls that are answered one by one */
#define CORDON_SOCKETS_MAX 128	 /* UDP sockets of a box with a network */
#define CORDON_LOOPBACK_MAX 1024 /* TCP sockets of a box in the profile dev without a network */
#define CORDON_LOCAL_MAX 4096	 /* local sockets of a box; more get no connection */
#define CORDON_CHANGES_MAX 20000
#define CORDON_CHANGE_PATH_MAX 4096
#define CORDON_WALK_DEPTH_MAX 512
#define CORDON_TARGET_MAX 256
#define CORDON_TREE_MAX (1U << 22)    /* processes; a host cannot have more */
#define CORDON_DISK_DEPTH_MAX 128     /* nested directories; deeper ones end the run */
#define CORDON_GROUPS_MAX 65536	      /* of a process: the kernel's NGROUPS_MAX */
#define CORDON_STARTS_MAX 256	      /* programs that run in a live box at a time */
#define CORDON_STATUS_MAX (1UL << 20) /* bytes of /proc/PID/status with all of them */

#endif
