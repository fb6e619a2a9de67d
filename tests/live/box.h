/* SPDX-License-Identifier: MIT
 *
 * A live box for tests and benchmarks: creates one, runs programs in it, and collects what they print.
 */
#ifndef CORDON_TESTS_LIVE_BOX_H
#define CORDON_TESTS_LIVE_BOX_H

#include "live/live.h"

struct live_box {
	struct live live;
	struct blueprint *blueprint;
	struct request req;
	struct result result;
	struct launch_sink sink;
	struct err err;
	/* How the last starts ended, by number. */
	struct live_ended {
		uint32_t id;
		bool exited, closed;
		struct wire_exited how;
	} ended[1024];
	bool has_ended;
};

/* How a start ended. */
struct live_outcome {
	bool exited, closed, box_ended;
	struct wire_exited how;
	char out[65536]; /* what it printed, as far as it was read */
	size_t len;
};

/* WORKSPACE may be NULL; MODE says how it is given. PIDS: its limit of processes, or 0. -1: b->err. */
int live_box_create(struct live_box *b, enum tier tier, const char *workspace,
		    enum workspace_mode mode, uint64_t pids);
void live_box_close(struct live_box *b);
/* The next event, which is remembered for live_box_await. -1: the box has ended. */
int live_box_next(struct live_box *b, int wait_ms, struct live_event *ret);
/* Starts `/bin/sh -c SCRIPT`; *RET_OUT: the read end of its output and error. */
uint32_t live_box_start(struct live_box *b, const char *script, int *ret_out);
uint32_t live_box_start_limited(struct live_box *b, const char *script, const uint64_t *limit,
				int *ret_out);
/* Waits until the start has exited, and if UNTIL_CLOSED until its last process is gone. */
void live_box_await(struct live_box *b, uint32_t id, int out, bool until_closed,
		    struct live_outcome *ret);
/* All of that. */
void live_box_run(struct live_box *b, const char *script, struct live_outcome *ret);
/* The descriptor, or -1 with errno. */
int live_box_open(struct live_box *b, const char *path, int flags, unsigned mode);

#endif
