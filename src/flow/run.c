/* SPDX-License-Identifier: MIT
 *
 * The sentence, as far as it is spoken today: request -> box -> result. A run that cannot be
 * prepared, started or concluded is an error with a reason, never half a success.
 */
#include "flow/run.h"

#include <stdlib.h>
#include <string.h>

#include "flow/commit.h"
#include "flow/plan.h"

static int speak(struct plan *plan, const struct request *req, const struct launch_sink *sink,
		 struct result *ret, struct err *err)
{
	if (plan_make(plan, req, err) < 0)
		return -1;
	if (launch_run(plan, sink, ret, err) < 0)
		return -1;
	if (plan->spec.payload == PAYLOAD_FILE)
		memcpy(ret->sha256, plan->spec.payload_sha256, sizeof(ret->sha256));
	ret->has_sha256 = plan->spec.payload == PAYLOAD_FILE || plan->hash_later;
	result_conclude(ret);
	/* Only what a program finished on its own terms is written back. */
	if (req->commit && ret->status == STATUS_EXITED && ret->exit_code == 0)
		return commit_changes(ret, plan->workspace, err);
	return 0;
}

void flow_run(const struct request *req, const struct launch_sink *sink, struct result *ret)
{
	struct plan *plan = calloc(1, sizeof(*plan));
	struct err err;

	result_init(ret);
	if (!plan) {
		err_set(&ret->err, ERR_SYSTEM, "out of memory");
		return;
	}
	plan_init(plan);
	if (speak(plan, req, sink, ret, &err) < 0) {
		ret->status = err.code == ERR_REFUSED ? STATUS_REFUSED : STATUS_ERROR;
		ret->err = err;
	}
	plan_done(plan);
	free(plan);
}
