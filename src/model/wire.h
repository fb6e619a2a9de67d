/* SPDX-License-Identifier: MIT
 *
 * The messages of cordon-box to cordon: datagrams on a socket pair, each a struct of plain data that
 * begins with its kind. The box's init and its supervisor use the same kinds.
 */
#ifndef CORDON_MODEL_WIRE_H
#define CORDON_MODEL_WIRE_H

#include <stdint.h>

#include "base/err.h"
#include "model/limit.h"

enum wire_kind {
	WIRE_SPEC = 1, /* descriptors of enum wire_fd: the only message from cordon */
	WIRE_ERROR,    /* wire_error: Cordon could not run it */
	WIRE_LISTENER, /* wire_listener and a descriptor: the program's filter (inside only) */
	WIRE_RESOLVER, /* descriptor: the socket of the program's resolver (inside only) */
	WIRE_BIND,     /* wire_bind and a mount: supervisor to init, before wire_go (inside only) */
	WIRE_GO,       /* wire_go: supervisor to init, and init to the program's process */
	WIRE_JOIN,     /* descriptors: how the program's process enters its cgroup */
	WIRE_NETWORK,  /* descriptor: the network namespace, from the program's process to init */
	WIRE_READY,    /* wire_ready: the root is built, init to the program's process */
	WIRE_ALONE,    /* the host's root and network are gone, init to the program's process */
	WIRE_KILL,     /* supervisor to init: end the run now (inside only) */
	WIRE_LIMIT,    /* wire_limit: init ends a live box by this limit (inside only) */
	WIRE_ENDED,    /* wire_ended: all untrusted code is dead and reaped (inside only) */
	WIRE_CHANGE,   /* wire_change */
	WIRE_UPPER,    /* descriptor: the overlay's upper directory */
	WIRE_DONE,     /* wire_done: init's last message (inside only) */
	WIRE_PROBE,    /* wire_probe: the doctor's result for one layer */
	WIRE_DENIAL,   /* wire_denial */
	WIRE_RESULT,   /* wire_result: all untrusted code is dead */
	WIRE_GONE,     /* the cgroup is removed: the last message */
	/* A live box (SPEC_LIVE). From cordon: */
	WIRE_START,  /* wire_start; descriptors of enum start_fd */
	WIRE_SIGNAL, /* wire_signal; also to a box that is not live, and to init */
	WIRE_OPEN,   /* wire_open */
	WIRE_GO_ON,  /* after WIRE_DIFF */
	WIRE_DIFF,   /* stand still and list the changes: wire_change, WIRE_UPPER, WIRE_DONE */
	WIRE_END,    /* end the box: wire_result follows */
	/* To cordon: */
	WIRE_CREATED, /* wire_ready: every layer is in place */
	WIRE_STARTED, /* wire_started: the program runs; with START_TTY and the terminal's descriptor */
	WIRE_EXITED, /* wire_exited: the program has ended, or was not started */
	WIRE_CLOSED, /* wire_closed: none of the processes that it left behind lives */
	WIRE_OPENED, /* wire_opened and the file's descriptor */
};

/* The descriptors of a start. With START_TTY only the first comes. */
enum start_fd { START_FD_SPEC, START_FD_INPUT, START_FD_OUTPUT, START_FD_ERROR, START_FDS };

enum start_flag {
	START_TTY = 1, /* the program gets a terminal of the box */
	START_FLAGS = 1,
};

/* In the order of their places, so most descriptors arrive at their places. A missing one is
 * /dev/null. */
enum wire_fd {
	WIRE_FD_SPEC,
	WIRE_FD_PAYLOAD,
	WIRE_FD_WORKSPACE,
	WIRE_FD_INPUT,
	WIRE_FD_CHANNEL,
	WIRE_FD_PARTS,
	WIRE_FD_EGRESS,
	WIRE_FD_SAVED,
	WIRE_FDS
};

/* The ids are mapped. To init with the mounts of the workspace and the saved tree, if root has made them. */
struct wire_go {
	uint32_t kind, outer_uid, outer_gid, privileged;
};

/* The mount of a bind that only root can reach. */
struct wire_bind {
	uint32_t kind, index;
};

struct wire_ready {
	uint32_t kind, layers; /* what init has put in place */
};

struct wire_error {
	uint32_t kind, reserved;
	struct err err;
};

struct wire_listener {
	uint32_t kind, layers; /* what has been put in place */
};

struct wire_done {
	uint32_t kind, cut; /* 1: not all changes were sent */
	uint32_t no_memory; /* 1: an allocation of init's has failed */
};

struct wire_limit {
	uint32_t kind, limit; /* enum limit_id */
};

struct wire_ended {
	uint32_t kind;
	int32_t wait_status;  /* of the first program */
	uint32_t limit;	      /* enum limit_id that the watcher saw, or LIMIT_NONE */
	uint32_t limit_ended; /* 1: that limit ended the run */
	uint32_t layers;      /* bit per layer that init put in place */
	uint32_t last;	      /* 1: there are no changes to send */
	uint64_t cpu_ms, memory_peak, pids_peak;
	uint64_t lost; /* datagrams that could not be delivered */
};

enum change_kind { CHANGE_CREATED, CHANGE_MODIFIED, CHANGE_DELETED, CHANGE_KINDS };
enum change_type { TYPE_FILE, TYPE_DIR, TYPE_LINK, TYPE_OTHER, CHANGE_TYPES };

struct wire_change {
	uint32_t kind, change, type, mode;
	uint64_t size;
	uint32_t path_len; /* the path follows, relative, without NUL */
	char path[CORDON_CHANGE_PATH_MAX];
};

struct wire_denial {
	uint32_t kind, count;
	char call[32], target[CORDON_TARGET_MAX], rule[96];
};

/* Starts are numbered by cordon; a number may be used again after WIRE_CLOSED. */
struct wire_start {
	uint32_t kind, id;
	uint32_t flags;	     /* enum start_flag */
	uint32_t rows, cols; /* of the terminal */
	uint64_t time_ms;    /* the start is ended after so long; 0: no limit */
};

struct wire_signal {
	uint32_t kind, id; /* 0: all starts */
	uint32_t signal;
	uint32_t tree; /* 1: SIGKILL for each process of the start, until none is left */
};

/* Opens a regular file with the box's rights. FLAGS: O_ACCMODE, O_CREAT, O_EXCL, O_TRUNC, O_APPEND,
 * O_NOFOLLOW. Or with O_DIRECTORY a directory to list it, or with O_PATH anything to look at it. */
struct wire_open {
	uint32_t kind, id;
	uint32_t flags, mode;
	uint32_t path_len; /* the path follows, without NUL */
	char path[CORDON_CHANGE_PATH_MAX];
};

struct wire_opened {
	uint32_t kind, id;
	uint32_t error; /* errno; 0: the descriptor came with this message */
};

struct wire_started {
	uint32_t kind, id;
};

struct wire_exited {
	uint32_t kind, id;
	int32_t wait_status;
	uint32_t timed_out;
	uint32_t limit; /* enum limit_id or LIMIT_NONE */
	uint32_t lost;	/* 1: a program of the box has killed the process that watched this start */
	uint32_t
		killed_by_rule; /* 1: a call on the kill list, of this start or of another, ended the box */
	uint64_t cpu_ms, memory_peak; /* of the processes that were waited for */
	uint64_t wall_ms;
	struct err err; /* code: the program was not started */
};

struct wire_closed {
	uint32_t kind, id;
};

struct wire_probe {
	uint32_t kind, layer, active;
	char cause[256], cure[256];
};

struct wire_result {
	uint32_t kind;
	int32_t wait_status;
	uint32_t timed_out;
	uint32_t killed_by_rule; /* a call on the kill list ended the run */
	uint32_t limit;		 /* enum limit_id or LIMIT_NONE */
	uint32_t limit_ended;
	uint32_t layers; /* bits: the layers that were active */
	uint32_t changes_cut;
	uint32_t denials_cut; /* not all refused calls are sent */
	uint32_t no_memory;   /* an allocation failed, so messages may be missing */
	uint64_t wall_ms, cpu_ms, memory_peak, pids_peak;
	uint64_t limit_value; /* of the limit that was hit */
	char cgroup[16];      /* "v1", "v2" or "watcher" */
};

#endif
