/* SPDX-License-Identifier: MIT
 *
 * What the records before a run and those after it share.
 */
#ifndef CORDON_FLOW_GATE_LOG_PRIVATE_H
#define CORDON_FLOW_GATE_LOG_PRIVATE_H

#include "flow/gate.h"

/* Run, conversation, approval, ties and tickets. */
enum { REF_SIZE = 80, REFS_MAX = 3 + REPORT_TIES_MAX + GATE_TICKETS_MAX };

/* The names under which the records of a run are found again. */
struct refs {
	size_t count;
	const char *name[REFS_MAX];
	char text[REFS_MAX][REF_SIZE];
};

/* The run's and its conversation's; nothing else is in R then. */
void gate_refs(struct refs *r, const struct gate *g);
/* One more name: SORT:ID. */
void gate_add_ref(struct refs *r, const char *sort, const char *id);
/* A committed record of that kind. */
struct report_record gate_record_of(const struct store_tx *tx, enum record_kind kind);
void gate_put_effects(const struct report *r, struct jcs *j);
void gate_put_layers(struct jcs *j, const char *name, uint32_t layers);
/* A record of it; J is empty again. */
void gate_append(struct store_tx *tx, enum record_kind kind, const struct refs *refs,
		 struct jcs *j);

#endif
