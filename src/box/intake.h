/* SPDX-License-Identifier: MIT
 *
 * What comes into the box: the first word, then the spec and its descriptors.
 */
#ifndef CORDON_BOX_INTAKE_H
#define CORDON_BOX_INTAKE_H

#include "base/err.h"
#include "model/spec.h"
#include "model/wire.h"

int intake_hello(int sock, struct wire_hello *ret, struct err *err);
/* Puts the descriptors where enum spec_fd says; standard input becomes descriptor 0. */
int intake_place(const int *fds, struct err *err);
/* Reads SPEC_FD. *RET is zeroed memory. */
int intake_spec(struct spec *ret, struct err *err);
/* The spec must be the one that was announced, the payload the one that was hashed. */
int intake_check(const struct spec *s, const struct wire_hello *hello, struct err *err);

#endif
