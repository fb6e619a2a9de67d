/* SPDX-License-Identifier: MIT
 *
 * Ties as people are told them: an address that stands in a source is found as a span, as an address and
 * by its host, and that is one thing to look at. The record has them all.
 */
#ifndef CORDON_CLI_TIES_H
#define CORDON_CLI_TIES_H

#include "model/report.h"

/* Those that overlap, in one form of the code and in one source, become one that reaches over all of
 * them; the first, which is the strongest, says how. How many are left, in the order of LIST. */
size_t ties_merge(struct report_tie *list, size_t count);

#endif
