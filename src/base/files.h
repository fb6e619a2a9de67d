/* SPDX-License-Identifier: MIT
 *
 * Removing what hostile code may have left.
 */
#ifndef CORDON_BASE_FILES_H
#define CORDON_BASE_FILES_H

/* Removes NAME below DIR and all in it, never following a link. 0 also when it is not there. */
int files_remove_tree(int dir, const char *name);

#endif
