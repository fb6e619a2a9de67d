/* SPDX-License-Identifier: MIT
 *
 * What /proc says about the machine in a box that has these files: its own processors and memory, as
 * the limits give them, and not the host's.
 */
#ifndef CORDON_LIVE_MACHINE_H
#define CORDON_LIVE_MACHINE_H

#include "base/arena.h"
#include "model/request.h"

enum { MACHINE_FILES = 3 };
/* Their contents are in A. */
void machine_files(const struct request *r, struct arena *a, struct spec_file ret[MACHINE_FILES]);

#endif
