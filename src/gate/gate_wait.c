/* SPDX-License-Identifier: MIT
 *
 * Waits until people have answered the request that the report names.
 */
#include <time.h>

#include "base/scope.h"
#include "gate/gate.h"

enum { POLL_MS = 250 };

/* Records an expired request as denied. Tries again if another process does so at the same time. */
static int load_settled(struct gate *g, struct approval *ret, struct err *err)
{
	for (int i = 1; i <= GATE_TRIES_MAX; i++) {
		approval_done(ret);
		if (approval_load(g->state.store, g->report->approval, ret, err) < 0)
			return -1;
		bool waited = ret->status.state == APPROVAL_PENDING;
		if (approval_settle(g->state.store, ret, g->state.keeper.now_us() / 1000, err) ==
		    0) {
			if (waited && ret->status.state == APPROVAL_EXPIRED)
				gate_notify(g);
			return 0;
		}
		if (err->code != ERR_CONFLICT)
			return -1;
		gate_pause(i);
	}
	err_set(err, ERR_CONFLICT,
		"not run: the request %s changed during each of %d attempts to read it",
		g->report->approval, GATE_TRIES_MAX);
	err_cure(err, "cordon approvals show %s; then run it again", g->report->approval);
	return -1;
}

int gate_wait_for_people(struct gate *g, struct err *err)
{
	struct timespec pause = {.tv_nsec = POLL_MS * 1000000L};
	enum approval_state state = APPROVAL_PENDING;

	while (state == APPROVAL_PENDING) {
		AUTO_APPROVAL struct approval a = {0};
		nanosleep(&pause, NULL);
		if (load_settled(g, &a, err) < 0)
			return -1;
		state = (enum approval_state)a.status.state;
		if (state == APPROVAL_DENIED || state == APPROVAL_EXPIRED) {
			err_set(err, ERR_REFUSED, "%s: the request %s is %s",
				approval_is_changes(&a.request) ? "not applied" : "not run", a.id,
				approval_state_name(state));
			if (a.status.reason && *a.status.reason)
				err_cause(err, "%.300s", a.status.reason);
			return -1;
		}
	}
	return 0;
}
