/* SPDX-License-Identifier: MIT
 *
 * One run as the supervisor sees it: started, released, watched, concluded.
 */
#ifndef CORDON_BOX_SUPERVISE_H
#define CORDON_BOX_SUPERVISE_H

#include "box/box.h"
#include "box/listener.h"
#include "box/starts.h"

struct run {
	struct box *box;
	struct listener listener;
	pid_t pid;
	int pidfd;
	bool started, killing, ended, done, failed, abandoned;
	bool changes_sent;     /* init has sent all changes */
	bool listing;	       /* init sends the changes of a live box, which goes on */
	uint64_t still_ns;     /* since when the programs of a live box stand still; 0: they run */
	bool egress_gone;      /* after the end */
	unsigned denials_sent; /* how many refusals the caller has */
	uint64_t deadline_ns, ended_ns, pids_seen;
	uint64_t work_before_ns; /* the supervisor's CPU time when the program started */
	struct cgroup_usage usage;
	bool measured;
	struct wire_result result;
	struct err err;
	struct starts starts; /* of a live box */
};

static inline bool run_is_live(const struct run *r)
{
	return r->box->spec->flags & SPEC_LIVE;
}

static inline bool run_has_network(const struct run *r)
{
	return r->box->spec->flags & SPEC_NET;
}

/* lifecycle.c: makes the namespaces and init in them. */
int run_start(struct run *r, struct err *err);
/* Gives init its ids and lets it build the root. */
int run_release(struct run *r, struct err *err);
/* Makes the cgroup, unless init was started in it, and tells the program's process to enter it. */
int run_open_cgroup(struct run *r, struct err *err);
void run_kill(struct run *r);
/* cgroup v2: init was started in the cgroup, which cannot be removed while init lives. */
bool run_is_in_cgroup(const struct run *r);
/* Waits for the death of init and removes what is left. */
void run_bury(struct run *r);

enum { RUN_GRACE_MS = 5000 }; /* for init to reap, and to read the overlay, after the kill */
/* Sets the deadline, in milliseconds from now. */
void run_arm(struct run *r, uint64_t ms);
void run_end(struct run *r);
void run_fail(struct run *r, const struct err *err);
/* LIMIT was reached; ENDED: it has ended the run. */
void run_reached(struct wire_result *res, uint32_t limit, bool ended);

/* messages.c: receives a message of init, or the end of its socket. */
void run_receive(struct run *r);
/* If one of the functions above failed because init has ended, *ERR gets the reason that init sent. */
void run_receive_error(struct run *r, struct err *err);

/* supervise.c: runs until the box has ended, and sends the result. */
int supervise(struct run *r, struct err *err);

#endif
