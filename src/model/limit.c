/* SPDX-License-Identifier: MIT
 *
 * The table of limits. Values are milliseconds, percent of one core, bytes or counts.
 */
#include "model/limit.h"

#include <string.h>

#define KIB (1ULL << 10)
#define MIB (1ULL << 20)
#define GIB (1ULL << 30)
#define DAY_MS (24ULL * 60 * 60 * 1000)

static const struct limit_row rows[LIMIT_COUNT] = {
	[LIMIT_TIME] = {"time", UNIT_DURATION_MS, 30000, 1, DAY_MS,
			"wall-clock time; then all processes are killed", DAY_MS / 24},
	[LIMIT_CPU_TIME] = {"cpu-time", UNIT_DURATION_MS, 0, 1, DAY_MS,
			    "CPU time of all processes together", 0},
	[LIMIT_CPU] = {"cpu", UNIT_PERCENT, 0, 1, 100000, "share of the CPU; 100 is one core", 0},
	[LIMIT_MEMORY] = {"memory", UNIT_BYTES, 512 * MIB, 8 * MIB, 1024 * GIB,
			  "memory of all processes together, with the files in /tmp", 4 * GIB},
	[LIMIT_PIDS] = {"pids", UNIT_COUNT, 64, 1, 65536, "processes and threads", 1024},
	[LIMIT_FILES] = {"files", UNIT_COUNT, 1024, 8, 65536, "open files of one process", 0},
	[LIMIT_FILE_SIZE] = {"file-size", UNIT_BYTES, 256 * MIB, 4 * KIB, 1024 * GIB,
			     "size of one file", 2 * GIB},
	[LIMIT_DISK] = {"disk", UNIT_BYTES, 256 * MIB, 64 * KIB, 1024 * GIB,
			"all that is written to /tmp, /dev/shm and an overlay workspace", 2 * GIB},
	[LIMIT_OUTPUT] =
		{"output", UNIT_BYTES, 1 * MIB, 256, GIB,
		 "bytes kept of each output stream: half from its start, half from its end", 0},
	[LIMIT_CONNECTIONS] = {"connections", UNIT_COUNT, 1024, 1, 1000000,
			       "connections to hosts of --net; any further one is refused", 0},
	[LIMIT_NET_OUT] = {"net-out", UNIT_BYTES, 64 * MIB, 1, 1024 * GIB,
			   "bytes sent to all hosts together", 0},
	[LIMIT_NET_IN] = {"net-in", UNIT_BYTES, 4 * GIB, 1, 1024 * GIB,
			  "bytes received from all hosts together", 0},
};

const struct limit_row *limit_row(enum limit_id id)
{
	return &rows[id];
}

uint64_t limit_default(enum limit_id id, bool is_command)
{
	return is_command && rows[id].command ? rows[id].command : rows[id].fallback;
}

enum limit_id limit_find(const char *name)
{
	int i = 0;

	while (i < LIMIT_COUNT && strcmp(rows[i].name, name) != 0)
		i++;
	return (enum limit_id)i;
}
