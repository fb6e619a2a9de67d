/* SPDX-License-Identifier: MIT
 *
 * Makes untrusted names safe to store and to print: UTF-8 of bounded length, in which control
 * characters and characters that reorder or hide text are escaped.
 */
#ifndef CORDON_TRUST_ESCAPE_H
#define CORDON_TRUST_ESCAPE_H

#include <stddef.h>

/* A text that does not fit ends with "...". SIZE is at least 16. */
void escape_text(const char *text, size_t len, char *ret, size_t size);

#endif
