/* SPDX-License-Identifier: MIT
 *
 * The early reader: an interpreter in the box that reads its own code while it starts, sends the
 * code view over the channel, and waits for our permission to run the code. See boot.h and
 * runtime/boot.
 */
#ifndef CORDON_LIVE_EARLY_READER_H
#define CORDON_LIVE_EARLY_READER_H

#include "live/boot.h"
#include "live/launch.h"

/* runtime/boot uses the same values, and the same CHANNEL_FD and PARTS_FD (model/spec.h);
 * tests/cli/talk.bats compares them. */
enum {
	READER_END = 0xff, /* ends the answer; UTF-8 has no such byte */
	READER_GO = 'g',   /* the code may run */
};

/* False if the program could write to something before the decision, or if the caller influences
 * how the interpreter starts: before the decision only Cordon's own code may run. */
bool early_reader_possible(const struct blueprint *p, const struct request *req);
/* Whether REQ asks for telemetry and the interpreter can send it. */
bool early_reader_can_report(const struct blueprint *p, const struct request *req);
/* Opens the channel and makes *RET, whose first fields the caller has set. The caller adds its
 * files to the spec. */
int early_reader_open(struct blueprint *p, struct boot *ret, struct err *err);
/* After launch_start: waits for the answer, which is malloc'd and comes without READER_END. -1: no
 * answer; the box must be abandoned. */
int early_reader_answer(struct launch *l, struct blueprint *p, char **ret, size_t *ret_len);
/* Allows the interpreter to run the code. */
void early_reader_release(struct blueprint *p);

#endif
