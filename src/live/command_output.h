/* SPDX-License-Identifier: MIT
 *
 * Runs a command of the policy and returns its output.
 */
#ifndef CORDON_LIVE_COMMAND_OUTPUT_H
#define CORDON_LIVE_COMMAND_OUTPUT_H

#include <stddef.h>

/* The standard output of COMMAND as a string. -1: the command failed, took longer than WAIT_MS, or
 * printed SIZE bytes or more. */
int command_output_read(const char *command, int wait_ms, char *ret, size_t size);

#endif
