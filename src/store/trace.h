/* SPDX-License-Identifier: MIT
 *
 * Which documents led to this run? Records name what they are about; the walk goes from a run to
 * what it was decided on, from there to the sources and files and all else that was read in that
 * conversation, and from a file or an output to the run that made it, always back in time. It is told
 * forward.
 */
#ifndef CORDON_STORE_TRACE_H
#define CORDON_STORE_TRACE_H

#include "store/store.h"

enum { TRACE_REFS_MAX = 32768, TRACE_RECORDS_MAX = 65536 };

typedef int trace_fn(void *context, const struct store_row *row, const struct record *record,
		     struct err *err);

/* Calls for each record that belongs to the story of REF, in the order in which they were written. ERR_LIMIT
 * when the story is longer than the maxima: part of it is not the whole. */
int trace_back(struct store *s, const char *ref, trace_fn *fn, void *context, struct err *err);

#endif
