/* SPDX-License-Identifier: MIT
 *
 * The built-in profiles of the policy, as data.
 */
#ifndef CORDON_POLICY_BUILTIN_PROFILES_H
#define CORDON_POLICY_BUILTIN_PROFILES_H

#include "policy/policy.h"

struct policy_profile_row {
	const char *name, *help;
	struct policy_row row[STATE_COUNT];
	enum policy_waits waits;
	enum tier tier; /* the weakest box of exposed code */
	enum policy_exec exec;
};
const struct policy_profile_row *policy_profile_row(enum policy_profile profile);

#endif
