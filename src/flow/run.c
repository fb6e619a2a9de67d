/* SPDX-License-Identifier: MIT
 *
 * The sentence, as far as it is spoken today: request -> box -> result. A run that cannot be
 * prepared, started or concluded is an error with a reason, never half a success.
 */
#include "flow/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "flow/blueprint.h"
#include "flow/commit.h"
#include "flow/payload.h"

/* Only what a program finished on its own terms is written back. */
static bool wants_commit(const struct request *req, const struct result *r)
{
	return req->commit && r->status == STATUS_EXITED && r->exit_code == 0;
}

static int speak(const struct request *req, struct blueprint *bp, struct launch *box,
		 const struct launch_sink *sink, struct result *ret, struct err *err)
{
	/* Another program takes longer to start than the blueprint to draw: both at the same time. */
	if (launch_begin(box, err) < 0)
		return -1;
	if (blueprint_make(bp, req, err) < 0)
		return -1;
	if (launch_run(box, bp, sink, ret, err) < 0)
		return -1;
	if (bp->spec.payload == PAYLOAD_FILE)
		memcpy(ret->sha256, bp->spec.payload_sha256, sizeof(ret->sha256));
	/* What was hashed is what ran, or nothing is said about it. */
	ret->has_sha256 = bp->spec.payload == PAYLOAD_FILE ||
			  (bp->hash_later && payload_is_same(bp->payload, &bp->program));
	result_conclude(ret);
	return wants_commit(req, ret) ? commit_changes(ret, bp->workspace, &bp->mark,
						       bp->spec.limit[LIMIT_DISK], err)
				      : 0;
}

void flow_run(const struct request *req, const struct launch_sink *sink, struct result *ret)
{
	struct blueprint *bp = pages_new(sizeof(*bp));
	struct launch box = {.socket = -1, .out = {-1, -1}};
	struct err err;

	result_init(ret);
	if (!bp) {
		err_set(&ret->err, ERR_SYSTEM, "out of memory");
		return;
	}
	blueprint_init(bp);
	if (speak(req, bp, &box, sink, ret, &err) < 0) {
		ret->status = err.code == ERR_REFUSED ? STATUS_REFUSED : STATUS_ERROR;
		ret->err = err;
	}
	launch_abandon(&box);
	blueprint_done(bp);
	pages_free(bp);
}
