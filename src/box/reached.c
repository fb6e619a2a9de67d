/* SPDX-License-Identifier: MIT
 *
 * Which limit is told of a run that reached several: the one that ended it, and if none did, the first.
 * Several watch at the same time (init, the cgroup, cordon-egress), so they do not come in order.
 */
#include "box/supervise.h"

void run_reached(struct wire_result *res, uint32_t limit, bool ended)
{
	if (limit >= LIMIT_COUNT || res->limit_ended || (res->limit < LIMIT_COUNT && !ended))
		return;
	res->limit = limit;
	res->limit_ended = ended;
}
