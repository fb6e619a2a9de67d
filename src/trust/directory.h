/* SPDX-License-Identifier: MIT
 *
 * The directories that people trust, and the marks of exposed writes in them. The nearest entry decides; a
 * directory without an entry is untrusted. An entry has a path and the identity of the directory that the
 * person saw there. Cordon marks a directory before an exposed write; only a person clears the mark.
 */
#ifndef CORDON_TRUST_DIRECTORY_H
#define CORDON_TRUST_DIRECTORY_H

#include <limits.h>

#include "trust/keeper.h"

enum {
	DIRECTORY_DEPTH_MAX = 128,     /* levels of a path, the root included */
	DIRECTORY_BY_MAX = 160,	       /* bytes of the name of a person or a run */
	DIRECTORIES_MAX = 1024,	       /* entries and marks together */
	DIRECTORIES_BYTES = 512 << 10, /* of their row */
	DIRECTORY_CAUSE_MAX = 300,     /* bytes of a path in the cause of an exposure */
};

/* Constant while the directory exists, also across reboots. */
struct directory_identity {
	uint64_t inode, born_ns; /* BORN_NS 0: the file system has no birth times */
};

/* The place of an open directory. */
struct directory_place {
	char path[PATH_MAX]; /* absolute, without links */
	size_t depth;	     /* entries of IDENTITY: the directory first, the root last */
	struct directory_identity identity[DIRECTORY_DEPTH_MAX];
};
/* FD is a directory, or a file whose directory is wanted. NAME is for messages. */
int directory_find(int fd, const char *name, struct directory_place *ret, struct err *err);

enum directory_kind { DIRECTORY_UNTRUSTED, DIRECTORY_TRUSTED, DIRECTORY_MARK, DIRECTORY_KINDS };

struct directory {
	enum directory_kind kind;
	const char *path;
	struct directory_identity identity;
	uint64_t time_us;
	const char *by; /* the person; for a mark: the run */
};

struct directories {
	struct directory list[DIRECTORIES_MAX];
	size_t count;
	uint64_t version;
	struct arena arena;
};
int directories_load(struct keeper *k, struct directories *ret, struct err *err);
/* In TX: the row must still be the one that was loaded; or the row becomes D. */
void directories_expect(const struct directories *d, struct store_tx *tx);
void directories_put(const struct directories *d, struct store_tx *tx);
void directories_done(struct directories *d);

enum directory_why {
	DIRECTORY_NO_ENTRY, /* neither here nor above */
	DIRECTORY_SAID,	    /* the nearest entry is untrusted */
	DIRECTORY_REPLACED, /* another directory has the entry's path now */
	DIRECTORY_MARKED,   /* an exposed run wrote to it, below it or above it */
	DIRECTORY_GOOD,
};
/* A predicate to follow the path, for every value but DIRECTORY_GOOD. */
const char *directory_why_words(enum directory_why why);
struct directory_answer {
	bool trusted;
	enum directory_why why;
};
/* Pure. Directories of the system, such as /usr, need no entry. */
struct directory_answer directory_judge(const struct directories *d,
					const struct directory_place *at);

/* An act of a person. Replaces the entry of this place; trusting a directory clears the marks in it. */
int directory_set(struct directories *d, const struct directory_place *at, bool trusted,
		  const char *by, uint64_t now_us, struct err *err);
/* For a path whose directory no longer exists: removes its entry and the marks at and below it. Near a
 * trusted directory marks stay and the entry becomes untrusted, because the directory could be moved
 * back. False: the path has no entry and no mark. */
bool directory_forget(struct directories *d, const char *path);
/* Called before an exposed write. 1: marked; 0: no trusted directory is at, above or below the place. */
int directory_mark(struct directories *d, const struct directory_place *at, const char *run,
		   uint64_t now_us, struct err *err);
/* True if PATH is DIR or below it. */
bool directory_holds(const char *dir, const char *path);

#endif
