/* SPDX-License-Identifier: MIT
 *
 * A child that has just been started runs beside its parent.
 */
#ifndef CORDON_BASE_SPREAD_H
#define CORDON_BASE_SPREAD_H

#include <sys/types.h>

void spread(pid_t child);

#endif
