/* SPDX-License-Identifier: MIT
 *
 * Text that many people copy: licences, first and last lines of programs, beginnings of addresses.
 * Such text ties unrelated texts to each other, so it is no evidence. It is filtered when something
 * ties, and not when a source is read: a new row therefore also holds for sources that are stored.
 */
#ifndef CORDON_TRUST_EVIDENCE_BOILERPLATE_H
#define CORDON_TRUST_EVIDENCE_BOILERPLATE_H

#include "trust/evidence/fingerprint.h"

/* Every fingerprint that boilerplate can have, sorted. */
int boilerplate_prints(struct prints *ret, struct err *err);
bool boilerplate_has(const struct prints *common, uint64_t hash);

#endif
