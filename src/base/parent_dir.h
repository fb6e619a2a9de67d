/* SPDX-License-Identifier: MIT
 *
 * Finds the directories above an open file or directory by descriptor. Names are unsafe for that:
 * they may be changed meanwhile, and links and mounts give a directory several names.
 */
#ifndef CORDON_BASE_PARENT_DIR_H
#define CORDON_BASE_PARENT_DIR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/err.h"

enum { PARENT_DIR_DEPTH_MAX = 256 };

bool parent_dir_is_same(const struct stat *a, const struct stat *b);
/* Opens the directory that holds the open file FD, or last held it if it is deleted; -1. ST: of FD. */
int parent_dir_open(int fd, const struct stat *st);

#endif
