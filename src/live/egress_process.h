/* SPDX-License-Identifier: MIT
 *
 * Starts cordon-egress, which makes the connections of a run, and sends it the rules. Collects its
 * rows: one for each attempt to connect.
 */
#ifndef CORDON_LIVE_EGRESS_PROCESS_H
#define CORDON_LIVE_EGRESS_PROCESS_H

#include <sys/types.h>

#include "base/arena.h"
#include "base/err.h"
#include "model/request.h"
#include "model/result.h"
#include "policy/policy.h"

struct egress_process {
	pid_t pid;
	int control; /* our socket to it, or -1 */
	int box;     /* the end that cordon-box gets, or -1 */
	size_t envc; /* variables with placeholders of secrets */
	const char *env[POLICY_SECRETS_MAX];
	struct arena arena;
};

void egress_process_init(struct egress_process *o);
/* Starts it, unless its sockets are there already, with the hosts and secrets of R, which the gate has
 * confined, and with the hosts that P denies. */
int egress_process_open(struct egress_process *o, const struct policy *p, const struct request *r,
			struct err *err);
/* Reads one message, while the box runs. */
void egress_process_read(struct egress_process *o, struct result *ret);
/* After the run: reads the remaining rows and ends the process. */
void egress_process_finish(struct egress_process *o, struct result *ret);
void egress_process_done(struct egress_process *o);

/* secrets.c: fetches each secret of R, sends it over CONTROL, and stores its placeholder in ENV. */
int secrets_send(struct egress_process *o, const struct policy *p, const struct request *r,
		 struct err *err);
/* Adds the placeholders to the environment. Call it after the approval: they are new in each run,
 * so no approval can cover them. */
int secrets_add_env(const struct egress_process *o, struct spec *s, struct err *err);

#endif
