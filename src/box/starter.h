/* SPDX-License-Identifier: MIT
 *
 * Starts programs in a live box.
 */
#ifndef CORDON_BOX_STARTER_H
#define CORDON_BOX_STARTER_H

#include "box/box.h"

/* In the program's process, when every layer is in place: becomes the starter. Never returns. */
void starter_main(struct box *b) __attribute__((noreturn));

#endif
