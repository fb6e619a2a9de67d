/* SPDX-License-Identifier: MIT
 *
 * Starts cordon-egress with the hosts that the run was given, and records what it did.
 */
#include "flow/gate.h"

enum { RECORD_ATTEMPTS = 64 }; /* that surely fit into one */

size_t gate_put_egress(const struct result *r, size_t from, struct jcs *j)
{
	size_t count = r->egressc - from < RECORD_ATTEMPTS ? r->egressc - from : RECORD_ATTEMPTS;

	jcs_list(j, "attempts");
	for (size_t i = from; i < from + count; i++) {
		const struct egress_row *e = &r->egress[i];
		jcs_object(j, NULL);
		jcs_str(j, "address", e->address);
		jcs_int(j, "bytes_in", (int64_t)e->bytes_in);
		jcs_int(j, "bytes_out", (int64_t)e->bytes_out);
		jcs_str(j, "name", e->name);
		jcs_int(j, "port", e->port);
		jcs_str(j, "rule", e->rule);
		jcs_str(j, "verdict", egress_verdict_name(e->verdict));
		jcs_int(j, "wall_ms", (int64_t)e->wall_ms);
		jcs_end(j);
	}
	jcs_end(j);
	jcs_bool(j, "cut", r->egress_cut);
	return count;
}

int gate_open_outside(struct gate *g, struct outside *ret, struct err *err)
{
	if (!g->confined.netc && !g->confined.secretc)
		return 0;
	return outside_open(ret, &g->policy, &g->confined, err);
}
