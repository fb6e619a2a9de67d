/* SPDX-License-Identifier: MIT
 *
 * Asks cordon-box to prove each layer.
 */
#ifndef CORDON_FLOW_DOCTOR_H
#define CORDON_FLOW_DOCTOR_H

#include "base/err.h"
#include "model/layer.h"
#include "model/wire.h"

struct doctor {
	struct wire_probe probe[LAYER_COUNT]; /* all zero: no proof, so missing */
	bool works[TIER_COUNT];
	char cause[TIER_COUNT][512]; /* why a tier does not work */
	struct wire_probe egress;    /* --net: hosts that a rule names, and no others */
};

int doctor_run(struct doctor *ret, struct err *err);
/* doctor_net.c, in a tier that works. */
int doctor_try_egress(enum tier tier, struct err *err);

#endif
