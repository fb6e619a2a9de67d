/* SPDX-License-Identifier: MIT
 *
 * Extracts the rules from an npm package. The package may be hostile although its hash is right.
 */
#ifndef CORDON_CLI_UNPACK_H
#define CORDON_CLI_UNPACK_H

#include <stddef.h>

#include "base/err.h"

/* The rules' directory in the package. */
#define UNPACK_RULES "package/rules/"

enum {
	UNPACK_ENTRIES_MAX = 20000,  /* files and directories in the package */
	UNPACK_BYTES_MAX = 64 << 20, /* of the decompressed package, five times the public pack's */
	UNPACK_NAME_MAX = 200,	     /* bytes of a rule's path below UNPACK_RULES */
};

/* Writes the YAML files below UNPACK_RULES in the gzipped tar archive PACKAGE to the directory TO.
 * An archive that holds anything but files and directories is refused. On failure some files may
 * have been written. */
int unpack_rules(const void *package, size_t len, int to, struct err *err);

#endif
