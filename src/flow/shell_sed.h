/* SPDX-License-Identifier: MIT
 *
 * sed has a language of its own, and GNU's runs programs: the command e, the flag e of s, and more
 * that nobody here lists. Asked of the canonical text (flow/view.h). What is not surely harmless
 * counts as what runs something: "sed --sandbox", which itself refuses to, is always harmless.
 */
#ifndef CORDON_FLOW_SHELL_SED_H
#define CORDON_FLOW_SHELL_SED_H

#include <stdbool.h>

/* *AT is behind the word sed, in a command, and then behind what was looked at. May it run
 * something? */
bool shell_sed_runs(const char **at);
/* Of one script. */
bool shell_sed_script_runs(const char *script);

#endif
