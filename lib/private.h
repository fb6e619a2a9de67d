/* SPDX-License-Identifier: MIT
 *
 * Types and functions that the files of libcordon share.
 */
#ifndef CORDON_LIB_PRIVATE_H
#define CORDON_LIB_PRIVATE_H

#include <cordon.h>
#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>

enum { WORDS_MAX = 1024, ERROR_MAX = 1024, LINE_LEN_MAX = 64 << 20 };

struct list {
	size_t count;
	char *word[WORDS_MAX];
};

struct cordon {
	char *program, *input;
	size_t input_len;
	struct list options, arguments;
	bool has_lang;
	int (*output)(void *ctx, int stream, const char *data, size_t len);
	void *ctx;
	char error[ERROR_MAX];
};

struct text {
	char *data;
	size_t len;
};

struct cordon_result {
	struct text out[2];
	json_t *object;
	char *json, *reason;
};

/* process.c */
struct child {
	pid_t pid;
	int out, errors; /* the pipe with its lines, and a memory file with its standard error */
};
int child_start(struct cordon *c, const void *code, size_t len, struct child *ret);
/* Kills the child if asked, reaps it and closes its descriptors. *RET_STATUS is as of waitpid;
 * ERRORS gets its standard error. */
void child_end(struct child *child, bool kill_it, int *ret_status, char *errors, size_t size);

/* run.c: sets the message of cordon_error() and returns -1. */
int fail(struct cordon *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
