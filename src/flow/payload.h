/* SPDX-License-Identifier: MIT
 *
 * The payload: the exact bytes that will run, fixed before anybody looks at them.
 */
#ifndef CORDON_FLOW_PAYLOAD_H
#define CORDON_FLOW_PAYLOAD_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/err.h"
#include "conf/profile.h"
#include "flow/own_paths.h"

struct payload {
	int fd;		 /* sealed memory file; or the program's own file */
	bool is_program; /* a program that runs from where it is */
	char path[PATH_MAX];
	const char *suffix;
	bool is_known;	    /* a program that was hashed */
	uint8_t sha256[32]; /* of the code; of a program's file, as it was then */
	struct stat from;   /* the file that it was read from; st_ino 0: none */
	char *data; /* the same bytes, for whoever looks at them, a NUL after the last; or NULL */
	size_t len; /* also a program's */
};
void payload_done(struct payload *p);

/* TIME_MS is how long a pipe that is not standard input may take to its end. A file of OWN is refused. */
int payload_open(struct payload *p, const struct profile *profile, const char *file,
		 uint64_t time_ms, struct own_paths *own, struct err *err);
/* Code that is in memory already. */
int payload_take(struct payload *p, const struct profile *profile, const char *data, size_t len,
		 struct err *err);
/* A sealed copy of what is left to read of FD, at its start; or -1. */
int payload_copy(int fd, const char *name, struct err *err);
/* The same of what is in memory. */
int payload_input(const char *name, const char *data, size_t len, struct err *err);
/* A program's hash, before it runs: half a millisecond for a small one. */
int payload_know(struct payload *p, struct err *err);
/* A program may change after it was hashed. These tell whether its file was the same all the time: the
 * first before, the second afterwards. */
int payload_stamp(int fd, struct stat *ret, struct err *err);
bool payload_is_same(int fd, const struct stat *before);
int payload_hash_file(int fd, uint8_t sha256[32], struct err *err);
/* The first two lines name another encoding than UTF-8, as Python reads them: "coding:" or "coding=". Then
 * what runs is not the text that these bytes look like. */
bool payload_is_recoded(const struct payload *p);

#endif
