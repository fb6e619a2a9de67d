/* SPDX-License-Identifier: MIT
 *
 * Doctor's canaries: each one puts a layer in place, with the code of real runs where that can be
 * had for one layer alone, and then tries what the layer must stop. A canary that got through,
 * died, hung or could not be tried means that the layer is missing; only a failed attack is a
 * proof.
 */
#ifndef CORDON_BOX_PROBE_H
#define CORDON_BOX_PROBE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "box/box.h"
#include "box/gate.h"

enum { PROBE_SPACES = 7, PROBE_TEXT_MAX = 256 };

#define PROBE_ALL_SPACES                                                                           \
	(LAYER_BIT(LAYER_USERNS) | LAYER_BIT(LAYER_MOUNTNS) | LAYER_BIT(LAYER_PIDNS) |             \
	 LAYER_BIT(LAYER_NETNS) | LAYER_BIT(LAYER_IPCNS) | LAYER_BIT(LAYER_UTSNS) |                \
	 LAYER_BIT(LAYER_CGROUPNS))

/* One canary's world; the child has a copy of all of it. */
struct probe {
	struct box box;
	struct spec spec;
	struct gate gate;
	uint64_t deadline_ns;
	uint32_t held; /* bit per layer that an earlier canary has proven */
	int ctl;       /* to the other side */
	pid_t parent, child;
	pid_t program;		      /* who said last that it is ready */
	int status;		      /* how the child ended */
	char outer[PROBE_SPACES][64]; /* our own namespaces, to tell new ones from them */
	int bait;		      /* what a canary is after: a descriptor or a number ... */
	char text[PROBE_TEXT_MAX];    /* ... or a name */
};

/* 0: the layer held. */
typedef int probe_fn(struct probe *p, struct err *err);

/* The parts of a canary; the first runs in the child, the others here while the child lives. */
struct probe_part {
	unsigned events; /* how many refused calls the gate has answered already */
	probe_fn *inside;
	probe_fn *ready; /* when the child calls probe_ready */
	probe_fn *ended; /* when the child says nothing more: it died or became another program */
};

/* Runs PART with a child in new namespaces SPACES (bits of layers, or 0), its ids mapped. The
 * child and all that it started are dead afterwards. */
int probe_child(struct probe *p, uint32_t spaces, const struct probe_part *part, struct err *err);
/* The namespaces for canaries of layers that need none: where there are user namespaces, runs are
 * in one; where not, only the tier without them is left, and its rules are what is tried. */
uint32_t probe_usual_spaces(struct probe *p);
/* In the child: lets the other side have a look before it goes on. */
int probe_ready(struct probe *p, struct err *err);
/* In the child: the gate on the other side answers from now on. */
int probe_hand_over(struct probe *p, int listener, struct err *err);

/* In the child: becomes the box's user. */
int probe_become(struct probe *p, struct err *err);

/* The attack went through. Always -1. */
int probe_leak(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The attack could not be tried, so nothing is proven. errno says why. Always -1. */
int probe_untried(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* probe_spaces.c */
probe_fn probe_userns, probe_mountns, probe_pidns, probe_netns, probe_ipcns, probe_utsns,
	probe_cgroupns;
/* probe_files.c */
probe_fn probe_newroot, probe_noexec, probe_memfd, probe_landlock;
/* probe_program.c */
probe_fn probe_session, probe_fds, probe_env;
/* probe_rights.c */
probe_fn probe_caps, probe_nnp, probe_dumpable;
/* probe_limits.c */
probe_fn probe_rlimits, probe_cgroup;
/* probe_filter.c */
probe_fn probe_seccomp, probe_execgate;

#endif
