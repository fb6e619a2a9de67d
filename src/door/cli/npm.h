/* SPDX-License-Identifier: MIT
 *
 * npm as a child process, with the user's own configuration of npm and nothing else of the
 * environment. It has a time limit, and what it prints has a maximum.
 */
#ifndef CORDON_CLI_NPM_H
#define CORDON_CLI_NPM_H

#include <signal.h>

#include "base/err.h"

enum {
	NPM_SECONDS = 180,
	NPM_ERRORS_MAX = 64 << 10, /* bytes on its standard error; more ends it */
};

struct npm_call {
	int directory;		 /* working directory */
	const char *const *args; /* "npm" first, ended by NULL */
	unsigned seconds;	 /* time limit */
	const sigset_t
		*ending; /* blocked by the caller; a pending one ends npm and stays pending */
};

/* When it returns, npm and its process group have ended. */
int npm_run(const struct npm_call *call, struct err *err);

#endif
