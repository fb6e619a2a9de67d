/* SPDX-License-Identifier: MIT
 *
 * The entries of a directory, sorted by name, so that two walks of the same tree give the same order.
 */
#ifndef CORDON_BASE_DIR_ENTRIES_H
#define CORDON_BASE_DIR_ENTRIES_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>

struct dir_entries {
	size_t count, room;
	char **name;
};

/* Without "." and "..". 0; -1 with errno, which is E2BIG for more than MOST entries. */
int dir_entries_read(DIR *dir, size_t most, struct dir_entries *ret);
bool dir_entries_has(const struct dir_entries *e, const char *name);
void dir_entries_done(struct dir_entries *e);
#define AUTO_DIR_ENTRIES __attribute__((cleanup(dir_entries_done)))

#endif
