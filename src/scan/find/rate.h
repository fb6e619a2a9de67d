/* SPDX-License-Identifier: MIT
 *
 * Estimates how frequent a literal is in ordinary text. It only helps to choose among literals
 * that are all correct.
 */
#ifndef CORDON_SCAN_RATE_H
#define CORDON_SCAN_RATE_H

#include "scan/find/strs.h"

/* An estimate of its occurrences per byte of folded text. */
double rate_of(const struct str *str);
/* The same for each single byte. */
enum { RATE_BYTES = 256 };
void rate_bytes(double ret[RATE_BYTES]);

#endif
