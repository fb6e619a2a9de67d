/* SPDX-License-Identifier: MIT
 *
 * The result of a run: how it ended, what it printed, what it was refused, what it changed.
 */
#ifndef CORDON_MODEL_RESULT_H
#define CORDON_MODEL_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/err.h"
#include "model/egress_message.h"
#include "model/report.h"
#include "model/wire.h"

enum { RESULT_EXPLAINED_MAX = 32 };

/* The zero value says that nothing ran. */
enum run_status {
	STATUS_ERROR,
	STATUS_REFUSED,
	STATUS_PENDING, /* an approval is pending */
	STATUS_EXITED,
	STATUS_SIGNALED,
	STATUS_TIMED_OUT,
	STATUS_LIMIT,
	STATUS_COUNT,
};

/* Whether the program ran. The zero value: certainly not. */
enum ran {
	RAN_NOT,
	RAN_PERHAPS, /* unknown: Cordon failed at the start of the program */
	RAN_ENDED,
};

/* The first and the last part of a stream. The bytes between are counted but not kept; the hash
 * includes them. */
struct capture {
	char *head, *tail;
	size_t head_len, head_max;
	size_t tail_len, tail_at, tail_max; /* a ring that starts at tail_at */
	uint64_t total;
	bool hashes;
	struct digest sha256; /* of all bytes so far */
};

/* What the program's interpreter reported (--telemetry). A program can report anything, so it decides
 * nothing. */
struct result_telemetry {
	uint64_t told, dropped;
	size_t explainedc;
	char *explained[RESULT_EXPLAINED_MAX]; /* explanations of refusals by such events */
};

struct change {
	uint32_t change, type, mode;
	uint64_t size;
	char *path;
	size_t path_len;
};

struct result {
	enum run_status status;
	enum ran ran;
	bool recorded; /* the log has the end of the run, or the refusal */
	int exit_code, signal;
	struct wire_result wire;
	struct capture out[2]; /* standard output, standard error */
	size_t denialc, changec;
	struct change *changes;
	bool changes_cut;
	size_t egressc; /* attempts to connect */
	struct egress_row *egress;
	bool egress_cut;
	bool executes_any; /* the profile dev */
	bool has_sha256;
	uint8_t sha256[32];
	int upper; /* the overlay's upper directory, or -1 */
	struct err err;
	struct result_telemetry telemetry;
	struct report *report; /* malloc'd; NULL: the gate did not decide */
	struct wire_denial denials[CORDON_DENIALS_MAX]; /* last: see result_init */
};

const char *status_name(enum run_status status);
/* The result of an attempt to connect. */
const char *egress_verdict_name(unsigned verdict);
/* The exit status of the command that ran it. */
int result_exit_status(const struct result *r);
/* Sets *R to an empty result. Does not free the old one: call result_done for that. */
void result_init(struct result *r);
void result_done(struct result *r);
/* Adds an attempt, or updates it. Ignores an attempt if earlier ones are missing, because it is sent
 * again. False: there is no room for more. */
bool result_put_egress(struct result *r, const struct egress_row *row);
/* The same for attempts of a live box, whose first ones may be those of earlier runs. */
bool result_add_egress(struct result *r, const struct egress_row *row);
int result_add_change(struct result *r, const struct wire_change *c);
/* Sets status, exit_code and signal from cordon-box's message. */
void result_conclude(struct result *r);

int capture_init(struct capture *c, size_t max);
/* Before the first byte. */
void capture_hash(struct capture *c);
/* The hash of all bytes. False: it was not requested before the first byte. */
bool capture_sha256(const struct capture *c, uint8_t ret[32]);
void capture_add(struct capture *c, const char *data, size_t len);
/* The kept bytes in order; *RET_GAP_AT is where the omitted ones were. Caller frees. */
char *capture_join(const struct capture *c, size_t *ret_len, size_t *ret_gap_at);
uint64_t capture_omitted(const struct capture *c);

#endif
