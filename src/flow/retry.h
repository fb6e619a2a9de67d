/* SPDX-License-Identifier: MIT
 *
 * Decides, and decides again if another process changes a fact, or when people have answered.
 */
#ifndef CORDON_FLOW_RETRY_H
#define CORDON_FLOW_RETRY_H

#include "flow/sentence.h"

/* 0: the run may start, and its record is written. 1: a person is asked. -1: the run is refused,
 * or failed. */
int retry_decide(struct sentence *s, struct err *err);
/* Opens what the box that was decided on needs, or checks that the live box still has it. Approvals and
 * tickets are about the descriptors that are open here. */
int retry_prepare_box(struct sentence *s, struct err *err);

#endif
