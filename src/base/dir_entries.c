/* SPDX-License-Identifier: MIT
 *
 * See dir_entries.h. The order of readdir depends on the file system, so the names are sorted.
 */
#include "base/dir_entries.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"

void dir_entries_done(struct dir_entries *e)
{
	for (size_t i = 0; i < e->count; i++)
		free(e->name[i]);
	free(e->name);
	*e = (struct dir_entries){0};
}

static int add(struct dir_entries *e, const char *name)
{
	if (e->count == e->room) {
		size_t room = e->room ? 2 * e->room : 64;
		char **more = reallocarray(e->name, room, sizeof(*more));
		if (!more)
			return -1;
		e->name = more;
		e->room = room;
	}
	e->name[e->count] = strdup(name);
	return e->name[e->count] ? (e->count++, 0) : -1;
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int dir_entries_read(DIR *dir, size_t most, struct dir_entries *ret)
{
	const struct dirent *d;

	while ((d = io_readdir(dir))) {
		if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
			continue;
		if (ret->count == most) {
			errno = E2BIG;
			return -1;
		}
		if (add(ret, d->d_name) < 0)
			return -1;
	}
	if (errno)
		return -1;
	if (ret->count)
		qsort(ret->name, ret->count, sizeof(*ret->name), by_bytes);
	return 0;
}

bool dir_entries_has(const struct dir_entries *e, const char *name)
{
	return e->count && bsearch(&name, e->name, e->count, sizeof(*e->name), by_bytes);
}
