/* SPDX-License-Identifier: MIT
 *
 * See early.h. Anything unexpected from the early box ends it: output, or a late or malformed
 * answer.
 */
#include "flow/early.h"

#include <stdlib.h>
#include <time.h>

#include "base/io.h"
#include "base/scope.h"
#include "live/early_reader.h"
#include "live/enclose.h"
#include "read/view.h"

enum {
	START_US = 2000, /* until the interpreter is starting */
	TIME_SHARE = 10, /* the decision may take a tenth of the program's time limit */
};

int early_begin_box(struct sentence *s, struct err *err)
{
	return s->box.pid || s->kept ? 0 : launch_begin(&s->box, err);
}

int early_drop(struct sentence *s, struct err *err)
{
	struct report *report = s->result->report;

	if (!s->is_early)
		return 0;
	launch_abandon(&s->box);
	s->box = LAUNCH_NONE;
	s->is_early = false;
	s->result->report = NULL;
	result_done(s->result);
	result_init(s->result);
	s->result->report = report;
	blueprint_again(&s->bp);
	return early_begin_box(s, err);
}

int early_begin(struct sentence *s, struct err *err)
{
	struct timespec pause = {.tv_nsec = START_US * 1000L};
	struct err ignored;

	/* The pending changes of the workspace are not known yet. */
	bool has_changes = s->req->workspace && s->req->conversation;
	if (s->kept || has_changes || !early_reader_possible(&s->bp, s->req) ||
	    !gate_guess(&s->gate, &s->early_request))
		return 0;
	s->bp.reads_early = true;
	s->is_early = true;
	if (blueprint_make(&s->bp, &s->early_request, &ignored) < 0 || s->bp.own.missing ||
	    launch_start(&s->box, &s->bp, s->sink, s->result, &ignored) < 0)
		return early_drop(s, err);
	s->early_ns = io_now_ns();
	/* Let the box start first: building it keeps two cores busy. */
	nanosleep(&pause, NULL);
	return 0;
}

int early_view(struct sentence *s, struct code_view *ret, struct err *err)
{
	AUTO_FREE char *answer = NULL;
	size_t len = 0;
	struct err ignored;

	if (s->is_early && early_reader_answer(&s->box, &s->bp, &answer, &len) == 0 &&
	    view_answer(answer, len, ret, &ignored) == 0 && ret->state == CODE_VIEW_WHOLE)
		return 1;
	return early_drop(s, err);
}

int early_blueprint(struct sentence *s, struct err *err)
{
	const struct request *confined = &s->gate.decision.confined;

	if (s->is_early && policy_confined_alike(&s->early_request, confined))
		return 0;
	if (early_drop(s, err) < 0)
		return -1;
	blueprint_again(&s->bp);
	return blueprint_make(&s->bp, confined, err);
}

/* Limits count from the start of the box. The interpreter and the reader are at most two
 * processes. */
static bool has_time(const struct sentence *s)
{
	uint64_t gone_ms = (io_now_ns() - s->early_ns) / 1000000U;
	const uint64_t *limit = s->bp.spec.limit;

	return gone_ms * TIME_SHARE <= limit[LIMIT_TIME] &&
	       (!limit[LIMIT_CPU_TIME] || 2 * gone_ms * TIME_SHARE <= limit[LIMIT_CPU_TIME]);
}

bool early_is_ready(struct sentence *s)
{
	return s->is_early && has_time(s) && launch_is_waiting(&s->box);
}

int early_finish(struct sentence *s, struct err *err)
{
	early_reader_release(&s->bp);
	if (launch_finish(&s->box, &s->bp, err) < 0)
		return -1;
	enclose_conclude(&s->bp, s->result);
	return 0;
}
