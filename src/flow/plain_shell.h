/* SPDX-License-Identifier: MIT
 *
 * Is a shell program plain: does it leave its data as data? A plan must be (origin/plan.h). As of Python
 * (flow/plain.h), what is plain is listed, and all else is not: a shell computes with what it is given in so
 * many places (a[$(date)] is a number to it, and the name of a variable) that nobody has listed them. Of
 * each command the words are known, and which parts of them are computed; a builtin has a row that says
 * which words it may get. Which commands there are the reader tells (runtime/python/shelluses.py), in the
 * box, before anything of it runs. Programs that are no builtins are somebody else's answer
 * (flow/makes_code.h). It is about programs that mean well: who writes a plan has read nothing untrusted.
 */
#ifndef CORDON_FLOW_PLAIN_SHELL_H
#define CORDON_FLOW_PLAIN_SHELL_H

#include <stdbool.h>
#include <stddef.h>

/* USES: as the reader gave it; NULL is not plain. false: WHY, of LEN bytes, says what is not, with its
 * line. */
bool plain_shell(const char *uses, char *why, size_t len);

#endif
