/* SPDX-License-Identifier: MIT
 *
 * The watcher: without a cgroup, init adds up memory, processes and CPU time from its own /proc. It measures
 * often while memory grows, and seldom otherwise. Between two measurements the box can exceed a limit, which
 * is why the user must ask for such a tier. If it cannot measure, the run ends.
 */
#ifndef CORDON_BOX_WATCH_H
#define CORDON_BOX_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "model/spec.h"

struct watch {
	const struct spec *spec;
	bool active;
	bool own_net; /* all sockets of this network namespace are the box's */
	int interval_ms, min_ms, max_ms;
	uint64_t last_ns, next_ns; /* of measurements */
	uint64_t memory_now, memory_peak, pids_peak;
	uint64_t socket_bytes; /* memory that the kernel may use for one socket */
	struct tree_row
		*before; /* the last measurement, to find the processes that have ended since */
	size_t beforec;
	uint64_t gone_us; /* CPU time of processes that have ended */
	uint64_t disk_next_ns;
};

void watch_init(struct watch *w, const struct spec *spec);
/* Counts the sockets of the network namespace whose sockstat is FILE. */
int watch_count_sockets(const char *file, uint64_t *ret);
/* For poll: milliseconds until the next measurement, or -1. */
int watch_interval(const struct watch *w);
/* Measures if it is time to. *RET_END: a limit is exceeded and the run must end; *RET_LIMIT: the
 * limit that was reached. -1: a process could not be read. */
int watch_look(struct watch *w, enum limit_id *ret_limit, bool *ret_end, struct err *err);

#endif
