/* SPDX-License-Identifier: MIT
 *
 * Finds the option of cordon run that would allow what a box refused. Options with a name in them
 * come from what the box itself observed. What the program printed only selects a fixed text.
 */
#ifndef CORDON_SHOW_HINT_H
#define CORDON_SHOW_HINT_H

#include "model/egress_message.h"
#include "model/request.h"
#include "model/result.h"
#include "model/wire.h"

enum { HINT_MAX = 2 * CORDON_TARGET_MAX, HINTS_MAX = 4 };

/* For example "--exec /usr/bin/git", quoted for a shell. NULL if no option allows it. */
const char *hint_of_denial(const struct wire_denial *d, char buf[static HINT_MAX]);
const char *hint_of_egress(const struct egress_row *e, char buf[static HINT_MAX]);
/* What the standard error of a failed program lets suspect: fixed texts. Returns how many. */
size_t hints_of_output(const struct result *r, const char *ret[static HINTS_MAX]);
/* An argument that names a file of the host, in a run without a directory; or NULL. */
const char *hint_unseen_argument(const struct request *r);

#endif
