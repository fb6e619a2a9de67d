/* SPDX-License-Identifier: MIT
 *
 * What a worker does. Each kind of job is a row of job.c.
 */
#ifndef CORDON_EXECUTOR_JOB_H
#define CORDON_EXECUTOR_JOB_H

#include <jansson.h>

#include "door/executor/job_worker.h"
#include "flow/run.h"

/* A worker. */
struct desk {
	const struct executor_options *options;
	int socket, signals;
	int input; /* of this job, or -1 */
	struct gate_session session;
	bool runs_programs;
	struct file_desk *files; /* of file_job.c, or NULL */
};

/* Does jobs until the door has gone. */
void jobs_do(const struct executor_options *o, int socket, int signals);

/* desk.c. A frame to the door, which is waited for. */
void desk_send(struct desk *d, enum frame_kind kind, const void *data, size_t len);
/* Answers the job. desk_answer frees ANSWER. */
void desk_answer(struct desk *d, json_t *answer);
/* CODE: see rpc.h. */
void desk_error(struct desk *d, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The state is open. */
int desk_open(struct desk *d, struct err *err);
/* Words for the model and the person, malloc'd: why it did not run, or what was withheld. */
char *desk_words(const struct result *r, const struct request *req);
/* A string of the job; NULL: it has none. */
const char *job_text(const json_t *job, const char *name);

/* box_job.c. box_job_create answers {"conversation": ID} or {"words": TEXT}. */
void box_job_create(struct desk *d, const json_t *job);
void box_job_stop(struct desk *d, const json_t *job);
/* 1: there is no such box any more. */
int box_job_use(struct desk *d, const json_t *job, struct kept_box *ret, struct err *err);
/* What the request of a box or of a start in it is, by the options and the job. */
void box_job_request(const struct desk *d, const json_t *job, struct request *ret);

/* start_job.c. start_job answers {"exitCode": N} or {"noBox": true}. */
void start_job(struct desk *d, const json_t *job);
/* Text for a program that runs. Answers {}, {"words": TEXT} or {"noBox": true}. */
void input_job(struct desk *d, const json_t *job);
/* file_job.c. Answers {"result": ...}, {"error": ...} or {"noBox": true}. */
void file_job(struct desk *d, const json_t *job);

#endif
