/* SPDX-License-Identifier: MIT
 *
 * Starts cordon-egress with the hosts that the run was given, and records its attempts to connect.
 */
#include "gate/gate.h"

enum { RECORD_ATTEMPTS = 64 }; /* attempts that are certain to fit into one record */

size_t gate_put_egress(const struct result *r, size_t from, struct jcs *j)
{
	size_t count = r->egressc - from < RECORD_ATTEMPTS ? r->egressc - from : RECORD_ATTEMPTS;

	jcs_list(j, "attempts");
	for (size_t i = from; i < from + count; i++) {
		const struct egress_row *e = &r->egress[i];
		jcs_object(j, NULL);
		jcs_word(j, "address", e->address);
		jcs_int(j, "bytes_in", (int64_t)e->bytes_in);
		jcs_int(j, "bytes_out", (int64_t)e->bytes_out);
		jcs_word(j, "name", e->name);
		jcs_int(j, "port", e->port);
		jcs_word(j, "rule", e->rule);
		jcs_word(j, "verdict", egress_verdict_name(e->verdict));
		jcs_int(j, "wall_ms", (int64_t)e->wall_ms);
		jcs_end(j);
	}
	jcs_end(j);
	jcs_bool(j, "cut", r->egress_cut);
	return count;
}

int gate_open_egress(struct gate *g, struct egress_process *ret, struct err *err)
{
	if (!g->decision.confined.netc && !g->decision.confined.secretc)
		return 0;
	return egress_process_open(ret, &g->policy, &g->decision.confined, err);
}
