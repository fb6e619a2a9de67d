/* SPDX-License-Identifier: MIT
 *
 * The canaries of cordon-probe. Each puts one layer in place, with the code of cordon-box where that code
 * sets up one layer alone, and then tries what the layer must stop. If the attack succeeds, or the canary
 * dies, hangs or cannot be tried, the layer is missing: only a failed attack is a proof.
 */
#ifndef CORDON_PROBE_PROBE_H
#define CORDON_PROBE_PROBE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "box/box.h"
#include "box/listener.h"

enum { PROBE_SPACES = 7, PROBE_TEXT_MAX = 256 };

#define PROBE_ALL_SPACES                                                                           \
	(LAYER_BIT(LAYER_USERNS) | LAYER_BIT(LAYER_MOUNTNS) | LAYER_BIT(LAYER_PIDNS) |             \
	 LAYER_BIT(LAYER_NETNS) | LAYER_BIT(LAYER_IPCNS) | LAYER_BIT(LAYER_UTSNS) |                \
	 LAYER_BIT(LAYER_CGROUPNS))

/* The state of one canary; the child has a copy of all of it. */
struct probe {
	struct box box;
	struct spec spec;
	struct listener listener;
	uint64_t deadline_ns;
	uint32_t proven; /* bit per layer that an earlier canary has proven */
	int ctl;	 /* the socket to the other process */
	pid_t parent, child;
	pid_t program;		      /* the last process that called probe_ready */
	int status;		      /* how the child ended */
	char outer[PROBE_SPACES][64]; /* cordon-probe's own namespaces, to compare */
	int bait;		      /* the canary's target: a descriptor or a number ... */
	char text[PROBE_TEXT_MAX];    /* ... or a name */
};

/* 0: the layer has stopped the attack. */
typedef int probe_fn(struct probe *p, struct err *err);

/* The parts of a canary: the first runs in the child, the others in cordon-probe while the child lives. */
struct probe_part {
	unsigned events; /* where the count of refused calls starts */
	probe_fn *inside;
	probe_fn *ready; /* when the child calls probe_ready */
	probe_fn
		*ended; /* when the socket of the child ends: it died or executed another program */
};

/* Runs PART with a child in the new namespaces SPACES (bits of layers, or 0), its ids mapped.
 * The child and its descendants are dead afterwards. */
int probe_child(struct probe *p, uint32_t spaces, const struct probe_part *part, struct err *err);
/* The namespaces for canaries of layers that need none. If there are user namespaces, a run has one. If not,
 * only the tier without them is left, and the canary uses its rules. */
uint32_t probe_usual_spaces(struct probe *p);
/* In the child: lets cordon-probe run its check, and waits for it. */
int probe_ready(struct probe *p, struct err *err);
/* In the child: passes the seccomp listener to cordon-probe, which answers from now on. */
int probe_hand_over(struct probe *p, int listener, struct err *err);

/* In the child: takes the ids of the box's user. */
int probe_become(struct probe *p, struct err *err);

/* The attack succeeded. Always -1. */
int probe_leak(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The attack could not be tried, so nothing is proven; errno is the cause. Always -1. */
int probe_untried(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* probe_spaces.c */
probe_fn probe_userns, probe_mountns, probe_pidns, probe_netns, probe_ipcns, probe_utsns,
	probe_cgroupns;
/* probe_files.c */
probe_fn probe_newroot, probe_noexec, probe_memfd, probe_landlock;
/* probe_inherit.c */
probe_fn probe_session, probe_fds, probe_env;
/* probe_rights.c */
probe_fn probe_caps, probe_nnp, probe_dumpable;
/* probe_limits.c */
probe_fn probe_rlimits, probe_cgroup;
/* probe_filter.c */
probe_fn probe_seccomp, probe_execgate;

#endif
