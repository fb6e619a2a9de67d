/* SPDX-License-Identifier: MIT
 *
 * Takes the rules out of an npm package, which may be hostile although its hash is right.
 */
#ifndef CORDON_CLI_UNPACK_H
#define CORDON_CLI_UNPACK_H

#include <stddef.h>

#include "base/err.h"

enum {
	UNPACK_FILES_MAX = 20000,
	UNPACK_ENTRIES_MAX = 100000,  /* in the archive, those that are passed over included */
	UNPACK_FILE_MAX = 1000000,    /* bytes; a rule is never larger */
	UNPACK_BYTES_MAX = 256 << 20, /* of the archive once it is decompressed */
	UNPACK_NAME_MAX = 200,
	UNPACK_DEPTH_MAX = 8, /* directories in directories */
};

/* Reads the gzipped tar archive ARCHIVE and writes what is a YAML file below PREFIX in it ("package
 * /rules/") below the directory TO. Links, devices, extended headers, names with anything odd in
 * them there: refused, all of it. Neither descriptor is closed. */
int unpack_rules(int archive, const char *prefix, int to, size_t *ret_files, struct err *err);

#endif
