/* SPDX-License-Identifier: MIT
 *
 * A directory of the host, or one file, as one hash: names, kinds, modes, contents, where links
 * point. The same tree always gives the same hash, and what a program could load from it cannot
 * change without changing it. Nothing is followed out of it, and only files and directories are
 * opened: a FIFO would wait, a device would act.
 */
#ifndef CORDON_APPROVAL_TREE_H
#define CORDON_APPROVAL_TREE_H

#include <stdint.h>

#include "base/err.h"

enum {
	TREE_SHA256 = 32,
	TREE_LINK_MAX = 4096,  /* bytes of where a link points */
	TREE_READ_MAX = 65536, /* bytes that are read at once */
};

struct tree_size {
	uint64_t entries; /* files, directories, links, all */
	uint64_t bytes;	  /* of the files */
};
struct tree_sum {
	uint8_t sha256[TREE_SHA256];
	struct tree_size size;
};

/* PATH itself may be a link. More than MOST, or what cannot be read, is an error that says so. */
int tree_sum(const char *path, const struct tree_size *most, struct tree_sum *ret, struct err *err);

#endif
