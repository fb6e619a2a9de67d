/* SPDX-License-Identifier: MIT
 *
 * Removes trees that hostile code may have made.
 */
#ifndef CORDON_BASE_FILES_H
#define CORDON_BASE_FILES_H

/* Removes NAME in DIR with everything in it; follows no links. 0 also if it does not exist. */
int files_remove_tree(int dir, const char *name);

#endif
