/* SPDX-License-Identifier: MIT
 *
 * Merges ties for display. One address in a source ties as a span, as an address and by its host,
 * and is one thing to look at. The log's record has all three.
 */
#ifndef CORDON_SHOW_TIES_H
#define CORDON_SHOW_TIES_H

#include "model/report.h"

/* Merges overlapping ties of one form of the code and one source. The first, which is the
 * strongest, keeps its kind. Returns how many are left, in the order of LIST. */
size_t ties_merge(struct report_tie *list, size_t count);

#endif
