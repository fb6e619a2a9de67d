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
#include <string.h>
#include <sys/types.h>

#include "base/err.h"
#include "box/cgroup.h"
#include "model/spec.h"
#include "model/wire.h"

/* The program's ids inside. */
#define BOX_UID 1000
#define BOX_GID 1000

struct box {
	const struct spec *spec;
	uid_t outer_uid; /* the host's id behind BOX_UID */
	gid_t outer_gid;
	bool privileged;      /* we are root on the host */
	bool idmap_workspace; /* the workspace is root's: show it as owned by the box */
	int cloned_workspace; /* as root: the workspace's mount, taken by descriptor; or -1 */
	int cloned_saved;     /* the same of the saved tree */
	int cloned_bind[SPEC_BINDS_MAX]; /* the same of each bind, plus 1; or 0. In init */
	int upper, saved, lower;	 /* of an overlay workspace, or -1 */
	uint32_t layers;		 /* bit per layer that has been put in place */
	uint32_t without;		 /* mutant builds only: layers left out */
	bool unasked;	  /* mutant builds only: connect without asking cordon-egress */
	int private_lock; /* held while the private directory is ours; or -1 */
	int ctl;	  /* init's end or the supervisor's end of their socket pair */
	struct cgroup cgroup;
	bool attach_late; /* the program must be moved into its cgroup from outside */
	int starts;	  /* SPEC_LIVE: the starter's end of its socket; or -1 */
	int resolver;	  /* SPEC_NET, in the program's process: where names are asked for; or -1 */
};

#define BOX_INIT                                                                                   \
	{                                                                                          \
		.ctl = -1, .upper = -1, .saved = -1, .lower = -1, .cloned_workspace = -1,          \
		.cloned_saved = -1, .private_lock = -1, .starts = -1, .resolver = -1               \
	}

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

static inline bool box_is_dev(const struct box *b)
{
	return b->spec->flags & SPEC_DEV;
}

/* Files that the program writes are never mapped as code. */
static inline bool box_wants_noexec(const struct box *b)
{
	return box_wants(b, LAYER_NOEXEC) && !box_is_dev(b);
}

/* It has internet sockets: in the profile dev for its own loopback, with SPEC_NET for some hosts. The
 * supervisor counts and connects them (net_calls.h). */
static inline bool box_has_inet(const struct box *b)
{
	return b->spec->flags & SPEC_NET || (box_is_dev(b) && b->spec->tier != TIER_NO_USERNS);
}

/* The code is a file of the workspace: it has its own path there. */
static inline bool box_runs_in_place(const struct box *b)
{
	const struct spec *s = b->spec;
	size_t len = s->workspace == WORKSPACE_NONE ? 0 : strlen(s->workspace_path);

	return s->payload == PAYLOAD_FILE && s->tier != TIER_NO_USERNS && len &&
	       strncmp(s->payload_target, s->workspace_path, len) == 0 &&
	       s->payload_target[len] == '/';
}

static inline bool box_makes_network(const struct box *b)
{
	return b->spec->tier != TIER_NO_USERNS && box_wants(b, LAYER_NETNS);
}

/* same_file.c: is FD the file that M describes? */
bool same_file(int fd, const struct spec_identity *m);
/* Describes the file that FD is open on, whatever its contents. */
struct spec_identity same_file_of(int fd);

static inline void box_mark(struct box *b, enum layer l)
{
	b->layers |= LAYER_BIT(l);
}

/* intake.c: waits for the spec on RESULT_FD, puts its descriptors where enum spec_fd says (standard input
 * becomes descriptor 0), decodes it and checks the payload's hash. *RET is zeroed memory. */
int intake_receive(struct spec *ret, struct err *err);

/* init.c: pid 1 of the box; never returns. */
void init_main(struct box *b) __attribute__((noreturn));

/* program.c: the process that becomes the program, as init sees it. */
struct program {
	pid_t pid;
	int sock;
};
/* Starts it: it makes its network namespace at once. */
int program_begin(struct box *b, struct program *ret, struct err *err);
/* In it and in init: sends the error to the supervisor and exits. */
void box_give_up(const struct box *b, const struct err *err) __attribute__((noreturn));
/* In it: the last steps and the exec. INIT: the socket on which init reports the state of the root, or -1. */
void program_exec(struct box *b, int init) __attribute__((noreturn));

/* own_network.c: in a new network namespace. */
int own_network_open(struct box *b, struct err *err);

/* full.c: after the end, with the wait status of the program: has a file reached --file-size? In init. */
bool full_file(const struct box *b, int status);

/* net_stats.c: datagrams that had no route. In init; 0 in a box without a network. */
uint64_t net_stats_undelivered(const struct box *b);

/* namespaces.c: which namespaces init is born into, and which it enters by itself. */
int namespaces_choose(const struct box *b, bool at_birth);
void namespaces_mark(struct box *b, int flags);
int namespaces_enter(struct box *b, struct err *err);
int namespaces_explain(const struct box *b, struct err *err);

/* ids.c */
int ids_choose(struct box *b, struct err *err);
int ids_map(const struct box *b, pid_t pid, struct err *err);
int ids_become(struct box *b, struct err *err);
int ids_open_map(const struct box *b, uid_t from_uid, gid_t from_gid, struct err *err);

/* newroot.c and workspace_mount.c */
#define PAYLOAD_IN_PLACE "/cordon/code"
int newroot_enter(struct box *b, struct err *err);
/* A mount of the I-th bind; or -1, without ERR if it is optional and missing. */
int newroot_clone_bind(const struct box *b, size_t i, struct err *err);
/* Detaches the host's root, which lies below the new one. Waits for an RCU grace period. */
int newroot_drop_old(struct err *err);
/* Below the current directory, which stands for the root. */
int newroot_write_payload(const struct box *b, struct err *err);
/* In the new root; SCRATCH is the tmpfs that backs all that can be written. */
int workspace_mount(struct box *b, int source, int saved, int scratch, struct err *err);
/* mask.c: covers what the spec names. The new root is the working directory. */
int masks_mount(const struct box *b, struct err *err);
/* Mounts the code over its file in the workspace. */
int payload_mount(const struct box *b, struct err *err);
/* As root, before the clone: takes the workspace by descriptor; root's own is shown as the box's. */
int workspace_clone(struct box *b, struct err *err);
/* Shows the files of root in TREE as the box's, if TREE is root's. */
int workspace_map_root(const struct box *b, int tree, struct err *err);
/* As root: shows the files of TREE's owner as the box's, which are written there with that owner's ids. */
int workspace_map_writable(const struct box *b, int tree, struct err *err);

/* private_dir.c: without namespaces, a directory of the run's own. */
int private_dir_make(struct box *b, struct err *err);
void private_dir_remove(const struct box *b);

/* inherit.c */
void fds_close_all_but(const int *keep, size_t count);
/* In a process that cordon has just started. -1: it was started by something else, and USAGE is printed. */
int inherit_reset(const struct box *b, const char *usage);

/* creds.c */
/* Before the clone, because inside no process may raise a limit. It may fail: creds_check_cores tells. */
void creds_allow_cores(const struct box *b);
int creds_check_cores(const struct box *b, struct err *err);
int creds_limit(struct box *b, struct err *err);
int creds_limit_last(struct box *b, struct err *err);
/* For a start in a live box: a limit of the box is the hard limit of all its processes, which a start can
 * only lower. creds_lower_limits: those that need no special care. */
int creds_lower_limit(int resource, uint64_t value);
int creds_lower_limits(const uint64_t *limit);
/* Gives up all capabilities for good: first the bounding set (in init, for all later processes), then what
 * the process holds. */
int creds_drop_bounding(const struct box *b, struct err *err);
int creds_drop_held(struct box *b, struct err *err);
int creds_drop(struct box *b, struct err *err); /* both */

/* landlock.c, seccomp.c */
int landlock_open(const struct box *b, int *ret_rules, struct err *err);
int landlock_enter(struct box *b, int rules, struct err *err);
int seccomp_load(struct box *b, int *ret_listener, struct err *err);
int seccomp_self_test(bool notified, struct err *err);

/* diff.c: sends each change below b->upper, compared with the workspace, to b->ctl. */
int diff_send(struct box *b);

#ifdef CORDON_MUTANT
void mutant_configure(struct box *b);
#endif

/* diagnose.c: looks at the host for the cause and the cure of a layer that failed. */
void diagnose_layer(struct err *err, enum layer layer);
/* WHAT failed with errno because of LAYER. Always -1. */
int diagnose_failed(struct err *err, enum layer layer, const char *what);
/* Looks at sysctls only. True: one switches LAYER off, and *ERR names it. */
bool diagnose_sysctl(struct err *err, enum layer layer);

#endif
