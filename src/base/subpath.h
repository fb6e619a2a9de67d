/* SPDX-License-Identifier: MIT
 *
 * Opens paths below a directory without leaving it: no link is followed, no ".." goes above it.
 */
#ifndef CORDON_BASE_SUBPATH_H
#define CORDON_BASE_SUBPATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* FLAGS as for open. With O_PATH | O_NOFOLLOW the last component may be a link, which is opened
 * itself. */
int subpath_open(int dir, const char *path, uint64_t flags);
/* Opens the directory of PATH with O_PATH; *RET_NAME is PATH's last component. */
int subpath_open_parent(int dir, const char *path, const char **ret_name);
/* Is it a relative path of LEN bytes without a NUL, and without empty, "." and ".." components? */
bool subpath_is_clean(const char *path, size_t len);

#endif
