/* SPDX-License-Identifier: MIT
 *
 * The directory that one fetch works in, beside what it will replace. It is locked while it is in
 * use: the lock goes with the process, however that ends, so the next fetch knows what was left
 * behind and removes it. One that is in use is never touched.
 */
#ifndef CORDON_CLI_FETCH_DIR_H
#define CORDON_CLI_FETCH_DIR_H

#include "base/err.h"

enum {
	FETCH_PATH_MAX = 4096,	   /* bytes of its path, with the NUL */
	FETCH_LEFTOVERS_MAX = 100, /* that one fetch removes */
};

struct fetch_dir {
	char path[FETCH_PATH_MAX]; /* "": there is none */
	int lock;
};

/* Removes what others left in DATA and makes a new one there. */
int fetch_dir_open(struct fetch_dir *d, const char *data, struct err *err);
/* Removes it and all in it. D may be zeroed. */
void fetch_dir_close(struct fetch_dir *d);

#endif
