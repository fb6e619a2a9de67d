/* SPDX-License-Identifier: MIT
 *
 * Which state may follow on which.
 */
#ifndef CORDON_APPROVAL_STATES_H
#define CORDON_APPROVAL_STATES_H

#include "approval/approval.h"

bool state_may_follow(enum approval_state from, enum approval_state to);
/* Nothing follows any more. */
bool state_is_over(uint64_t state);

#endif
