/* SPDX-License-Identifier: MIT
 *
 * The language of a program, by its name and its first line.
 */
#ifndef CORDON_DETECT_PROGRAM_LANGUAGE_H
#define CORDON_DETECT_PROGRAM_LANGUAGE_H

#include <stddef.h>

/* NAME may be NULL. NULL: not the code of a language that has a code view. */
const char *program_language(const char *name, const char *code, size_t len);

#endif
