/* SPDX-License-Identifier: MIT
 *
 * Delivers new lines of the file heads to the configured command or URL. A child process does so
 * when a command of cordon ends. Undelivered lines wait for the next command. A failure never
 * stops or delays a run: the receiver notices that heads are missing.
 */
#ifndef CORDON_GATE_HEADS_SEND_H
#define CORDON_GATE_HEADS_SEND_H

#include <stdint.h>

#include "conf/config.h"

/* How far heads were delivered, and the last failure. */
#define HEADS_SENT_FILE "heads.sent"

/* STATE is the state directory; NULL: the caller's own. -1: an earlier delivery failed, and ERR
 * says why. It is tried again. */
int heads_send(const struct config_target *to, const char *state, struct err *err);
/* Only reads: how many bytes of the file heads in DIR wait. -1: the last delivery failed. */
int heads_waiting(int dir, uint64_t *ret, struct err *err);

#endif
