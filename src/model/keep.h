/* SPDX-License-Identifier: MIT
 *
 * The messages between cordon and cordon-keeper, which holds live boxes between commands: datagrams
 * on a socket in the state directory. After KEEP_CREATE or KEEP_USE the connection belongs to one box,
 * and the messages of model/wire.h follow as between cordon and cordon-box.
 */
#ifndef CORDON_MODEL_KEEP_H
#define CORDON_MODEL_KEEP_H

#include <stdint.h>

#include "base/err.h"
#include "model/egress_message.h"

#define KEEP_SOCKET "keeper"
#define KEEP_LOCK "keeper.lock"
/* cordon-keeper is started with these descriptors. */
#define KEEP_STATE_FD 3

enum {
	KEEP_NAME_MAX = 32,
	KEEP_CONVERSATION_MAX = 33,
	KEEP_INPUTS = 32,
	KEEP_BOXES_MAX = 32,	/* of one state directory */
	KEEP_CLIENTS_MAX = 900, /* each has a descriptor */
	KEEP_OPTIONS_MAX = 1 << 20,
	KEEP_ROWS_MAX = 256, /* connections of programs that no client waits for */
};

enum keep_kind {
	KEEP_CREATE = 1000, /* keep_box; descriptors of enum keep_fd. WIRE_SPEC follows */
	KEEP_USE,	    /* keep_name; answered by KEEP_BOX or KEEP_DONE */
	KEEP_BOX,	    /* keep_box; descriptors of enum keep_fd */
	KEEP_LIST,	    /* keep_name; answered by a KEEP_BOX for each box, and KEEP_DONE */
	/* These for the box that the client uses, answered by KEEP_DONE: */
	KEEP_SAVE,  /* save the changes of the workspace until now; the answer has the overlay */
	KEEP_STOP,  /* save them and end the box; if they cannot be saved, it lives on */
	KEEP_DROP,  /* end the box without saving them */
	KEEP_HELLO, /* keep_name, without a name: is the keeper there? */
	KEEP_EGRESS, /* the same, before KEEP_CREATE: starts cordon-egress; the answer has its two sockets */
	KEEP_ROW,  /* keep_row: a program of the box connects */
	KEEP_DONE, /* keep_done */
};

/* Those that a box has come in this order; bits of FDS say which. */
enum keep_fd {
	KEEP_FD_OPTIONS, /* a sealed memory file: how the box was asked for */
	KEEP_FD_OVERLAY, /* the locked overlay of the conversation; not with KEEP_BOX */
	KEEP_FD_SPEC,	 /* these two only from the keeper */
	KEEP_FD_WORKSPACE,
	KEEP_FDS
};

struct keep_box {
	uint32_t kind, fds;
	char name[KEEP_NAME_MAX];		  /* ended by NUL */
	char conversation[KEEP_CONVERSATION_MAX]; /* the same */
	uint8_t inputs[KEEP_INPUTS];		  /* hash of what was decided on: gate_box_hash */
	uint64_t idle_ms;			  /* the box ends after so long without a start */
	uint64_t life_ms;			  /* and after so long */
	int64_t began_s, began_ns;		  /* when the box began to read the workspace */
	/* From the keeper: times since 1970, starts that live, and all starts. */
	uint64_t created_ms, ends_ms;
	uint32_t running, started;
	uint32_t has_died; /* 1: ERR says how */
	struct err err;
};

struct keep_name {
	uint32_t kind;
	char name[KEEP_NAME_MAX];
};

/* To each client that has a program running; without one, to the next client that uses the box. */
struct keep_row {
	uint32_t kind, cut; /* 1: others are missing; row.kind may be 0 then */
	struct egress_row row;
};

struct keep_done {
	uint32_t kind;
	uint32_t ended;	   /* 1: the box ended by itself */
	uint64_t changes;  /* of the workspace that were saved */
	uint64_t left_out; /* that could not be saved: devices and the like */
	struct err err;	   /* code ERR_NONE: success */
};

#endif
