/* SPDX-License-Identifier: MIT
 *
 * The built-in profiles, as data: for every origin, grade of findings and capability what is
 * decided, and how far a rule of the user's may loosen that. What is not written down denies.
 */
#ifndef CORDON_POLICY_TABLE_H
#define CORDON_POLICY_TABLE_H

#include "model/gate.h"
#include "model/layer.h"

/* Strictest first. */
enum policy_profile { POLICY_STRICT, POLICY_BALANCED, POLICY_OBSERVE, POLICY_PROFILES };

/* NULL past the end. */
const char *policy_profile_name(unsigned profile);
const char *policy_profile_help(unsigned profile);
/* The weakest box that a contained run may have. */
enum tier policy_profile_tier(enum policy_profile profile);

enum verdict policy_cell(enum policy_profile profile, enum origin origin, enum grade grade,
			 enum cap cap);
/* The most that a rule can make of the cell; never less than the cell itself. */
enum verdict policy_ceiling(enum policy_profile profile, enum origin origin, enum grade grade,
			    enum cap cap);
/* What a contained run may have. Writing goes to the overlay there, and no further: that is part of
 * reading. */
#define POLICY_CONTAINED_CAPS (CAP_BIT(CAP_COMPUTE) | CAP_BIT(CAP_READ))

#endif
