/* SPDX-License-Identifier: MIT
 *
 * How often a literal is in ordinary text: only to choose among literals that are all right.
 */
#ifndef CORDON_SCAN_RATE_H
#define CORDON_SCAN_RATE_H

#include "scan/strs.h"

/* About how many times per byte of folded text. */
double rate_of(const struct str *str);
/* The same for each byte alone. */
enum { RATE_BYTES = 256 };
void rate_bytes(double ret[RATE_BYTES]);

#endif
