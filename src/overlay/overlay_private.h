/* SPDX-License-Identifier: MIT
 *
 * Shared by the files of this module: trees, states and lists of entries.
 */
#ifndef CORDON_OVERLAY_OVERLAY_PRIVATE_H
#define CORDON_OVERLAY_OVERLAY_PRIVATE_H

#include "base/dir_entries.h"
#include "overlay/overlay.h"

#define OVERLAY_TREE "tree"
#define OVERLAY_BASE "base"
#define OVERLAY_JOURNAL "journal"
#define OVERLAY_GONE "gone"
#define OVERLAY_INCOMING "incoming"
#define OVERLAY_PENDING "pending"
#define OVERLAY_FIRST "first"
#define OVERLAY_LIVE "live"

/* paths.c: paths are relative to ROOT, "" is ROOT itself, and no link is followed. */
enum overlay_kind {
	KIND_NONE,
	KIND_WHITEOUT, /* hides the entry below */
	KIND_DIR,      /* merged with the directory below */
	KIND_OPAQUE,   /* a directory that hides the one below */
	KIND_LEAF,
};
int overlay_kind(int root, const char *path, enum overlay_kind *ret, struct err *err);
int overlay_make_opaque(int dir);
/* The names in a directory; empty if it does not exist. */
int overlay_names(int root, const char *path, struct dir_entries *ret, struct err *err);
/* Malloc'd; NULL if it is too long or memory is short. */
char *overlay_join(const char *dir, const char *name, struct err *err);
/* A file that changed after SINCE (or NULL) is OVERLAY_OTHER. */
int overlay_look(int root, const char *path, const struct timespec *since,
		 struct overlay_state *ret, struct err *err);
bool overlay_is_same(const struct overlay_state *a, const struct overlay_state *b);
/* Copies at most SIZE bytes. */
int overlay_copy(int from, int to, uint64_t size);
/* As root: changes the owner to that of DIR. NAME is below AT, or "" for AT itself. */
int overlay_give(int dir, int at, const char *name);

/* entry_list.c: base and journal are files with a list of entries. */
struct overlay_entry *overlay_list_add(struct overlay_diff *list, const char *path,
				       struct err *err);
/* Sorts, and keeps the first of entries with the same path. */
void overlay_list_sort(struct overlay_diff *list);
const struct overlay_entry *overlay_list_find(const struct overlay_diff *list, const char *path);
/* Does the list have PATH or an entry below it? */
bool overlay_list_reaches(const struct overlay_diff *list, const char *path);
int overlay_list_write(int dir, const char *name, const struct overlay_diff *list, uint64_t token,
		       struct err *err);
/* A missing list is empty, and *RET_FOUND is false. */
int overlay_list_read(int dir, const char *name, struct overlay_diff *ret, uint64_t *ret_token,
		      bool *ret_found, struct err *err);
/* The entries of base that the tree still changes or hides. */
int overlay_base(const struct overlay *o, int tree, struct overlay_diff *ret, struct err *err);

/* live_saves.c */
/* Makes the tree what it was before the first save of the box that holds O. Can be repeated. */
int overlay_restore_first(const struct overlay *o, int workspace, struct err *err);
/* The box has ended. */
int overlay_forget_first(const struct overlay *o);

/* save_run.c and overlay_apply.c: finish an interrupted operation, if there is one. */
int overlay_merge(const struct overlay *o, int workspace, struct err *err);
int overlay_roll_forward(const struct overlay *o, int workspace, struct err *err);

#endif
