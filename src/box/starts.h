/* SPDX-License-Identifier: MIT
 *
 * The starts of a live box, as the supervisor sees them.
 */
#ifndef CORDON_BOX_STARTS_H
#define CORDON_BOX_STARTS_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/wire.h"

struct run;

/* The life of a start. A start is reported to the caller step by step, as its socket has room. */
enum start_state { START_ASKED, START_RUNS, START_EXITED, START_CLOSED };

struct start_row {
	uint32_t id; /* 0: the row is free */
	int sock;    /* of its subreaper, or -1 */
	int master;  /* of its terminal, until the caller has it; or -1 */
	enum start_state state, reported;
	bool is_killed;				 /* it was told to kill the whole tree */
	bool ends_all;				 /* no process of it may be left behind */
	uint64_t time_ms, begun_ns, deadline_ns; /* 0: no deadline */
	struct wire_exited exited;
};

/* A caller can ask this much before it reads an answer. */
enum { LATE_MAX = 4 * CORDON_STARTS_MAX };

/* An answer that the caller's socket had no room for. */
struct late_message {
	union {
		struct wire_exited exited;
		struct wire_closed closed;
		struct wire_opened opened;
		struct wire_done done;
	} m;
	size_t len;
	int fd; /* or -1 */
};

struct starts {
	int sock;	   /* to the starter; -1: this box is not live */
	bool created;	   /* the starter is ready */
	bool told_created; /* and the caller knows */
	unsigned used;	   /* rows from here on are free */
	struct start_row row[CORDON_STARTS_MAX];
	unsigned late_from, late_to;
	struct late_message late[LATE_MAX];
};

void starts_init(struct starts *s);
/* Before the clone: makes the socket pair. *RET: the starter's end. */
int starts_open(struct starts *s, int *ret, struct err *err);
void starts_close(struct starts *s);

/* What to wait for: fills FDS, which has room for STARTS_FDS. Returns how many. */
enum { STARTS_FDS = CORDON_STARTS_MAX + 1 };
size_t starts_wait(const struct starts *s, struct pollfd *fds);
/* Does the caller's socket have to become writable, because it was full? */
bool starts_are_behind(const struct starts *s);
/* The earliest deadline, or UINT64_MAX. */
uint64_t starts_deadline(const struct starts *s);

/* Handles what came, and starts that are out of time. Ends the run if the starter or a subreaper does not
 * keep to the protocol. FDS are those of starts_wait. */
void starts_handle(struct run *r, const struct pollfd *fds, size_t count);
/* Receives one message of the caller. False: the caller is dead. */
bool starts_receive(struct run *r);
/* The box ends by a limit, or because R->result.killed_by_rule: so do the starts that run now. */
void starts_note_end(struct run *r);
/* The box has ended in that way: reports each start whose end was not reported yet. */
void starts_finish(struct run *r);

#endif
