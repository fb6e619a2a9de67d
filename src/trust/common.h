/* SPDX-License-Identifier: MIT
 *
 * Sentences that everybody copies: licences, the first and last lines of programs, beginnings of
 * addresses. They tie unrelated texts to each other, so nothing is recognised by them. They are
 * looked at when something ties, which is rare, and not when a source is read: so a new row is good
 * for the sources that are there already.
 */
#ifndef CORDON_TRUST_COMMON_H
#define CORDON_TRUST_COMMON_H

#include "trust/prints.h"

/* Every fingerprint that such a text could have, sorted. */
int common_prints(struct prints *ret, struct err *err);
bool common_has(const struct prints *common, uint64_t hash);

#endif
