/* SPDX-License-Identifier: MIT
 *
 * One sandbox, as its processes see it.
 *
 *     cordon --spec--> cordon-box (supervisor) --clone--> init (pid 1 of the box) --fork--> program
 *
 * The supervisor stays outside: it maps ids, owns the cgroup and the clock, answers the seccomp
 * listener. Init builds the new root, reaps, and reads the overlay when all is dead. The process
 * that becomes the program makes its network namespace and drops its rights meanwhile, on another
 * core, and gets the last layers when the root is there. State is this struct, filled before the
 * clone and copied by it; there are no globals.
 */
#ifndef CORDON_BOX_BOX_H
#define CORDON_BOX_BOX_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "box/cgroup.h"
#include "model/spec.h"
#include "model/wire.h"

/* Who the program is inside. */
#define BOX_UID 1000
#define BOX_GID 1000

struct box {
	const struct spec *spec;
	uid_t outer_uid; /* the host's id behind BOX_UID */
	gid_t outer_gid;
	bool privileged;	 /* we are root on the host */
	bool idmap_workspace;	 /* the workspace is root's: show it as owned by the box */
	int cloned_workspace;	 /* as root: the workspace's mount, taken by descriptor; or -1 */
	int cloned_saved;	 /* the same of the saved tree */
	int upper, saved, lower; /* of an overlay workspace, or -1 */
	uint32_t layers;	 /* bit per layer that has been put in place */
	uint32_t without;	 /* mutant builds only: layers left out */
	bool unasked;		 /* the same: connections are made without asking cordon-egress */
	int private_lock;	 /* held while the private directory is ours; or -1 */
	int ctl;		 /* init's end or the supervisor's end of their socket pair */
	struct cgroup cgroup;
	bool attach_late; /* the program must be moved into its cgroup from outside */
	int resolver;	  /* SPEC_NET, in the program's process: where names are asked for; or -1 */
};

/* The shipped binary has no way to leave a layer out. */
#ifdef CORDON_MUTANT
#define box_wants(b, l) (!((b)->without & LAYER_BIT(l)))
#define box_asks(b) (!(b)->unasked)
#else
#define box_wants(b, l) ((void)(b), (void)(l), true)
#define box_asks(b) ((void)(b), true)
#endif

/* Is execve decided by Landlock's list, or is there no program after the first? */
static inline bool box_may_exec(const struct box *b)
{
	return b->spec->flags & SPEC_EXEC || !box_wants(b, LAYER_EXECGATE);
}

static inline bool box_makes_network(const struct box *b)
{
	return b->spec->tier != TIER_NO_USERNS && box_wants(b, LAYER_NETNS);
}

/* meant.c */
bool box_is_meant(int fd, const struct spec_meant *m);
/* What FD is open on, however it changes. */
struct spec_meant box_meant_by(int fd);

static inline void box_mark(struct box *b, enum layer l)
{
	b->layers |= LAYER_BIT(l);
}

/* init.c: pid 1 of the box; never returns. */
void init_main(struct box *b) __attribute__((noreturn));
/* In it and in the program's process: tells the supervisor why, and ends. */
void box_give_up(const struct box *b, const struct err *err) __attribute__((noreturn));

/* program.c: the process that becomes the program, as init sees it. */
struct program {
	pid_t pid;
	int sock;
};
/* Starts it: it makes its network namespace at once. */
int program_begin(struct box *b, struct program *ret, struct err *err);
/* In it: the last steps and the exec. INIT: where init says how far the root is, or -1. */
void program_exec(struct box *b, int init) __attribute__((noreturn));

/* resolver.c: in a network that has just been made. */
int resolver_open(struct box *b, struct err *err);

/* lost.c: in init; 0 in a box without a network. */
uint64_t lost_datagrams(const struct box *b);

/* spaces.c: which namespaces init is born into, and which it enters by itself. */
int spaces_choose(const struct box *b, bool at_birth);
void spaces_mark(struct box *b, int flags);
int spaces_enter(struct box *b, struct err *err);
int spaces_explain(const struct box *b, struct err *err);

/* ids.c */
int ids_choose(struct box *b, struct err *err);
int ids_map(const struct box *b, pid_t pid, struct err *err);
int ids_become(struct box *b, struct err *err);
int ids_open_map(const struct box *b, uid_t from_uid, gid_t from_gid, struct err *err);

/* newroot.c and workspace.c */
int newroot_enter(struct box *b, struct err *err);
/* Until this the host's root lies below the new one. It waits for an RCU grace period. */
int newroot_drop_old(struct err *err);
/* Below the current directory, which stands for the root. */
int newroot_write_payload(const struct box *b, struct err *err);
/* In the new root; SCRATCH is the tmpfs that backs all that can be written. */
int workspace_mount(struct box *b, int source, int saved, int scratch, struct err *err);
/* mask.c: covers what the spec names. The new root is the working directory. */
int masks_mount(const struct box *b, struct err *err);
/* As root, before the clone: takes the workspace by descriptor; root's own is shown as the box's. */
int workspace_clone(struct box *b, struct err *err);

/* private.c: without namespaces, a directory of the run's own. */
int private_make(struct box *b, struct err *err);
void private_remove(const struct box *b);

/* fds.c */
void fds_close_all_but(const int *keep, size_t count);

/* creds.c */
/* Before the clone: inside nobody may raise a limit. Who may not out here either is told by the next. */
void creds_allow_cores(const struct box *b);
int creds_check_cores(const struct box *b, struct err *err);
int creds_limit(struct box *b, struct err *err);
int creds_limit_last(struct box *b, struct err *err);
/* All capabilities for good: what can be had (in init, for all that come after), then what is held. */
int creds_drop_bounding(const struct box *b, struct err *err);
int creds_drop_held(struct box *b, struct err *err);
int creds_drop(struct box *b, struct err *err); /* both */

/* landlock.c, seccomp.c */
int landlock_open(const struct box *b, int *ret_rules, struct err *err);
int landlock_enter(struct box *b, int rules, struct err *err);
int seccomp_load(struct box *b, int *ret_listener, struct err *err);
int seccomp_self_test(bool notified, struct err *err);

/* diff.c: tells every change below UPPER against the workspace over b->ctl. */
int diff_send(struct box *b);

/* probe.c: doctor. */
int probe_all(struct box *b);

#ifdef CORDON_MUTANT
void mutant_configure(struct box *b);
#endif

/* why.c: the cause and cure of a layer that failed, found by looking at the host. */
void why_layer(struct err *err, enum layer layer);
/* WHAT failed with errno, LAYER is to blame. Always -1. */
int why_failed(struct err *err, enum layer layer, const char *what);
/* Only the switches: true when one is off, and *ERR says which. */
bool why_sysctl(struct err *err, enum layer layer);

#endif
