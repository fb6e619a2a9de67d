/* SPDX-License-Identifier: MIT
 *
 * Makes a plan: a ticket for one exact program, given while its conversation is clean.
 */
#ifndef CORDON_FLOW_PLAN_H
#define CORDON_FLOW_PLAN_H

#include "model/request.h"
#include "trust/ticket.h"

#define PLAN_US ((uint64_t)24 * 3600 * 1000000)

struct plan_terms {
	uint32_t runs;
	uint64_t for_us;
};
/* REQ is the request of the later runs: code, arguments, environment, programs, directory, hosts
 * and secrets. */
int plan_make(const struct request *req, const struct plan_terms *terms, struct ticket *ret,
	      struct err *err);

#endif
