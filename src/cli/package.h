/* SPDX-License-Identifier: MIT
 *
 * A package that somebody left in a file, which may be anything: a FIFO, a device, a link, a file
 * without an end, one that changes. It is read once; what is checked and what is unpacked are the
 * same bytes.
 */
#ifndef CORDON_CLI_PACKAGE_H
#define CORDON_CLI_PACKAGE_H

#include "base/err.h"

/* Bytes of a package as it is on disk, thirty times what the public pack has today; and of the words
 * "sha512-" and a hash in base64. */
enum { PACKAGE_BYTES_MAX = 64 << 20, PACKAGE_INTEGRITY_MAX = 160 };

/* The file's bytes in memory of ours that nobody can change any more; never waits. *RET_FD is for
 * reading, its INTEGRITY is what npm would write for it. */
int package_take(const char *path, int *ret_fd, char integrity[PACKAGE_INTEGRITY_MAX],
		 struct err *err);

#endif
