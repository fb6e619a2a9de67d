/* SPDX-License-Identifier: MIT
 *
 * Workers: children of the door that do one job at a time, in the order in which they get them. A job is a
 * JSON object. A worker keeps the state and the rules open between its jobs.
 */
#ifndef CORDON_EXECUTOR_JOB_WORKER_H
#define CORDON_EXECUTOR_JOB_WORKER_H

#include <jansson.h>
#include <sys/types.h>

#include "door/executor/executor.h"

enum { WORKER_FRAME_MAX = 96 << 20 };

/* From a worker: this header, then LEN bytes. */
enum frame_kind {
	FRAME_OUTPUT,  /* of the program, or words of Cordon */
	FRAME_ERROR,   /* the same, standard error */
	FRAME_STARTED, /* the program was allowed and recorded, and starts now */
	FRAME_ANSWER,  /* JSON; the job has ended */
	FRAME_KINDS
};
struct frame {
	uint32_t kind, len;
};

struct job_worker {
	pid_t pid; /* 0: not started */
	int socket;
	int signals; /* a byte each, for the program of its job */
	bool is_busy;
	char *data; /* what has come of frames */
	size_t len, size, taken;
};

int job_worker_begin(struct job_worker *w, const struct executor_options *o, struct err *err);
/* Gives it a job. INPUT, or -1, is the program's standard input and stays the caller's. */
int job_worker_give(struct job_worker *w, const json_t *job, int input, struct err *err);
/* Reads once. -1: the worker is dead. */
int job_worker_read(struct job_worker *w);
/* The next whole frame; *RET_DATA is valid until job_worker_read. False: it is not complete yet. */
bool job_worker_next(struct job_worker *w, struct frame *ret, const char **ret_data);
/* SIG for the program of its job; SIGKILL is for each of the program's processes. */
void job_worker_signal(struct job_worker *w, int sig);
/* Kills the worker: its program ends with it. */
void job_worker_end(struct job_worker *w);

#endif
