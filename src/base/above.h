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

bool above_is_same(const struct stat *a, const struct stat *b);
/* The directory that the open file FD is in, whatever name it was opened by; or -1. A deleted file was last
 * there. ST: of FD. */
int above_open_parent(int fd, const struct stat *st);

#endif
