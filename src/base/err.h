/* SPDX-License-Identifier: MIT
 *
 * The one error object. Plain data, owned by the caller, passed last; a function that fails
 * fills it once and returns -1, its callers may add what they were doing (err_context).
 * It can be sent over a socket as it is. Nothing here prints, exits or allocates.
 */
#ifndef CORDON_BASE_ERR_H
#define CORDON_BASE_ERR_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

enum err_code {
	ERR_NONE = 0,
	ERR_USAGE,    /* the words of the call are off */
	ERR_INPUT,    /* a file or value from outside is not acceptable */
	ERR_LAYER,    /* a layer of the box is missing or did not hold */
	ERR_SYSTEM,   /* a system call failed that normally works */
	ERR_LIMIT,    /* one of our own maxima was reached */
	ERR_REFUSED,  /* policy says no */
	ERR_CONFLICT, /* somebody else changed the same thing meanwhile */
	ERR_COUNT,
};

struct err {
	uint32_t code;
	int32_t sys_errno;
	char layer[24];	   /* the layer's name, if one is to blame */
	char message[512]; /* what failed */
	char cause[384];   /* why, found by looking */
	char cure[384];	   /* what the reader can do */
};

/* One row per code: its name in JSON and the exit status of a run that ends with it. */
struct err_row {
	const char *name;
	int exit_status;
};
const struct err_row *err_row(const struct err *err);

int err_set(struct err *err, enum err_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The message is FMT followed by what errno means; the number is kept. */
int err_errno(struct err *err, enum err_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void err_blame(struct err *err, const char *layer);
void err_cause(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void err_cure(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* There is no memory left: -1. */
int err_memory(struct err *err);
/* What has that NAME is something else by now than what was decided on: -1. */
int err_replaced(struct err *err, const char *name);
/* Puts "FMT: " before the message. */
void err_context(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Makes an error that came over a socket safe to print: terminates its strings. */
void err_sanitise(struct err *err);

#endif
