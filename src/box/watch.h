/* SPDX-License-Identifier: MIT
 *
 * The watcher: where no cgroup counts memory, processes and CPU time, init adds them up from its
 * own /proc. It looks often while memory grows and seldom while it does not; between two looks
 * the box can overshoot, which is why the tier has to be asked for. What it cannot look at ends
 * the run.
 */
#ifndef CORDON_BOX_WATCH_H
#define CORDON_BOX_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "model/spec.h"

struct watch {
	const struct spec *spec;
	bool active;
	bool own_net; /* all sockets of our network are the box's */
	int interval_ms, min_ms, max_ms;
	uint64_t last_ns, next_ns; /* of looks */
	uint64_t memory_now, memory_peak, pids_peak;
	uint64_t socket_bytes;	 /* what the kernel may keep for one socket */
	struct tree_row *before; /* the last look, for those who have gone since */
	size_t beforec;
	uint64_t gone_us; /* CPU time of those */
	uint64_t disk_next_ns;
};

void watch_init(struct watch *w, const struct spec *spec);
/* How many sockets the network namespace has, of which FILE is a sockstat. */
int watch_count_sockets(const char *file, uint64_t *ret);
/* For poll: milliseconds until the next look, or -1. */
int watch_interval(const struct watch *w);
/* Looks if it is time to. *RET_END: a limit is passed and the run must end; *RET_LIMIT says which
 * limit was touched. -1: it could not see everybody. */
int watch_look(struct watch *w, enum limit_id *ret_limit, bool *ret_end, struct err *err);

#endif
