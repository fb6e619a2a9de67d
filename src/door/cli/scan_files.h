/* SPDX-License-Identifier: MIT
 *
 * cordon scan: reads files and directories, and writes one of the formats. detect/scan.h scans the
 * bytes in between.
 */
#ifndef CORDON_CLI_SCAN_FILES_H
#define CORDON_CLI_SCAN_FILES_H

#include "door/cli/cli.h"
#include "show/scan_format.h"

enum {
	SCAN_DEPTH_MAX = 64,	   /* directories in directories */
	SCAN_ENTRIES_MAX = 100000, /* names in one directory */
	SCAN_FILES_MAX = 1000000,  /* in all */
};

/* Scans one file or directory below DIRFD (or AT_FDCWD). NAMED: the user named it, so links are
 * followed and binary files are errors; otherwise a walk found it. */
void scan_path(struct scan *s, int dirfd, const char *path, const char *name, bool named);
void scan_stdin(struct scan *s);

void scan_directory(struct scan *s, int fd, const char *name, unsigned depth);

#endif
