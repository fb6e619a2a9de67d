/* SPDX-License-Identifier: MIT
 *
 * See enclose.h. A run that cannot be prepared, started or concluded is an error with a reason,
 * never a partial success.
 */
#include "live/enclose.h"

#include <string.h>

#include "base/pages.h"

int enclose(struct blueprint *bp, struct launch *box, const struct launch_sink *sink,
	    struct result *ret, struct err *err)
{
	if (launch_start(box, bp, sink, ret, err) < 0)
		return -1;
	if (bp->hash_later && payload_hash_file(bp->payload.fd, ret->sha256, err) < 0)
		return -1;
	if (launch_finish(box, bp, err) < 0)
		return -1;
	enclose_conclude(bp, ret);
	return 0;
}

void enclose_conclude(const struct blueprint *bp, struct result *ret)
{
	const struct payload *p = &bp->payload;

	if (bp->spec.payload == PAYLOAD_FILE)
		memcpy(ret->sha256, bp->spec.payload_sha256, sizeof(ret->sha256));
	else if (p->is_hashed)
		memcpy(ret->sha256, p->sha256, sizeof(ret->sha256));
	/* A program's hash is reported only if its file did not change until now. */
	ret->has_sha256 = bp->spec.payload == PAYLOAD_FILE ||
			  (bp->hash_later && payload_is_same(p->fd, &bp->program)) ||
			  (p->is_hashed && payload_is_same(p->fd, &p->from));
	result_conclude(ret);
	ret->ran = RAN_ENDED;
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
	static const struct policy none; /* denies no host that the request names */
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
	    (request_connects(req) && egress_process_open(&bp->egress, &none, req, &err) < 0) ||
	    enclose(bp, &box, sink, ret, &err) < 0)
		enclose_fail(ret, &err);
	launch_abandon(&box);
	blueprint_done(bp);
}
