/* SPDX-License-Identifier: MIT
 *
 * Shared by the records before a run and those after it.
 */
#ifndef CORDON_GATE_GATE_LOG_H
#define CORDON_GATE_GATE_LOG_H

#include "gate/gate.h"

/* The run, its conversation, an approval, ties and tickets. */
enum { REF_SIZE = 80, REFS_MAX = 3 + REPORT_TIES_MAX + GATE_TICKETS_MAX };

/* The names by which the records of a run are found. */
struct refs {
	size_t count;
	const char *name[REFS_MAX];
	char text[REFS_MAX][REF_SIZE];
};

/* Starts R with the names of the run and its conversation. */
void gate_refs(struct refs *r, const struct gate *g);
/* Adds the name SORT:ID. */
void gate_add_ref(struct refs *r, const char *sort, const char *id);
/* The committed record of that kind. */
struct report_record gate_record_of(const struct store_tx *tx, enum record_kind kind);
void gate_put_effects(const struct report *r, struct jcs *j);
void gate_put_layers(struct jcs *j, const char *name, uint32_t layers);
/* Appends J as a record, and empties J. */
void gate_append(struct store_tx *tx, enum record_kind kind, const struct refs *refs,
		 struct jcs *j);

#endif
