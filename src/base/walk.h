/* SPDX-License-Identifier: MIT
 *
 * Walks all entries below a directory of the host, in the order of names. It follows no links and
 * crosses no mounts. Entries are opened with O_PATH, so a FIFO does not block and a device has no
 * effect; a file is read through that descriptor (walk_reopen).
 */
#ifndef CORDON_BASE_WALK_H
#define CORDON_BASE_WALK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/dir_entries.h"
#include "base/err.h"

enum {
	WALK_DEPTH_MAX = 64,  /* nested directories */
	WALK_PATH_MAX = 4096, /* bytes of a relative path */
};

struct walk_entry {
	int fd; /* O_PATH */
	struct stat st;
	const char *path; /* relative to the begin of the walk; "" for that itself */
	size_t len;
	const struct dir_entries *
		beside; /* all entries of its directory, sorted; NULL: for the first entry of the walk */
	const struct dir_entries *names; /* a directory's entries */
};

struct walk_to {
	uint64_t entries; /* maximum of entries */
	/* Called with the directory's path and the name of an entry that is too deep or cannot be
	 * read; the entry is skipped. NULL: such an entry ends the walk. */
	void (*leaves)(void *ctx, const char *dir, const char *name);
	/* A directory comes before its entries. -1 ends the walk. */
	int (*visit)(void *ctx, const struct walk_entry *e, struct err *err);
	void *ctx;
};

/* DIR is a descriptor, O_PATH suffices; it may be of a file. ERR_LIMIT: a maximum is exceeded.
 * ERR_INPUT: an entry cannot be read. */
int walk(int dir, const struct walk_to *to, uint64_t *ret_entries, struct err *err);
int walk_reopen(const struct walk_entry *e);
/* Sets the error of errno for an entry that cannot be read. */
int walk_unreadable(const struct walk_entry *e, struct err *err);

#endif
