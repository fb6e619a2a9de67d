/* SPDX-License-Identifier: MIT
 *
 * What the records before a run and those after it share.
 */
#ifndef CORDON_FLOW_GATE_LOG_PRIVATE_H
#define CORDON_FLOW_GATE_LOG_PRIVATE_H

#include "flow/gate.h"

enum { REF_SIZE = 80 };

/* The names under which the records of a run are found again. */
struct refs {
	size_t count;
	bool more; /* sources that are behind it and that no label names any more */
	/* and run, domain, approval, plan, policy, the bytes of code and input */
	const char *name[GATE_REFS_MAX + 7];
	char text[GATE_REFS_MAX + 7][REF_SIZE];
};

/* The run's and its domain's; nothing else is in R then. */
void gate_refs(struct refs *r, const struct gate *g);
/* Bytes, by which the run that printed them and the source that has them are found. */
void gate_add_bytes(struct refs *r, const uint8_t sha256[KEEPER_SHA256]);
/* One more name: SORT:ID. */
void gate_add_ref(struct refs *r, const char *sort, const char *id);
/* A committed record of that kind. */
struct report_record gate_record_of(const struct store_tx *tx, enum record_kind kind);
void gate_put_layers(struct jcs *j, const char *name, uint32_t layers);
/* A record of it; J is empty again. */
void gate_append(struct store_tx *tx, enum record_kind kind, const struct refs *refs,
		 struct jcs *j);

#endif
