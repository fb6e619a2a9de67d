/* SPDX-License-Identifier: MIT
 *
 * The first of a spec: its tier, flags and limits, and whether they go together. Looks at nothing but
 * its arguments.
 */
#ifndef CORDON_FLOW_BASICS_H
#define CORDON_FLOW_BASICS_H

#include "base/err.h"
#include "conf/profile.h"
#include "model/request.h"
#include "model/spec.h"

int basics_set(const struct request *r, const struct profile *p, struct spec *s, struct err *err);

#endif
