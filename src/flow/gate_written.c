/* SPDX-License-Identifier: MIT
 *
 * What an untrusted run has written has its label, wherever it is moved to (flow/written.h); and who
 * may be given something of what could not be remembered is exposed to it. That a run may have written
 * such a thing is on the disk before it starts, and is taken out with the labels of what it wrote: who
 * is killed in between leaves it there.
 */
#include "flow/gate.h"

void gate_join_lost(struct gate *g, const struct stat *st)
{
	for (unsigned i = 0; i < LOST_WHYS && S_ISREG(st->st_mode); i++)
		if (g->lost.by[i].any && st->st_ctim.tv_sec >= g->lost.by[i].since)
			gate_join_input(g, &g->lost.by[i].label,
					i == LOST_MUCH
						? "an untrusted run wrote more than could be "
						  "remembered, and a file it is given was changed "
						  "since"
						: "an untrusted run that could write files has not "
						  "ended, or was killed before it was known what "
						  "it wrote, and a file it is given was changed "
						  "since");
}

static struct lost_run lost_of(const struct gate *g, enum lost_why why)
{
	return (struct lost_run){.run = g->run,
				 .why = why,
				 .since = g->began.tv_sec,
				 .label = gate_label_of_written(g)};
}

void gate_open_lost(struct gate *g, struct store_tx *tx)
{
	struct lost_run run = lost_of(g, LOST_OPEN);

	files_lost_open(&g->lost, &run, tx);
	g->opens_lost = true;
}

int gate_see_written(struct gate *g, const struct result *r, struct err *err)
{
	bool is_rw = g->confined.workspace_mode == WORKSPACE_RW;

	if (!g->opens_lost)
		return 0;
	g->is_seen = !is_rw && !(r->touched && r->changec);
	if (g->is_seen)
		return 0;
	g->written_label = gate_label_of_written(g);
	/* Of half a commit nobody knows which half. */
	g->written_ask = (struct written_ask){.dir = g->bp->workspace,
					      .committed = is_rw || !r->committed ? NULL : r,
					      .began = g->began,
					      .files = GATE_WRITTEN_FILES,
					      .bytes = GATE_WRITTEN_BYTES,
					      .label = &g->written_label};
	if (written_see(&g->state.keeper, &g->written_ask, &g->written, err) < 0)
		return -1;
	g->is_seen = true;
	if (written_is_lost(g->written)) {
		g->report->lost =
			"it wrote more than can be remembered: from now on every file that was "
			"changed since it began is taken as what it may have written";
		report_reason(g->report, g->report->lost);
	}
	return 0;
}

int gate_keep_written(struct gate *g, struct store_tx *tx, struct err *err)
{
	struct lost_run run = lost_of(g, LOST_MUCH);

	if (!g->is_seen)
		return 0;
	if (g->written && written_keep(g->written, tx, err) < 0)
		return -1;
	if (g->written && written_is_lost(g->written))
		files_lost_add(&run, tx);
	else
		files_lost_close(&g->run, tx);
	return 0;
}
