/* SPDX-License-Identifier: MIT
 *
 * Is a Python program plain: does it use only what is known to leave data as data? A plan must be
 * (origin/plan.h), and here nobody asks for ways to make code, of which there is always one more:
 * every module, name and attribute that it uses is held against lists of what is plain
 * (plain_table.h), and what is on none is not. Which it uses the reader tells
 * (runtime/python/pyuses.py), in the box, before anything of it runs; what follows from that is
 * decided here. It is about programs that mean well: who writes a plan has read nothing untrusted.
 */
#ifndef CORDON_FLOW_PLAIN_H
#define CORDON_FLOW_PLAIN_H

#include <stdbool.h>
#include <stddef.h>

/* USES: as the reader gave it; NULL is not plain. false: WHY, of LEN bytes, says what is not, with
 * its line. */
bool plain_python(const char *uses, char *why, size_t len);
/* Is the module, a name of LEN bytes, on the lists? */
bool plain_has_module(const char *name, size_t len);

#endif
