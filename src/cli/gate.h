/* SPDX-License-Identifier: MIT
 *
 * What the commands around the gate share: conversation, trust, grant, diff, apply, reset, ingest, plan,
 * audit. Each opens the state once,
 * does one thing and tells it, as words or as one JSON object.
 */
#ifndef CORDON_CLI_GATE_H
#define CORDON_CLI_GATE_H

#include <jansson.h>

#include "cli/cli.h"
#include "flow/state.h"
#include "trust/conversation.h"

enum { GATE_STATUS_BAD = 1, GATE_STATUS_USAGE = 2 };

/* The words of their JSON objects; each is ended by a row without name. */
extern const struct cli_field gate_conversation_fields[], gate_trust_fields[], gate_ticket_fields[],
	gate_change_fields[], gate_effect_fields[], gate_ingest_fields[], gate_finding_fields[],
	gate_verify_fields[], gate_trace_fields[], gate_checkpoint_fields[], gate_key_fields[],
	gate_rotate_fields[], gate_prove_fields[];

/* gate.c */
/* The I-th of those objects, or NULL past the end. */
const struct cli_object *gate_object_at(unsigned i);
/* Prints the error; what to exit with. */
int gate_fail(const struct cli_call *call, const struct err *err);
/* How to open the state, see store/store.h. GATE_NOT: do not open it. */
enum gate_way { GATE_READS, GATE_WRITES, GATE_ACCEPTS, GATE_NOT };
int gate_begin(const struct cli_call *call, enum gate_way way, struct gate_state *ret,
	       struct err *err);
/* A file, or standard input for "-": all of it, malloc'd, with a NUL behind; MOST bytes at most. */
int gate_read(const char *file, size_t most, char **ret, size_t *ret_len, struct err *err);
/* Microseconds since 1970 as people read them. Returns BUF. */
enum { GATE_TIME_MAX = 32 };
const char *gate_time(uint64_t us, char buf[GATE_TIME_MAX]);
json_t *gate_set_json(unsigned set, const char *(*name)(unsigned i));
json_t *gate_id_json(const struct id *id);
/* json.c: what became of each effect. */
struct report;
json_t *gate_effects_json(const struct report *r);
json_t *gate_hex_json(const uint8_t *data, size_t len);
/* The number behind an option. */
int gate_number(const struct cli_option *o, const char *v, uint64_t most, uint64_t *ret,
		struct err *err);

#endif
