/* SPDX-License-Identifier: MIT
 *
 * In place of src/flow/run.c, for the benchmark only: a cordon whose sentence has no gate. What the
 * box costs is measured beside boxes that have none either; what the gate adds is the difference.
 */
#include "flow/run.h"

#include "base/pages.h"
#include "live/enclose.h"

static int speak(const struct request *req, struct blueprint *bp, struct launch *box,
		 const struct launch_sink *sink, struct result *ret, struct err *err)
{
	if ((!box->pid && launch_begin(box, err) < 0) || blueprint_begin(bp, req, NULL, err) < 0 ||
	    blueprint_make(bp, req, err) < 0)
		return -1;
	return enclose(bp, box, sink, ret, err);
}

static void run(const struct request *req, struct launch *box, const struct launch_sink *sink,
		struct result *ret)
{
	AUTO_PAGES struct blueprint *bp = pages_new(sizeof(*bp));
	struct err err;

	if (!bp)
		return;
	blueprint_init(bp);
	if (speak(req, bp, box, sink, ret, &err) < 0)
		enclose_fail(ret, &err);
	blueprint_done(bp);
}

void flow_run(const struct request *req, struct launch *ahead, const struct launch_sink *sink,
	      struct result *ret)
{
	struct launch box = launch_take(ahead);

	result_init(ret);
	run(req, &box, sink, ret);
	if (box.has_result)
		launch_leave(&box);
	else
		launch_abandon(&box);
}

void flow_begin_box(struct launch *box)
{
	struct err err;

	if (launch_begin(box, &err) < 0)
		launch_abandon(box);
}

void flow_drop_box(struct launch *box)
{
	launch_abandon(box);
}

/* No benchmark of the box alone keeps one. */
void flow_run_live(const struct request *req, struct kept_box *kept, struct gate_session *session,
		   const struct launch_sink *sink, struct result *ret)
{
	(void)req, (void)kept, (void)session, (void)sink;
	result_init(ret);
	ret->status = STATUS_ERROR;
}
