/* SPDX-License-Identifier: MIT
 *
 * Finds the option of cordon run that would allow what a box refused. It uses only what the box
 * itself observed, never what the program printed.
 */
#ifndef CORDON_SHOW_HINT_H
#define CORDON_SHOW_HINT_H

#include "model/egress_message.h"
#include "model/request.h"
#include "model/wire.h"

enum { HINT_MAX = 2 * CORDON_TARGET_MAX };

/* For example "--exec /usr/bin/git", quoted for a shell. NULL if no option allows it. */
const char *hint_of_denial(const struct wire_denial *d, char buf[static HINT_MAX]);
const char *hint_of_egress(const struct egress_row *e, char buf[static HINT_MAX]);
/* An argument that names a file of the host, in a run without a directory; or NULL. */
const char *hint_unseen_argument(const struct request *r);

#endif
