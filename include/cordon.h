/* SPDX-License-Identifier: MIT
 *
 * libcordon: run code that an agent wrote as if it were hostile, from C. It starts the program
 * cordon, which must be installed. It never prints or exits, and all its state is in these
 * objects. Any thread may use an object, but only one thread at a time.
 *
 *     struct cordon *c = cordon_new();
 *     struct cordon_result *r;
 *     if (c && cordon_set(c, "time", "5s") == 0 && cordon_run(c, "print(6 * 7)", 12, &r) == 0)
 *             fwrite(cordon_stdout(r, NULL), 1, ..., stdout);
 *
 * Functions return 0, or -1 with a message in cordon_error(). A run that the policy refuses, that
 * waits for a person, or that cannot be isolated is not a failure of the call: cordon_status()
 * says so, and nothing ran.
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
/* The message of the last call that failed, or "". It is valid until the next call. */
const char *cordon_error(const struct cordon *c);

/* Sets the absolute path of the program cordon. The default is the one installed with this
 * library. */
int cordon_set_program(struct cordon *c, const char *path);
/* Sets an option of "cordon run" by its name without dashes: "lang", "time", "workspace", "env"
 * ... The VALUE of a flag is NULL. Options that may be repeated can be set several times. The
 * default of "lang" is Python. A run without a "conversation" counts as exposed, unless the flag
 * "user" attests that the user wrote it. */
int cordon_set(struct cordon *c, const char *option, const char *value);
/* Adds an argument for the code. */
int cordon_add_argument(struct cordon *c, const char *word);
/* Sets the standard input of the code. The default is empty. */
int cordon_set_input(struct cordon *c, const void *data, size_t len);
/* Sets a callback for output as it comes. STREAM is 1 or 2. If it returns another value than 0,
 * the run ends. */
int cordon_on_output(struct cordon *c,
		     int (*output)(void *ctx, int stream, const char *data, size_t len), void *ctx);

/* Runs CODE and waits for its end. The caller frees *RET. */
int cordon_run(struct cordon *c, const void *code, size_t len, struct cordon_result **ret);
void cordon_result_free(struct cordon_result *r);

/* "exited", "signaled", "timed_out", "limit", "refused", "pending" or "error". */
const char *cordon_status(const struct cordon_result *r);
/* The exit status of the code if it exited, else -1. */
int cordon_exit_code(const struct cordon_result *r);
/* The output of the code, with a NUL after it. RET_LEN may be NULL. */
const char *cordon_stdout(const struct cordon_result *r, size_t *ret_len);
const char *cordon_stderr(const struct cordon_result *r, size_t *ret_len);
/* Why the code did not run or did not finish, or "". */
const char *cordon_reason(const struct cordon_result *r);
/* The whole result as JSON, see docs/reference/json.md. Its "effects" say which hosts and secrets
 * were allowed. */
const char *cordon_json(const struct cordon_result *r);

#ifdef __cplusplus
}
#endif

#endif
