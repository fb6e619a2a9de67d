/* SPDX-License-Identifier: MIT
 *
 * The file beside the log in which every checkpoint is kept: who cuts the log off, or puts an old
 * copy in its place, is contradicted by it. A copy of the file elsewhere is better still.
 */
#ifndef CORDON_STORE_CHECKPOINT_H
#define CORDON_STORE_CHECKPOINT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "store/note.h"

#define CHECKPOINT_FILE "checkpoints"
#define CHECKPOINT_FILE_MAX ((size_t)64 << 20)

/* Durable when it returns 0. */
int checkpoint_add(int dir, const char *text, size_t len, struct err *err);
/* The whole file, malloc'd; empty when there is none. */
int checkpoint_read(int dir, char **ret, size_t *ret_len, struct err *err);
/* The next whole note of such a file, false at its end; what a crash left of one is passed over.
 * *AT begins as 0. */
struct checkpoint_text {
	const char *data;
	size_t len;
};
bool checkpoint_next(const char *file, size_t len, size_t *at, struct checkpoint_text *ret,
		     struct note *note);
/* The newest note. 1: there is none. */
int checkpoint_last(int dir, struct note *ret, struct err *err);

#endif
