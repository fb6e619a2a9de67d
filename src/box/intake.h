/* SPDX-License-Identifier: MIT
 *
 * What comes into the box: the spec and its descriptors.
 */
#ifndef CORDON_BOX_INTAKE_H
#define CORDON_BOX_INTAKE_H

#include "base/err.h"
#include "model/spec.h"
#include "model/wire.h"

/* Waits for the spec on RESULT_FD, puts its descriptors where enum spec_fd says (standard input
 * becomes descriptor 0), decodes it and checks the payload's hash. *RET is zeroed memory. */
int intake_receive(struct spec *ret, struct err *err);

#endif
