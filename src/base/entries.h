/* SPDX-License-Identifier: MIT
 *
 * The entries of a directory, sorted by name, so that two walks of the same tree give the same order.
 */
#ifndef CORDON_BASE_ENTRIES_H
#define CORDON_BASE_ENTRIES_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>

struct entries {
	size_t count, room;
	char **name;
};

/* Without "." and "..". 0; -1 with errno, which is E2BIG for more than MOST entries. */
int entries_read(DIR *dir, size_t most, struct entries *ret);
bool entries_has(const struct entries *e, const char *name);
void entries_done(struct entries *e);
#define AUTO_ENTRIES __attribute__((cleanup(entries_done)))

#endif
