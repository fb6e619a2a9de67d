/* SPDX-License-Identifier: MIT
 *
 * The payload: the exact bytes that will run. They are fixed before they are scanned or shown.
 */
#ifndef CORDON_LIVE_PAYLOAD_H
#define CORDON_LIVE_PAYLOAD_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/err.h"
#include "conf/profile.h"
#include "live/own_paths.h"

struct payload {
	int fd;		 /* a sealed memory file, or the program's own file */
	bool is_program; /* an executable file, which is not copied */
	char path[PATH_MAX];
	const char *suffix;
	bool is_hashed;	    /* a program whose file was hashed */
	uint8_t sha256[32]; /* of the code, or of the program's file at FROM */
	struct stat from;   /* the source file; st_ino 0: there is no file */
	char *data;	    /* the code, with a NUL after it; NULL for a program */
	size_t len;	    /* of the code, or of the program's file */
};
void payload_done(struct payload *p);

/* A named pipe must come to its end within TIME_MS. A file of OWN is refused. */
int payload_open(struct payload *p, const struct profile *profile, const char *file,
		 uint64_t time_ms, struct own_paths *own, struct err *err);
/* The code is in memory. */
int payload_take(struct payload *p, const struct profile *profile, const char *data, size_t len,
		 struct err *err);
/* A sealed copy of the rest of FD, with offset 0; or -1. */
int payload_copy(int fd, const char *name, struct err *err);
/* The same for bytes in memory. */
int payload_input(const char *name, const char *data, size_t len, struct err *err);
/* Hashes a program before it runs: half a millisecond for a small one. Does nothing for code. */
int payload_hash(struct payload *p, struct err *err);
/* A program's file may change after it was hashed. payload_stamp before and payload_is_same
 * afterwards tell whether it changed between. */
int payload_stamp(int fd, struct stat *ret, struct err *err);
bool payload_is_same(int fd, const struct stat *before);
int payload_hash_file(int fd, uint8_t sha256[32], struct err *err);

#endif
