/* SPDX-License-Identifier: MIT
 *
 * Opens names of the user's directory without ever leaving it: no link is followed, no ".." goes
 * above it.
 */
#ifndef CORDON_BASE_BENEATH_H
#define CORDON_BASE_BENEATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* FLAGS as for open. With O_PATH | O_NOFOLLOW the last part may be a link: it is opened itself. */
int beneath_open(int dir, const char *path, uint64_t flags);
/* The directory that holds PATH, as O_PATH; *RET_NAME is PATH's last part. */
int beneath_open_parent(int dir, const char *path, const char **ret_name);
/* Relative, LEN bytes without a NUL, no part that is empty, "." or "..". */
bool beneath_is_clean(const char *path, size_t len);

#endif
