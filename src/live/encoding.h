/* SPDX-License-Identifier: MIT
 *
 * Refuses code that is not UTF-8. Then the rules, a person and the interpreter all read the same
 * text.
 */
#ifndef CORDON_LIVE_ENCODING_H
#define CORDON_LIVE_ENCODING_H

#include "base/err.h"
#include "conf/profile.h"

/* NAME stands for the code in the error. */
int encoding_check(const struct profile *profile, const char *name, const char *code, size_t len,
		   struct err *err);

#endif
