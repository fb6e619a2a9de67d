/* SPDX-License-Identifier: MIT
 *
 * What a command of the policy prints.
 */
#ifndef CORDON_FLOW_SAID_H
#define CORDON_FLOW_SAID_H

#include <stddef.h>

/* All that COMMAND prints, as text, if that is shorter than SIZE, comes within WAIT_MS and the command
 * succeeds; else -1. */
int said_by(const char *command, int wait_ms, char *ret, size_t size);

#endif
