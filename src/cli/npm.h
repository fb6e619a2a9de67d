/* SPDX-License-Identifier: MIT
 *
 * npm as a child process: the one way in which Cordon talks to a network, and only when asked to
 * fetch rules. It downloads; it runs nothing of what it downloads.
 */
#ifndef CORDON_CLI_NPM_H
#define CORDON_CLI_NPM_H

#include <stddef.h>

#include "base/err.h"

enum {
	NPM_SECONDS = 180,
	NPM_OUTPUT_MAX = 4096,	/* bytes of its words that are kept */
	NPM_SAID_MAX = 1 << 20, /* that it may say on either output; more ends it */
};

struct npm_call {
	const char *directory;
	const char *const *args; /* "npm" first, ended by NULL */
	unsigned seconds;	 /* after which it is ended */
};

/* Runs npm to its end, and that of whatever it started; what it prints is in OUT, cut to SIZE bytes. */
int npm_run(const struct npm_call *call, char *out, size_t size, struct err *err);

#endif
