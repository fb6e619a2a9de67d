/* SPDX-License-Identifier: MIT
 *
 * cordon approvals wait: waits until people have answered. The exit status is that of `cordon run`:
 * 0 if approved, 75 while pending, 126 if denied.
 */
#include <time.h>

#include "base/io.h"
#include "door/cli/approvals.h"
#include "model/result.h"

enum { WAIT_MS = 200 };

static bool is_late(const struct approvals *v, uint64_t began_ns)
{
	const struct approvals_options *o = v->options;

	return o->has_timeout && (io_now_ns() - began_ns) / 1000000 >= o->timeout_ms;
}

/* If another process settles the request at the same time, read it again. */
static int look(struct approvals *v, struct approval *ret, struct err *err)
{
	struct timespec now;

	approval_done(ret);
	clock_gettime(CLOCK_REALTIME, &now);
	v->now = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
	if (approval_load(v->store, v->call->argv[1], ret, err) < 0)
		return -1;
	bool waited = ret->status.state == APPROVAL_PENDING;
	if (approval_settle(v->store, ret, v->now, err) < 0)
		return err->code == ERR_CONFLICT ? 0 : -1;
	if (waited)
		approvals_ended(v, ret);
	return 0;
}

int approvals_wait(struct approvals *v)
{
	const struct timespec pause = {.tv_nsec = WAIT_MS * 1000000L};
	AUTO_APPROVAL struct approval a = {0};
	uint64_t began_ns = io_now_ns();
	static const struct result waits = {.status = STATUS_PENDING};
	struct err err = {0};

	for (;; nanosleep(&pause, NULL)) {
		if (look(v, &a, &err) < 0)
			return cli_fail_short(v->call, &err);
		if (a.status.state != APPROVAL_PENDING || is_late(v, began_ns))
			break;
	}
	approvals_tell(v, &a);
	if (a.status.state == APPROVAL_PENDING)
		return result_exit_status(&waits);
	if (a.status.state == APPROVAL_APPROVED || a.status.state == APPROVAL_USED)
		return 0;
	err_set(&err, ERR_REFUSED, "%s", approval_state_name((unsigned)a.status.state));
	return err_row(&err)->exit_status;
}
