/* SPDX-License-Identifier: MIT
 *
 * Refuses a set of rules that cannot find anything: every scan with it would say "clean".
 */
#ifndef CORDON_DETECT_USABLE_H
#define CORDON_DETECT_USABLE_H

#include "detect/packs.h"

/* ERR_USAGE when nothing was loaded. */
int usable_rules(const struct packs *set, struct err *err);
/* After packs_start: also when nothing is live with these options, or no pattern compiles. */
int usable_engine(const struct packs *set, const struct engine_options *options, struct err *err);

#endif
