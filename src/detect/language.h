/* SPDX-License-Identifier: MIT
 *
 * In which language a text is, as far as its characters tell: conditions may be for one language
 * only.
 */
#ifndef CORDON_DETECT_LANGUAGE_H
#define CORDON_DETECT_LANGUAGE_H

#include <stdbool.h>
#include <stddef.h>

/* "en" when nothing speaks for another one. */
const char *language_of(const char *data, size_t len);
/* Is a condition for WANTED evaluated on a text in FOUND? The two forms of Chinese are taken for
 * one another. */
bool language_fits(const char *wanted, const char *found);

#endif
