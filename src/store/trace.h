/* SPDX-License-Identifier: MIT
 *
 * Which documents led to this run? The trace follows the refs of records back in time: from a run
 * to its decision, from there to everything that was read in the conversation, and from a file or
 * an output to the run that made it. The caller gets the records in the order of the log.
 */
#ifndef CORDON_STORE_TRACE_H
#define CORDON_STORE_TRACE_H

#include "store/store.h"

enum { TRACE_REFS_MAX = 32768, TRACE_RECORDS_MAX = 65536 };

typedef int trace_fn(void *context, const struct store_row *row, const struct record *record,
		     struct err *err);

/* Calls FN for each record of the trace of REF. ERR_LIMIT: the trace is over the maxima; then FN is
 * not called. */
int trace_back(struct store *s, const char *ref, trace_fn *fn, void *context, struct err *err);

#endif
