/* SPDX-License-Identifier: MIT
 *
 * What a run keeps in its directory on the host, where no file system of its own caps it.
 */
#ifndef CORDON_BOX_DISK_H
#define CORDON_BOX_DISK_H

#include <stddef.h>
#include <stdint.h>

#include "box/tree.h"

/* As on a tmpfs of the box, a file is never free. */
#define DISK_ENTRY_BYTES 4096

/* Bytes below DIR, and in deleted files that the processes of ROWS have open. More than MAX, or
 * nested deeper than CORDON_DISK_DEPTH_MAX: some number above MAX. -1 and errno if something could
 * not be looked at. */
int disk_measure(const char *dir, const struct tree_row *rows, size_t count, uint64_t max,
		 uint64_t *ret);

#endif
