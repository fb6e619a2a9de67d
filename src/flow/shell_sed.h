/* SPDX-License-Identifier: MIT
 *
 * sed has a language of its own, and GNU's runs programs: the command e, and the flag e of s. Asked
 * of the canonical text (flow/view.h). What is no script that this knows counts as one that does.
 */
#ifndef CORDON_FLOW_SHELL_SED_H
#define CORDON_FLOW_SHELL_SED_H

#include <stdbool.h>

/* *AT is behind the word sed, in a command, and then behind what was looked at. May it run
 * something? */
bool shell_sed_runs(const char **at);

#endif
