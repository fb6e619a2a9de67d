/* SPDX-License-Identifier: MIT
 *
 * One run as the supervisor sees it: started, released, watched, concluded.
 */
#ifndef CORDON_BOX_SUPERVISE_H
#define CORDON_BOX_SUPERVISE_H

#include "box/box.h"
#include "box/gate.h"

struct run {
	struct box *box;
	struct gate gate;
	pid_t pid;
	int pidfd;
	bool started, killing, ended, done, failed, abandoned;
	bool told_all;	  /* init has told every change */
	bool egress_gone; /* after the end */
	unsigned told;	  /* how many of the gate's refusals the caller knows already */
	uint64_t deadline_ns, ended_ns, pids_seen;
	uint64_t work_before_ns; /* our own processor time when the program started */
	struct cgroup_usage usage;
	bool measured;
	struct wire_result result;
	struct err err;
};

/* start.c: makes the namespaces and init in them. */
int run_start(struct run *r, struct err *err);
/* Gives init its ids and lets it build the root. */
int run_release(struct run *r, struct err *err);
/* Makes the cgroup, unless init was started in it, and lets the program's process enter it. */
int run_open_cgroup(struct run *r, struct err *err);
void run_kill(struct run *r);
/* cgroup v2: init was started in the cgroup, which cannot be removed before it. */
bool run_is_in_cgroup(const struct run *r);
/* Waits for init's death and removes what is left. */
void run_bury(struct run *r);

/* reached.c: LIMIT was reached, and has ended the run or not. */
void run_reached(struct wire_result *res, uint32_t limit, bool ended);

/* hear.c: a word of init, or its silence. */
void run_hear(struct run *r);
/* When one of the above failed because init has ended, init has said why: into *ERR. */
void run_hear_why(struct run *r, struct err *err);

/* conclude.c: measures, buries, tells the result. */
int run_conclude(struct run *r, struct err *err);

/* supervise.c: the clock goes off in so many milliseconds. */
enum { RUN_GRACE_MS = 5000 }; /* for init to reap and read the overlay after the kill */
void run_arm(struct run *r, uint64_t ms);
void run_end(struct run *r);
void run_fail(struct run *r, const struct err *err);
bool run_has_network(const struct run *r);
/* Processor time that we and those who connect for us have spent on the calls of a box with a network. */
uint64_t run_work_ns(const struct run *r);
/* Until all is over; tells the result. */
int supervise(struct run *r, struct err *err);

#endif
