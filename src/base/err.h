/* SPDX-License-Identifier: MIT
 *
 * The error object. It is plain data, owned by the caller and passed last. A function that fails
 * fills it and returns -1; its callers may add context (err_context). It can be sent over a socket
 * as it is. Nothing here prints, exits or allocates.
 */
#ifndef CORDON_BASE_ERR_H
#define CORDON_BASE_ERR_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

enum err_code {
	ERR_NONE = 0,
	ERR_USAGE,    /* wrong arguments */
	ERR_INPUT,    /* a file or value from outside is invalid */
	ERR_LAYER,    /* a layer of the box is missing or failed its test */
	ERR_SYSTEM,   /* a system call failed */
	ERR_LIMIT,    /* one of Cordon's maxima was reached */
	ERR_REFUSED,  /* the policy or a check refuses it */
	ERR_CONFLICT, /* another process changed the same object */
	ERR_COUNT,
};

struct err {
	uint32_t code;
	int32_t sys_errno;
	char layer[24];	   /* the name of the layer that failed, or "" */
	char message[512]; /* what failed */
	char cause[384];   /* why it failed */
	char cure[384];	   /* what to do */
};

/* The code's name in JSON, and the exit status of a run that ends with it. */
struct err_row {
	const char *name;
	int exit_status;
};
const struct err_row *err_row(const struct err *err);

int err_set(struct err *err, enum err_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The message is FMT and the text of errno, which is kept in sys_errno. */
int err_errno(struct err *err, enum err_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void err_blame(struct err *err, const char *layer);
void err_cause(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void err_cure(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Out of memory; -1. */
int err_memory(struct err *err);
/* The file NAME was replaced after the decision; -1. */
int err_replaced(struct err *err, const char *name);
/* Puts "FMT: " before the message. */
void err_context(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Makes an error from a socket safe to print: terminates its strings. */
void err_sanitise(struct err *err);

#endif
