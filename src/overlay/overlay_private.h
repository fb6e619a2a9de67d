/* SPDX-License-Identifier: MIT
 *
 * What the files of this module share: trees, states and lists.
 */
#ifndef CORDON_OVERLAY_OVERLAY_PRIVATE_H
#define CORDON_OVERLAY_OVERLAY_PRIVATE_H

#include "base/entries.h"
#include "overlay/overlay.h"

#define OVERLAY_TREE "tree"
#define OVERLAY_BASE "base"
#define OVERLAY_JOURNAL "journal"
#define OVERLAY_GONE "gone"
#define OVERLAY_INCOMING "incoming"
#define OVERLAY_PENDING "pending"

/* paths.c: paths are relative to ROOT, "" is ROOT itself, and no link is followed. */
enum overlay_kind {
	KIND_NONE,
	KIND_WHITEOUT, /* hides what is below */
	KIND_DIR,      /* shown together with the one below */
	KIND_OPAQUE,   /* a directory that hides the one below */
	KIND_LEAF,
};
int overlay_kind(int root, const char *path, enum overlay_kind *ret, struct err *err);
int overlay_make_opaque(int dir);
/* The names in a directory; none if there is no directory. */
int overlay_names(int root, const char *path, struct entries *ret, struct err *err);
/* malloc'd, or NULL: it is too long, or there is no memory. */
char *overlay_join(const char *dir, const char *name, struct err *err);
/* SINCE may be NULL: a file that changed from then on is OVERLAY_OTHER. */
int overlay_look(int root, const char *path, const struct timespec *since,
		 struct overlay_state *ret, struct err *err);
bool overlay_is_same(const struct overlay_state *a, const struct overlay_state *b);
/* Copies SIZE bytes at most. */
int overlay_copy(int from, int to, uint64_t size);
/* As root: gives it to the owner of DIR. NAME is below AT, or "" for AT itself. */
int overlay_give(int dir, int at, const char *name);

/* list.c: base and journal are lists of entries in a file. */
struct overlay_entry *overlay_list_add(struct overlay_diff *list, const char *path,
				       struct err *err);
/* Sorts, and keeps the first of entries with the same path. */
void overlay_list_sort(struct overlay_diff *list);
const struct overlay_entry *overlay_list_find(const struct overlay_diff *list, const char *path);
/* Does the list have PATH, or something below it? */
bool overlay_list_reaches(const struct overlay_diff *list, const char *path);
int overlay_list_write(int dir, const char *name, const struct overlay_diff *list, uint64_t token,
		       struct err *err);
/* A list that is not there is empty, and *RET_FOUND false. */
int overlay_list_read(int dir, const char *name, struct overlay_diff *ret, uint64_t *ret_token,
		      bool *ret_found, struct err *err);
/* Of the entries in base those that the tree still changes or hides. */
int overlay_base(const struct overlay *o, int tree, struct overlay_diff *ret, struct err *err);

/* save.c and apply.c: finish what was begun, if anything was. */
int overlay_merge(const struct overlay *o, int workspace, struct err *err);
int overlay_roll_forward(const struct overlay *o, int workspace, struct err *err);

#endif
