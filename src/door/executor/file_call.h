/* SPDX-License-Identifier: MIT
 *
 * Shared by the methods about files. Each answers its call once.
 */
#ifndef CORDON_EXECUTOR_FILE_CALL_H
#define CORDON_EXECUTOR_FILE_CALL_H

#include "base/arena.h"
#include "door/executor/box_file.h"
#include "door/executor/job.h"

enum { FILE_ENTRIES_MAX = 20000 }; /* of a directory, and of a walk */

/* A worker does one at a time. */
struct file_call {
	struct desk *desk;
	const json_t *job, *params;
	struct box_files *files;
	char *path;
	struct arena arena;
};

/* file_call.c. RESULT is freed. */
void file_answer(struct file_call *c, json_t *result);
/* In the words of the reference server. */
void file_fail(struct file_call *c, int error);
bool file_flag(const struct file_call *c, const char *name, bool fallback);
json_int_t file_number(const json_t *of, const char *name, json_int_t fallback);
/* malloc'd; NULL: the parameter is no file: URI. */
char *file_path(const struct file_call *c, const char *name);
/* With followSymlinks false no part of the path may be a link. False: the call was answered. */
bool file_is_direct(struct file_call *c);

/* file_walk.c */
void file_walk(struct file_call *c);

/* file_change.c */
void file_write(struct file_call *c);
void file_make_directory(struct file_call *c);
void file_remove(struct file_call *c);
void file_copy(struct file_call *c);

#endif
