/* SPDX-License-Identifier: MIT
 *
 * Which directories a person trusts, and which of them an exposed run has written to since. The nearest
 * entry decides; a directory without an entry is untrusted. An entry names a path and the identity of the
 * directory that a person saw there. A mark is made before an exposed write; only a person clears it.
 */
#ifndef CORDON_TRUST_DIRECTORY_H
#define CORDON_TRUST_DIRECTORY_H

#include <limits.h>

#include "trust/keeper.h"

enum {
	DIRECTORY_DEPTH_MAX = 128,     /* directories above one, itself included */
	DIRECTORY_BY_MAX = 160,	       /* bytes of the name of a person or a run */
	DIRECTORIES_MAX = 1024,	       /* entries and marks in all */
	DIRECTORIES_BYTES = 512 << 10, /* of the row that holds them */
	DIRECTORY_CAUSE_MAX = 300,     /* bytes of a path in what exposed a conversation */
};

/* What does not change while a directory lives, also when the machine starts anew. */
struct directory_identity {
	uint64_t inode, born_ns; /* BORN_NS 0: the file system does not tell */
};

/* Where an open directory is. */
struct directory_place {
	char path[PATH_MAX]; /* from the root, without links */
	size_t depth;	     /* of IDENTITY: the directory itself first, the root last */
	struct directory_identity identity[DIRECTORY_DEPTH_MAX];
};
/* FD is a directory, or a file: then its directory is meant. NAME is for messages. */
int directory_find(int fd, const char *name, struct directory_place *ret, struct err *err);

enum directory_kind { DIRECTORY_UNTRUSTED, DIRECTORY_TRUSTED, DIRECTORY_MARK, DIRECTORY_KINDS };

struct directory {
	enum directory_kind kind;
	const char *path;
	struct directory_identity identity;
	uint64_t time_us;
	const char *by; /* the person; of a mark: the run */
};

struct directories {
	struct directory list[DIRECTORIES_MAX];
	size_t count;
	uint64_t version;
	struct arena arena;
};
int directories_load(struct keeper *k, struct directories *ret, struct err *err);
/* In the transaction: they must still be what was loaded; and become what they are now. */
void directories_expect(const struct directories *d, struct store_tx *tx);
void directories_put(const struct directories *d, struct store_tx *tx);
void directories_done(struct directories *d);

enum directory_why {
	DIRECTORY_NO_ENTRY, /* and none above it */
	DIRECTORY_SAID,	    /* the nearest entry says untrusted */
	DIRECTORY_REPLACED, /* at the entry's path there is another directory now */
	DIRECTORY_MARKED,   /* an exposed run wrote to it, below it or above it */
	DIRECTORY_GOOD,
};
/* Of a directory that is not DIRECTORY_GOOD, behind its path. */
const char *directory_why_words(enum directory_why why);
struct directory_answer {
	bool trusted;
	enum directory_why why;
};
/* Pure. The system's own directories (/usr and the like) need no entry. */
struct directory_answer directory_judge(const struct directories *d,
					const struct directory_place *at);

/* A person's act: replaces the entry of this place. To trust a directory clears the marks in it. */
int directory_set(struct directories *d, const struct directory_place *at, bool trusted,
		  const char *by, uint64_t now_us, struct err *err);
/* The directory of this path is gone: removes its entry and the marks at and below it. What lies in or
 * above a trusted directory stays, an entry as untrusted: the directory could be moved back. False: the
 * path has neither. */
bool directory_forget(struct directories *d, const char *path);
/* Before an exposed write. 1: it is marked now; 0: no trusted directory is at, above or below it. */
int directory_mark(struct directories *d, const struct directory_place *at, const char *run,
		   uint64_t now_us, struct err *err);
/* True if PATH is DIR or below it. */
bool directory_holds(const char *dir, const char *path);

#endif
