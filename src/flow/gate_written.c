/* SPDX-License-Identifier: MIT
 *
 * What an untrusted run has written has its label, wherever it is moved to (flow/written.h); and who may be
 * given something of what could not be remembered is exposed to it.
 */
#include "flow/gate.h"
#include "flow/written.h"

void gate_join_lost(struct gate *g, const struct stat *st)
{
	if (g->lost.any && S_ISREG(st->st_mode) && st->st_ctim.tv_sec >= g->lost.since)
		gate_join_input(g, &g->lost.label,
				"an untrusted run wrote more than could be remembered, and a file "
				"it is given was changed since");
}

int gate_label_files(struct gate *g, const struct result *r, const struct label *label,
		     struct err *err)
{
	bool is_rw = g->confined.workspace && g->confined.workspace_mode == WORKSPACE_RW;
	struct written_ask ask = {.dir = g->bp->workspace,
				  .committed = is_rw ? NULL : r,
				  .began = g->began,
				  .files = GATE_WRITTEN_FILES,
				  .bytes = GATE_WRITTEN_BYTES,
				  .label = label};
	bool lost = false;

	if (label->integrity >= INTEGRITY_TOOL || !(is_rw || (r->committed && r->changec)))
		return 0;
	if (written_remember(&g->state.keeper, &ask, &lost, err) < 0)
		return -1;
	if (lost) {
		g->report->lost =
			"it wrote more than can be remembered: from now on every file that was "
			"changed since it began is taken as what it may have written";
		report_reason(g->report, g->report->lost);
	}
	return 0;
}
