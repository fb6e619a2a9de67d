/* SPDX-License-Identifier: MIT
 *
 * Everything in a directory of the host, one entry after the other, in the order of names. Nothing is
 * followed out of it: no links, nothing that is mounted there. Each entry is opened as a place only,
 * so a FIFO does not wait and a device does not act, and a file is read through what was looked at
 * (walk_reopen).
 */
#ifndef CORDON_BASE_WALK_H
#define CORDON_BASE_WALK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/entries.h"
#include "base/err.h"

enum {
	WALK_DEPTH_MAX = 64,  /* directories in each other */
	WALK_PATH_MAX = 4096, /* bytes of a name with the directories before it */
};

struct walk_entry {
	int fd; /* O_PATH */
	struct stat st;
	const char *path; /* below where the walk began; "" for that itself */
	size_t len;
	const struct entries *beside; /* all of its directory, in order; NULL: the first of all */
	const struct entries *names;  /* what it has, if it is a directory */
};

struct walk_to {
	uint64_t entries; /* so many at most */
	/* Told what is too deep or cannot be read: the path of its directory ("" where the walk began),
	 * and its name. It is left out. NULL: it ends the walk. */
	void (*leaves)(void *ctx, const char *dir, const char *name);
	/* A directory comes before what is in it. -1 ends the walk. */
	int (*visit)(void *ctx, const struct walk_entry *e, struct err *err);
	void *ctx;
};

/* DIR is open, O_PATH is enough; it may be a file. ERR_LIMIT: there is more than may be; ERR_INPUT: some
 * of it cannot be read. */
int walk(int dir, const struct walk_to *to, uint64_t *ret_entries, struct err *err);
int walk_reopen(const struct walk_entry *e);
/* What errno says of an entry that could not be read. */
int walk_unreadable(const struct walk_entry *e, struct err *err);

#endif
