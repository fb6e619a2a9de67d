/* SPDX-License-Identifier: MIT
 *
 * A live box: created once, then told to start programs, open files and list changes, until it is
 * told to end. Knows no gate: its callers have decided what runs in it.
 */
#ifndef CORDON_LIVE_LIVE_H
#define CORDON_LIVE_LIVE_H

#include "live/launch.h"

/* One program. The strings are the caller's. */
struct live_start {
	const char *program; /* a path in the box, or a name that is searched for in PATH */
	const char *cwd;     /* a path in the box */
	size_t argc, envc;
	const char *const *argv, *const *env;
	const uint64_t *limit; /* LIMIT_COUNT of them; within those of the box */
	bool tty;
	unsigned rows, cols;
	/* Without tty: its standard streams. They stay the caller's. */
	int stream[3];
};

enum live_kind {
	LIVE_NOTHING, /* in time */
	LIVE_STARTED, /* FD: the terminal's master, or -1 */
	LIVE_EXITED,  /* EXITED */
	LIVE_CLOSED,  /* no process of the start is left */
	LIVE_OPENED,  /* FD or ERROR */
	LIVE_LISTED,  /* all changes are in the result of the box; FD: its upper directory, or -1 */
	LIVE_BOX_ENDED /* the result of the box is complete; there will be no further event */
};

struct live_event {
	enum live_kind kind;
	uint32_t id; /* of the start, or of the open */
	int fd;	     /* the caller's now, or -1 */
	int error;   /* errno of an open */
	struct wire_exited exited;
};

struct live {
	struct launch box;
	struct result *result; /* of the box: its denials, changes and limits */
	uint32_t last_id;
	bool is_created, has_ended;
};

#define LIVE_NONE ((struct live){.box = LAUNCH_NONE})

/* BOX was begun by launch_begin, and becomes L's. Returns when every layer of the box is in place. SINK and
 * RESULT stay the caller's and must live as long as L. */
int live_create(struct live *l, struct launch *box, struct blueprint *p,
		const struct launch_sink *sink, struct result *result, struct err *err);
/* *RET_ID: the number of the start in its events. */
int live_start(struct live *l, const struct live_start *s, uint32_t *ret_id, struct err *err);
/* SIG goes to the process group of the start's program; ID 0: of each start. */
int live_signal(struct live *l, uint32_t id, int sig, struct err *err);
/* Kills each process of the start, until none is left. */
int live_kill(struct live *l, uint32_t id, struct err *err);
/* Asks for a file. FLAGS: see wire_open. The answer is LIVE_OPENED with *RET_ID. */
int live_open(struct live *l, const char *path, int flags, unsigned mode, uint32_t *ret_id,
	      struct err *err);
/* Asks for the changes in the workspace since the box was created. */
int live_list(struct live *l, struct err *err);
/* The programs run again. */
int live_go_on(struct live *l, struct err *err);
/* To wait for together with other descriptors. */
int live_fd(const struct live *l);
/* Waits for the next event; WAIT_MS -1: as long as it takes. -1: the box died, and *ERR says how. */
int live_next(struct live *l, int wait_ms, struct live_event *ret, struct err *err);
/* Asks the box to end: LIVE_BOX_ENDED follows. */
int live_end(struct live *l, struct err *err);
/* Ends the box at once, if it still lives, and waits for it. */
void live_close(struct live *l);

#endif
