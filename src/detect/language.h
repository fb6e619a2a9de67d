/* SPDX-License-Identifier: MIT
 *
 * Guesses the language of a text from its characters: a condition may apply to one language only.
 */
#ifndef CORDON_DETECT_LANGUAGE_H
#define CORDON_DETECT_LANGUAGE_H

#include <stdbool.h>
#include <stddef.h>

/* "en" when no character indicates another one. */
const char *language_of(const char *data, size_t len);
/* Does a condition for WANTED apply to a text in FOUND? Simplified and traditional Chinese count
 * as equal. */
bool language_fits(const char *wanted, const char *found);

#endif
