/* SPDX-License-Identifier: MIT
 *
 * The hash of a directory tree or of one file: names, kinds, modes, contents, targets of links. Equal
 * trees have equal hashes, and no file that a program could load can change without changing the hash.
 * No link is followed out of the tree. Only files and directories are opened: a FIFO would block, a
 * device would act.
 */
#ifndef CORDON_APPROVAL_TREE_HASH_H
#define CORDON_APPROVAL_TREE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "store/buf.h"

enum {
	TREE_SHA256 = 32,
	TREE_LINK_MAX = 4096,	  /* bytes of a link's target */
	TREE_READ_MAX = 65536,	  /* bytes read at once */
	TREE_NAME_MAX = 4 * 4096, /* of an escaped path */
};

struct tree_size {
	uint64_t entries; /* of any kind */
	uint64_t bytes;	  /* of files */
};
struct tree_sum {
	uint8_t sha256[TREE_SHA256];
	struct tree_size size;
};

/* PATH itself may be a link. Fails if the tree exceeds MOST or cannot be read. LIST gets a line for each
 * file, or is NULL. */
int tree_sum(const char *path, const struct tree_size *most, struct buf *list, struct tree_sum *ret,
	     struct err *err);

/* A line of the list. */
struct tree_file {
	char sha256[2 * TREE_SHA256 + 1];
	uint64_t bytes;
	char name[TREE_NAME_MAX + 1];
};
/* Reads the line at *AT and moves to the next; false at END. */
bool tree_list_next(const char **at, const char *end, struct tree_file *ret);
bool tree_list_find(const char *list, size_t len, const char *name, struct tree_file *ret);

#endif
