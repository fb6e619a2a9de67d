/* SPDX-License-Identifier: MIT
 *
 * Who connects for a run that may: cordon-egress, started with the rules, asked at the end.
 */
#ifndef CORDON_FLOW_OUTSIDE_H
#define CORDON_FLOW_OUTSIDE_H

#include <sys/types.h>

#include "base/arena.h"
#include "base/err.h"
#include "model/request.h"
#include "model/result.h"
#include "policy/policy.h"

struct outside {
	pid_t pid;
	int control, box; /* our end, and the one that cordon-box gets; or -1 */
	size_t envc;	  /* variables that stand for secrets */
	const char *env[POLICY_SECRETS_MAX];
	struct arena arena;
};

void outside_init(struct outside *o);
/* Starts it with the hosts and secrets of R, which the gate has confined, and what P denies. */
int outside_open(struct outside *o, const struct policy *p, const struct request *r,
		 struct err *err);
/* A word of it, while the box runs. */
void outside_hear(struct outside *o, struct result *ret);
/* The run is over: what became of each attempt. */
void outside_finish(struct outside *o, struct result *ret);
void outside_done(struct outside *o);

/* secrets.c: fetches each of R's, hands it over CONTROL, and keeps what stands for it. */
int secrets_hand_over(struct outside *o, const struct policy *p, const struct request *r,
		      struct err *err);
/* Into the box's variables, last of all: nobody agrees to words that are new each time. */
int secrets_name(const struct outside *o, struct spec *s, struct err *err);

#endif
