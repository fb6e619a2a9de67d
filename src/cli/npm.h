/* SPDX-License-Identifier: MIT
 *
 * npm as a child process: the one way in which Cordon talks to a network, and only when asked to
 * fetch rules. It downloads; it runs nothing of what it downloads.
 */
#ifndef CORDON_CLI_NPM_H
#define CORDON_CLI_NPM_H

#include <stddef.h>

#include "base/err.h"

enum { NPM_SECONDS = 180, NPM_OUTPUT_MAX = 4096 };

/* Runs npm with ARGS (ended by NULL) in DIRECTORY; what it prints is in OUT, of SIZE bytes. */
int npm_run(const char *directory, const char *const *args, char *out, size_t size,
	    struct err *err);

#endif
