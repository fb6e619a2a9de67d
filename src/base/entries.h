/* SPDX-License-Identifier: MIT
 *
 * What a directory has, in the order of names, so that two looks at the same tree see the same.
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

/* All but "." and "..". 0; or -1 with errno, E2BIG: there are more than MOST. */
int entries_read(DIR *dir, size_t most, struct entries *ret);
bool entries_has(const struct entries *e, const char *name);
void entries_done(struct entries *e);
#define AUTO_ENTRIES __attribute__((cleanup(entries_done)))

#endif
