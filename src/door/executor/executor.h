/* SPDX-License-Identifier: MIT
 *
 * The executor that Codex starts from environments.toml: programs and files for one agent, in live boxes of
 * one conversation. The door's process reads and writes messages and never waits for anything else. What can
 * wait (the gate, a program, a person) runs in workers, which it forks: job_worker.h.
 */
#ifndef CORDON_EXECUTOR_EXECUTOR_H
#define CORDON_EXECUTOR_EXECUTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/request.h"

struct executor_options {
	const struct request *request; /* what every box gets: directory, hosts, limits */
	/* The words of the command line that describe the box, each ended by NUL; cordon box finds them
	 * with the box. */
	const char *words;
	size_t words_len;
	uint64_t idle_ms, life_ms; /* of a box */
	int in, out;
};

/* Serves one client until it has gone, then ends its boxes. */
int executor_serve(const struct executor_options *o, struct err *err);
/* Serves each client that connects to the socket PATH, until a signal comes. */
int executor_listen(const struct executor_options *o, const char *path, struct err *err);

#endif
