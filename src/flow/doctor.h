/* SPDX-License-Identifier: MIT
 *
 * Lets cordon-probe test each layer, and checks what else cordon needs of the machine.
 */
#ifndef CORDON_FLOW_DOCTOR_H
#define CORDON_FLOW_DOCTOR_H

#include "base/err.h"
#include "conf/config.h"
#include "model/layer.h"
#include "model/wire.h"

struct doctor {
	struct wire_probe probe[LAYER_COUNT]; /* all zero means not proven, so missing */
	bool works[TIER_COUNT];
	char cause[TIER_COUNT][512]; /* why a tier does not work */
	struct wire_probe egress;    /* --net reaches hosts that a rule names, and no others */
};

/* The result of one check of the host. */
enum { DOCTOR_CHECKS = 11 };
struct doctor_check {
	const char *name;
	bool holds;
	char found[320]; /* what the check found, if it passes */
	char cause[912], cure[384];
};

/* doctor_host.c. BROKEN is the error of the configuration, or NULL. Root changes to the ids of the
 * state's owner and cannot change back. */
void doctor_check_host(const struct config *config, const struct err *broken,
		       struct doctor_check ret[DOCTOR_CHECKS]);
int doctor_run(struct doctor *ret, struct err *err);
/* doctor_net.c. TIER must work. */
int doctor_try_egress(enum tier tier, struct err *err);

#endif
