/* SPDX-License-Identifier: MIT
 *
 * A stranger's name for something, as text that is safe to keep, to print and to show: UTF-8 of
 * bounded length, in which controls and what turns or hides text are written as escapes.
 */
#ifndef CORDON_TRUST_ESCAPE_H
#define CORDON_TRUST_ESCAPE_H

#include <stddef.h>

/* What does not fit ends with "...". SIZE is at least 16. */
void escape_text(const char *text, size_t len, char *ret, size_t size);

#endif
