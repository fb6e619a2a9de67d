/* SPDX-License-Identifier: MIT
 *
 * The disk space of a run that has its directory on the host, where no file system of its own limits it.
 */
#ifndef CORDON_BOX_DISK_H
#define CORDON_BOX_DISK_H

#include <stddef.h>
#include <stdint.h>

#include "box/tree.h"

/* What an entry costs at least, as on a tmpfs of the box. */
#define DISK_ENTRY_BYTES 4096

/* Bytes below DIR, and in deleted files that the processes of ROWS have open. If there are more than MAX, or
 * directories deeper than CORDON_DISK_DEPTH_MAX, *RET is some number above MAX. -1 and errno if something
 * could not be read. */
int disk_measure(const char *dir, const struct tree_row *rows, size_t count, uint64_t max,
		 uint64_t *ret);

#endif
