/* SPDX-License-Identifier: MIT
 *
 * Is a directory ours alone? What is checked is the directory that was opened, not its name; and
 * what is wrong is told, never mended, because somebody may have been in there already.
 */
#ifndef CORDON_BASE_OWNED_H
#define CORDON_BASE_OWNED_H

#include <sys/types.h>

#include "base/err.h"

/* Opens it: no link in its place, our own, with no bit of FORBIDDEN in its mode, and in a directory
 * where others cannot exchange it. -1 with ERR, ERR_REFUSED when there is one that is not so. */
int owned_open(const char *path, mode_t forbidden, struct err *err);

#endif
