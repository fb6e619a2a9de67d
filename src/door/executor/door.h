/* SPDX-License-Identifier: MIT
 *
 * The door's own process: one client, its programs, its boxes, and the workers. Nothing here waits.
 */
#ifndef CORDON_EXECUTOR_DOOR_H
#define CORDON_EXECUTOR_DOOR_H

#include "door/executor/job_worker.h"
#include "door/executor/rpc.h"
#include "door/executor/wish.h"
#include "door/lines.h"
#include "model/keep.h"

enum {
	DOOR_LINE_MAX = 64 << 20,
	DOOR_WAITING_MAX = 4 << 20, /* bytes for a client that does not read: then programs wait */
	DOOR_WORKERS_MAX = 256,
	DOOR_IDLE_WORKERS = 2, /* kept for the next program */
	DOOR_CALLS_MAX = 1024, /* that wait for the first worker */
	DOOR_PROCESSES_MAX = 256,
	DOOR_READS_MAX = 64, /* process/read that wait for output */
	PROCESS_ID_MAX = 256,
	PROCESS_WRITES_MAX = 64,      /* write ids that are remembered */
	PROCESS_KEPT_MAX = 1 << 20,   /* bytes of output that are kept for process/read */
	PROCESS_INPUT_MAX = 16 << 20, /* bytes that a program has not read yet */
	PROCESS_KEPT_MS = 30 * 1000,  /* after its end */
	PROCESS_KILL_MS = 5 * 1000,   /* until a program that was killed must have ended */
};

struct chunk {
	struct chunk *next;
	uint64_t seq;
	const char *stream;
	size_t len; /* of the bytes */
	char base64[];
};

struct process {
	char id[PROCESS_ID_MAX + 1]; /* "": the row is free */
	json_t *job;		     /* until it was given to a worker */
	unsigned wish;
	struct job_worker *worker; /* that runs it, or NULL */
	bool tty, takes_input, is_shell;
	bool has_started; /* the gate has let it through */
	bool is_killed, has_exited;
	int exit_code;
	int tries;	     /* how often its box was missing */
	int theirs;	     /* the end of its input that the worker gets, or -1 */
	struct lines_out to; /* its input */
	uint64_t seq;	     /* of the last event */
	struct chunk *first, *last;
	size_t kept;
	uint64_t until_ns; /* it is killed, or forgotten */
	uint64_t write[PROCESS_WRITES_MAX];
	size_t writec;
};

/* What the first worker does, in this order. */
struct call {
	struct call *next;
	json_t *id;  /* of the request to answer; or NULL */
	json_t *job; /* a box job has no "box" yet */
	enum call_kind { CALL_FILE, CALL_CREATE, CALL_STOP, CALL_INPUT } kind;
	unsigned wish;
	int tries;
	char process[PROCESS_ID_MAX + 1]; /* CALL_INPUT */
};

struct waiting_read {
	json_t *id; /* NULL: the row is free */
	struct process *process;
	uint64_t after, until_ns;
	size_t most;
};

enum box_state { BOX_NONE, BOX_ASKED, BOX_LIVES };

struct door {
	const struct executor_options *options;
	struct lines_in in;
	struct lines_out out;
	bool was_greeted, is_open; /* initialize, initialized */
	bool ends;
	char session[40];
	char conversation[KEEP_CONVERSATION_MAX];
	enum box_state box[WISHES];
	bool proposes[WISHES]; /* the box writes to an overlay of the directory */
	bool has_told;	       /* the client was told so */
	unsigned boxes;	       /* that were made: part of their names */
	char box_name[WISHES][KEEP_NAME_MAX];
	struct job_worker worker[DOOR_WORKERS_MAX]; /* the first is for boxes, files and input */
	struct call *first, *last, *now;
	size_t callc;
	struct process process[DOOR_PROCESSES_MAX];
	struct waiting_read read[DOOR_READS_MAX];
};

/* methods.c */
void door_message(struct door *d, json_t *message);

/* door_answer.c */
void door_bad_line(struct door *d, const char *why);
/* Frees RESULT. */
void door_result(struct door *d, const json_t *id, json_t *result);
void door_error(struct door *d, const json_t *id, int code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* ANSWER is {"result": ...} or {"error": ...}. */
void door_answer(struct door *d, const json_t *id, const json_t *answer);
void door_notify(struct door *d, const char *method, json_t *params);

/* clerk.c: the first worker and the boxes. door_call takes JOB, and a reference to ID. */
void door_call(struct door *d, enum call_kind kind, unsigned wish, json_t *job, const json_t *id,
	       const char *process);
/* True if the box is there; else it is asked for. */
bool door_needs_box(struct door *d, unsigned wish);
/* The members of a job that name its box. */
void door_name_box(const struct door *d, json_t *job, unsigned wish);
/* Does the box write to an overlay, because nothing lets it write to the directory? */
bool door_proposes(const struct door *d, unsigned wish);
/* It has ended: the next call makes another one. */
void door_lost_box(struct door *d, unsigned wish);
void door_go_on(struct door *d);
/* A frame of the first worker; NULL: it has died. */
void door_clerk_frame(struct door *d, const struct frame *f, const char *data);
void door_drop_calls(struct door *d);

/* process_calls.c */
void process_start(struct door *d, const json_t *id, const json_t *params);
void process_read(struct door *d, const json_t *id, const json_t *params);
void process_write(struct door *d, const json_t *id, const json_t *params);
void process_signal(struct door *d, const json_t *id, const json_t *params);
void process_terminate(struct door *d, const json_t *id, const json_t *params);

/* process_events.c */
struct process *process_find(struct door *d, const char *id);
void process_say(struct door *d, struct process *p, int stream, const char *data, size_t len);
/* Words of Cordon's, also on a terminal. */
void process_tell(struct door *d, struct process *p, const char *words, size_t len);
void process_end(struct door *d, struct process *p, int exit_code);
/* Bytes that were let through. */
void process_type(struct process *p, const char *data, size_t len);
void process_free(struct door *d, struct process *p);
/* Answers those that have what they wait for. */
void process_answer_reads(struct door *d);

/* process_run.c. Gives each new program to a worker when its box is there. */
void processes_go_on(struct door *d);
/* A frame of the program's worker; NULL: it has died. */
void process_frame(struct door *d, struct process *p, const struct frame *f, const char *data);
void process_kill(struct door *d, struct process *p);
/* Ends what is late. Returns the ms until the next time, or -1. */
int process_deadline(struct door *d);

#endif
