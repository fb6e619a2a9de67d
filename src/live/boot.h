/* SPDX-License-Identifier: MIT
 *
 * Makes the files and the descriptor with which an interpreter in the box reads its own code while
 * it starts. The reader of code (runtime/) is part of this program's own file.
 */
#ifndef CORDON_LIVE_BOOT_H
#define CORDON_LIVE_BOOT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "model/spec.h"

enum { BOOT_FILES = 5 };
struct boot {
	/* set by the caller */
	const char *dir;     /* for the files, in the box */
	const char *code;    /* path of the code in the box */
	const char *modules; /* path of modules in the box, or "" */
	bool waits;	     /* read the code and wait before it runs */
	bool telemetry;	     /* report what the program does */
	/* set by boot_make */
	struct spec_file file[BOOT_FILES]; /* strings of ARENA */
	size_t files;
	int parts; /* this program's file, or -1 */
};
int boot_make(struct boot *boot, struct arena *arena, struct err *err);

/* The same reader as an ordinary Python program. It reads PARTS from standard input, then the
 * code. */
struct boot_reader {
	const char *program, *parts;
	size_t program_len, parts_len;
};
struct boot_reader boot_reader(void);

#endif
