/* SPDX-License-Identifier: MIT
 *
 * Notifies another program of an event: one JSON object goes to a command of the configuration, on
 * its standard input, or to a URL. No decision depends on the delivery or on an answer.
 */
#ifndef CORDON_GATE_DELIVER_H
#define CORDON_GATE_DELIVER_H

#include <stddef.h>

#include "base/err.h"
#include "conf/config.h"

enum {
	DELIVER_BODY_MAX = 1 << 20, /* bytes of one JSON object */
	DELIVER_MS = 5000,	    /* timeout; a command is then killed, a request abandoned */
};

/* Checks that the sender could use the secret. The caller's own secret must be closed to all
 * others. A group of the caller may read root's (0640). */
int deliver_check_secret(const char *path, struct err *err);

/* EVENT names the event, with dots: "approval.waiting". A command has it in CORDON_EVENT, a server
 * in the header cordon-event. 0: delivered. -1: ERR says what to repair; the caller reports it and
 * continues. */
int deliver(const struct config_target *to, const char *event, const char *body, size_t len,
	    struct err *err);

#endif
