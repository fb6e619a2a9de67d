/* SPDX-License-Identifier: MIT
 *
 * libcordon: run code that an agent wrote as if it were hostile, from C. It speaks to the program cordon,
 * which must be installed, and never prints, exits, or keeps anything that is not in these objects: any
 * thread may use any of them, one at a time each.
 *
 *     struct cordon *c = cordon_new();
 *     struct cordon_result *r;
 *     if (c && cordon_set(c, "time", "5s") == 0 && cordon_run(c, "print(6 * 7)", 12, &r) == 0)
 *             fwrite(cordon_stdout(r, NULL), 1, ..., stdout);
 *
 * Functions return 0, or -1 with words in cordon_error(). What the policy refused, what waits for a person
 * and what could not be isolated is no failure of the call: cordon_status() says it, and nothing ran.
 */
#ifndef CORDON_H
#define CORDON_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CORDON_API_VERSION 0

struct cordon;
struct cordon_result;

/* NULL: out of memory. */
struct cordon *cordon_new(void);
void cordon_free(struct cordon *c);
/* In words, of the last call that failed; or "". Good until the next call. */
const char *cordon_error(const struct cordon *c);

/* The program's path, from the root; else the one that was installed with this library. */
int cordon_set_program(struct cordon *c, const char *path);
/* An option of "cordon run", by its name without dashes: "lang", "time", "workspace", "env" ... A flag has
 * no VALUE (NULL). Those that may be repeated can be set several times. Without "lang" code is Python.
 * A run without a "conversation" counts as exposed, unless the flag "user" attests that the user wrote it. */
int cordon_set(struct cordon *c, const char *option, const char *value);
/* The program's arguments, one by one. */
int cordon_add_argument(struct cordon *c, const char *word);
/* Its standard input, instead of none. */
int cordon_set_input(struct cordon *c, const void *data, size_t len);
/* Told of output as it comes; STREAM is 1 or 2. Another value than 0 ends the run. */
int cordon_on_output(struct cordon *c,
		     int (*told)(void *ctx, int stream, const char *data, size_t len), void *ctx);

/* Runs CODE and waits for its end. *RET is the caller's to free. */
int cordon_run(struct cordon *c, const void *code, size_t len, struct cordon_result **ret);
void cordon_result_free(struct cordon_result *r);

/* "exited", "signaled", "timed_out", "limit", "refused", "pending" or "error". */
const char *cordon_status(const struct cordon_result *r);
/* The program's own, if it exited; else -1. */
int cordon_exit_code(const struct cordon_result *r);
/* What it printed; RET_LEN may be NULL. There is a NUL behind it. */
const char *cordon_stdout(const struct cordon_result *r, size_t *ret_len);
const char *cordon_stderr(const struct cordon_result *r, size_t *ret_len);
/* Why it was not run or not finished, in words; or "". */
const char *cordon_reason(const struct cordon_result *r);
/* All of it, as docs/JSON.md has it; its "effects" say which hosts and secrets the run got. */
const char *cordon_json(const struct cordon_result *r);

#ifdef __cplusplus
}
#endif

#endif
