/* SPDX-License-Identifier: MIT
 *
 * Runs a blueprint in the box. What cannot be prepared, started or concluded is an error with a
 * reason, never half a success.
 */
#include "flow/enclose_private.h"

#include <string.h>

#include "base/memory.h"
#include "base/pages.h"
#include "flow/commit.h"

/* Only what a program finished on its own terms is written back. */
static bool wants_commit(const struct request *req, const struct result *r)
{
	return req->commit && r->status == STATUS_EXITED && r->exit_code == 0;
}

int enclose(const struct request *req, struct blueprint *bp, struct launch *box,
	    const struct launch_sink *sink, struct result *ret, struct err *err)
{
	return launch_run(box, bp, sink, ret, err) < 0 ? -1 : enclose_conclude(req, bp, ret, err);
}

int enclose_conclude(const struct request *req, struct blueprint *bp, struct result *ret,
		     struct err *err)
{
	const struct payload *p = &bp->payload;

	if (bp->spec.payload == PAYLOAD_FILE)
		memcpy(ret->sha256, bp->spec.payload_sha256, sizeof(ret->sha256));
	else if (p->is_known)
		memcpy(ret->sha256, p->sha256, sizeof(ret->sha256));
	/* What was hashed is what ran, or nothing is said about it. */
	ret->has_sha256 = bp->spec.payload == PAYLOAD_FILE ||
			  (bp->hash_later && payload_is_same(p->fd, &bp->program)) ||
			  (p->is_known && payload_is_same(p->fd, &p->from));
	result_conclude(ret);
	ret->ran = RAN_ENDED;
	if (!wants_commit(req, ret))
		return 0;
	if (memory_is_out()) /* its changes may not all be listed */
		return err_memory(err);
	return commit_changes(ret, bp->workspace, &bp->mark, &bp->spec, err);
}

void enclose_fail(struct result *ret, const struct err *err)
{
	ret->status = err->code == ERR_REFUSED ? STATUS_REFUSED : STATUS_ERROR;
	ret->err = *err;
}

void enclose_own(const struct request *req, const struct launch_sink *sink, struct result *ret)
{
	AUTO_PAGES struct blueprint *bp = pages_new(sizeof(*bp));
	struct launch box = LAUNCH_NONE;
	static const struct policy none; /* the request's own hosts alone */
	struct err err;

	result_init(ret);
	if (!bp) {
		err_memory(&ret->err);
		return;
	}
	int begun = launch_begin(&box, &err);
	blueprint_init(bp);
	box.is_own = true;
	if (begun < 0 || blueprint_begin(bp, req, NULL, &err) < 0 ||
	    blueprint_make(bp, req, &err) < 0 || own_paths_make(&bp->own, &bp->spec, &err) < 0 ||
	    (req->network && outside_open(&bp->outside, &none, req, NULL, NULL, &err) < 0) ||
	    enclose(req, bp, &box, sink, ret, &err) < 0)
		enclose_fail(ret, &err);
	launch_abandon(&box);
	blueprint_done(bp);
}
