/* SPDX-License-Identifier: MIT
 *
 * The files of a pack, in the order in which the reference loads them: entries sorted by the bytes
 * of their names, each directory at its own place in that order.
 */
#ifndef CORDON_RULE_PACK_FILES_H
#define CORDON_RULE_PACK_FILES_H

#include <stddef.h>

#include "base/err.h"
#include "base/stamp.h"

#define PACK_DEPTH_MAX 16      /* nested directories */
#define PACK_ENTRIES_MAX 20000 /* entries of one directory */

/* DATA is valid during the call. NULL: the file cannot be read or is not a rule, and ERR has the
 * reason. A result other than 0 ends the walk and is returned. */
typedef int pack_file_fn(void *context, const char *path, const char *data, size_t len);

/* PATH is a directory or a single file. */
int pack_files_read(const char *path, pack_file_fn *each, void *context, struct err *err);

/* A directory or file. DIRECTORY is a directory's number, from 0; of a file -1. PARENT is the number
 * of the directory that contains it, or -1. NAME is a directory's whole path; of a file its name. */
struct pack_place {
	int directory, parent;
	const char *name;
	struct stamp stamp;
};
typedef int pack_place_fn(void *context, const struct pack_place *place);

/* Lists the directories and files that pack_files_read would read, and opens no file. While all
 * their stamps stay the same, pack_files_read gives the same files. Returns -1 if that cannot be
 * promised: PATH is not a directory, an entry cannot be read, or a link's target may change. */
int pack_files_list(const char *path, pack_place_fn *each, void *context, struct err *err);

#endif
