/* SPDX-License-Identifier: MIT
 *
 * awk has a language of its own that runs programs: system(), pipes, getline from one, functions by
 * their names, files of code. Asked of the canonical text (flow/view.h). What is not surely harmless
 * counts as what runs something.
 */
#ifndef CORDON_FLOW_SHELL_AWK_H
#define CORDON_FLOW_SHELL_AWK_H

#include <stdbool.h>

/* *AT is behind the word awk, in a command, and then behind what was looked at. May it run
 * something? */
bool shell_awk_runs(const char **at);
/* Of one program. */
bool shell_awk_program_runs(const char *program);

#endif
