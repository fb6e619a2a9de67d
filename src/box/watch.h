/* SPDX-License-Identifier: MIT
 *
 * The watcher: where no cgroup counts memory, processes and CPU time, init adds them up from its
 * own /proc. It looks often while memory grows and seldom while it does not; between two looks
 * the box can overshoot, which is why the tier has to be asked for.
 */
#ifndef CORDON_BOX_WATCH_H
#define CORDON_BOX_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "model/spec.h"

struct watch {
	const struct spec *spec;
	bool active;
	int interval_ms, min_ms, max_ms;
	uint64_t memory_now, memory_peak, pids_peak;
	struct tree_row *before; /* the last look, for those who have gone since */
	size_t beforec;
	uint64_t gone_ms;
};

void watch_init(struct watch *w, const struct spec *spec);
/* For poll: milliseconds until the next look, or -1. */
int watch_interval(const struct watch *w);
/* True when a limit is passed and the run must end; *RET says which limit was touched. */
bool watch_look(struct watch *w, enum limit_id *ret);

#endif
