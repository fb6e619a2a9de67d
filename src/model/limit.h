/* SPDX-License-Identifier: MIT
 *
 * The limits of a run. One row each: its name is the flag, the JSON value and the word in every
 * message. A new limit is a row here and the place that enforces it.
 */
#ifndef CORDON_MODEL_LIMIT_H
#define CORDON_MODEL_LIMIT_H

#include <stdint.h>

enum limit_id {
	LIMIT_TIME,
	LIMIT_CPU_TIME,
	LIMIT_CPU,
	LIMIT_MEMORY,
	LIMIT_PIDS,
	LIMIT_FILES,
	LIMIT_FILE_SIZE,
	LIMIT_DISK,
	LIMIT_OUTPUT,
	LIMIT_CONNECTIONS,
	LIMIT_NET_OUT,
	LIMIT_NET_IN,
	LIMIT_COUNT,
	LIMIT_NONE = LIMIT_COUNT,
};

enum unit { UNIT_DURATION_MS, UNIT_PERCENT, UNIT_BYTES, UNIT_COUNT };

struct limit_row {
	const char *name;
	enum unit unit;
	uint64_t fallback; /* 0: no limit */
	uint64_t min, max;
	const char *help;
};

const struct limit_row *limit_row(enum limit_id id);
/* LIMIT_COUNT when there is none of that name. */
enum limit_id limit_find(const char *name);

/* Every other maximum of ours, in one place. */
#define CORDON_PAYLOAD_MAX (64UL << 20)
#define CORDON_DENIALS_MAX 128 /* different ones that are listed */
#define CORDON_EVENTS_MAX 4096 /* refused calls that are answered one by one */
#define CORDON_SOCKETS_MAX 128 /* with a network: a box with more gets no further UDP socket */
#define CORDON_LOCAL_MAX 4096  /* and a box with so many makes no local connection */
#define CORDON_CHANGES_MAX 20000
#define CORDON_CHANGE_PATH_MAX 4096
#define CORDON_WALK_DEPTH_MAX 512
#define CORDON_TARGET_MAX 256
#define CORDON_TREE_MAX (1U << 22)    /* processes: as many as there can be on a host */
#define CORDON_DISK_DEPTH_MAX 128     /* directories in each other; more end the run */
#define CORDON_GROUPS_MAX 65536	      /* of a process: the kernel's NGROUPS_MAX */
#define CORDON_STATUS_MAX (1UL << 20) /* bytes of /proc/PID/status with all of them */

#endif
