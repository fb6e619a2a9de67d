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

#endif
