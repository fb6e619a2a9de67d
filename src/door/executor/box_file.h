/* SPDX-License-Identifier: MIT
 *
 * Files of a live box, opened inside it. A path never means a file of the host: what the box does not show
 * does not exist.
 */
#ifndef CORDON_EXECUTOR_BOX_FILE_H
#define CORDON_EXECUTOR_BOX_FILE_H

#include <sys/stat.h>

#include "live/kept_box.h"

struct box_files {
	char name[KEEP_NAME_MAX]; /* of the box that is in use, or "" */
	struct kept_box box;
	struct result *result; /* of the box; not used */
};

/* Uses the box NAME. 1: there is no such box. */
int box_files_use(struct box_files *f, int state, const char *name, struct err *err);
void box_files_close(struct box_files *f);
/* FLAGS: see wire_open. A descriptor, or -1 with errno; EPIPE: the box has ended. */
int box_file_open(struct box_files *f, const char *path, int flags);
/* Follows the last link if FOLLOWS. */
int box_file_stat(struct box_files *f, const char *path, bool follows, struct stat *ret);
/* The path without links, malloc'd. */
char *box_file_real(struct box_files *f, const char *path);

struct box_entry {
	char *name;
	bool is_dir, is_file; /* of what a link leads to */
	bool is_link;
};
/* The entries in the order of their names, malloc'd; at most MOST. Links that lead nowhere are left out.
 * *RET_CUT: there are more. */
int box_file_list(struct box_files *f, const char *path, size_t most, struct box_entry **ret,
		  size_t *ret_count, bool *ret_cut);
void box_entries_free(struct box_entry *e, size_t count);

#endif
