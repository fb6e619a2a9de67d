/* SPDX-License-Identifier: MIT
 *
 * The directories above an open file or directory, by descriptor: a name may lead elsewhere a moment
 * later, and a link or a second mount gives a directory other names.
 */
#ifndef CORDON_BASE_ABOVE_H
#define CORDON_BASE_ABOVE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/err.h"

enum { ABOVE_DEPTH_MAX = 256 };

/* The directory itself first, then each above it. */
struct above {
	size_t count;
	struct stat at[ABOVE_DEPTH_MAX];
};

bool above_is_same(const struct stat *a, const struct stat *b);
/* PATH is for messages. */
int above_walk(int dir, const char *path, struct above *ret, struct err *err);
/* The directory that the open file FD is in, whatever name it was opened by; or -1. A deleted file was last
 * there. ST: of FD. */
int above_open_parent(int fd, const struct stat *st);

#endif
