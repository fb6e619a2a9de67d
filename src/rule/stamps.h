/* SPDX-License-Identifier: MIT
 *
 * How a pack's directories and files looked when they were read, so that the next start asks the
 * kernel for each and reads none. A directory's stamp stands for the names in it. Plain data, to be
 * written to a file and read back as it is.
 */
#ifndef CORDON_RULE_STAMPS_H
#define CORDON_RULE_STAMPS_H

#include <stddef.h>

#include "base/err.h"
#include "base/stamp.h"

enum { STAMPS_DIRS_MAX = 1000, STAMPS_FILES_MAX = 10000, STAMPS_NAMES_MAX = 4 << 20 };

struct stamps_dir {
	struct stamp stamp;
	uint32_t path;	       /* where it begins among the names */
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

/* Adds what is in the directory PATH; RET is zeroed or has others. -1 when stamps cannot stand for
 * it: it was changed just now (before NOW), or see walk_places(). stamps_done is always due. */
int stamps_take(const char *path, int64_t now, struct stamps *ret, struct err *err);
void stamps_done(struct stamps *s);
/* No number leads out of what there is. */
bool stamps_are_sound(const struct stamps *s);
/* Is everything what it was? Of stamps that are sound. */
bool stamps_are_current(const struct stamps *s);

#endif
