/* SPDX-License-Identifier: MIT
 *
 * The stamps of a pack's directories and files when they were read. The next start compares them
 * with the present ones and reads no file. A directory's stamp covers the names in it. The structs
 * are plain data and stored in a file as they are.
 */
#ifndef CORDON_RULE_STAMPS_H
#define CORDON_RULE_STAMPS_H

#include <stddef.h>

#include "base/err.h"
#include "base/stamp.h"

enum { STAMPS_DIRS_MAX = 1000, STAMPS_FILES_MAX = 10000, STAMPS_NAMES_MAX = 4 << 20 };

struct stamps_dir {
	struct stamp stamp;
	uint32_t path;	       /* its offset in NAMES */
	uint32_t first, count; /* of its files */
	uint32_t zero;
};

struct stamps_file {
	struct stamp stamp;
	uint32_t name;
	uint32_t zero;
};

struct stamps {
	size_t dirs, files, names_len;
	struct stamps_dir *dir;
	struct stamps_file *file;
	char *names; /* the last byte is a NUL */
};

/* Adds the directory PATH and all in it to RET, which is zeroed or has other directories. Returns -1
 * if stamps could miss a change: a file changed just before NOW, or see pack_files_list(). Always
 * call stamps_done afterwards. */
int stamps_take(const char *path, int64_t now, struct stamps *ret, struct err *err);
void stamps_done(struct stamps *s);
/* Are all offsets and counts within bounds? */
bool stamps_are_sound(const struct stamps *s);
/* Is nothing changed? S must be sound. */
bool stamps_are_current(const struct stamps *s);

#endif
