/* SPDX-License-Identifier: MIT
 *
 * Which paths of a directory may not be written without being named one by one.
 */
#ifndef CORDON_OVERLAY_PROTECTED_H
#define CORDON_OVERLAY_PROTECTED_H

#include <stdbool.h>

/* PATH is below DIR: would the user's shell, editor, interpreter, version control or agent run or obey it? */
bool protected_path(int dir, const char *path);
/* PATH is a directory below DIR, and it or a directory in it holds a repository. */
bool protected_holds_repository(int dir, const char *path);

#endif
