/* SPDX-License-Identifier: MIT
 *
 * Two who work at the same time belong on two cores.
 */
#ifndef CORDON_BASE_SPREAD_H
#define CORDON_BASE_SPREAD_H

#include <sys/types.h>

/* Moves CHILD, which has just been started, off the core that the caller is on. */
void spread(pid_t child);

#endif
