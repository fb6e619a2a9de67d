/* SPDX-License-Identifier: MIT
 *
 * Saves a run's upper directory: copies it to incoming, renames that to pending, and merges pending
 * into the tree name by name. The run is saved from the rename on, and each later step can be
 * repeated. A live box may change what is copied meanwhile. Only names, bytes, permissions, links
 * and the marks of overlayfs are copied. It must never copy a device, FIFO, socket, set-id bit or
 * extended attribute.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/files.h"
#include "base/scope.h"
#include "base/subpath.h"
#include "overlay/overlay_private.h"
#include "overlay/protected.h"

/* In incoming and pending, beside the new base. */
#define UPPER "upper"
#define RESTORES "restores" /* the tree of the first save is restored before the merge */

struct save {
	const struct overlay *o;
	int upper, to, workspace;
	struct timespec since;
	struct overlay_diff base, added;
	uint64_t bytes;
	size_t depth;
	size_t moved; /* directories above this one that were replaced during the run */
	bool any;     /* the run has changes */
	struct overlay_losses *lost;
};

static int fail_over(const struct save *s, struct err *err)
{
	err_set(err, ERR_LIMIT, "too many pending changes: more than %llu MB, or %zu paths",
		(unsigned long long)(s->o->bytes_max >> 20), s->o->entries_max);
	err_cause(err, "those of this run were not saved; those of earlier runs are whole");
	err_cure(err, "apply the pending changes, or drop them with cordon reset");
	return -1;
}

static int count(struct save *s, uint64_t bytes, struct err *err)
{
	if (bytes > s->o->bytes_max - s->bytes)
		return fail_over(s, err);
	s->bytes += bytes;
	return 0;
}

static void note(struct save *s, size_t *counter, const char *path)
{
	if (s->lost->left_out + s->lost->stripped == 0)
		snprintf(s->lost->first, sizeof(s->lost->first), "%s", path);
	++*counter;
}

static bool has_attributes(int fd)
{
	char names[1024];
	ssize_t len = flistxattr(fd, names, sizeof(names));

	if (len < 0)
		return errno == ERANGE;
	for (const char *at = names; at < names + len; at += strlen(at) + 1)
		if (strncmp(at, "user.", 5) == 0 && strncmp(at, "user.overlay.", 13) != 0)
			return true;
	return false;
}

static bool is_since(const struct save *s, const struct timespec *t)
{
	return t->tv_sec > s->since.tv_sec ||
	       (t->tv_sec == s->since.tv_sec && t->tv_nsec > s->since.tv_nsec);
}

/* Adding or removing a name in a directory changes both of its times. Renaming the directory, or
 * changing its mode, changes only one. */
static bool is_replaced(const struct save *s, const char *path)
{
	AUTO_CLOSE int dir = subpath_open(s->workspace, *path ? path : ".", O_PATH | O_NOFOLLOW);
	struct stat st;

	return *path && dir >= 0 && fstat(dir, &st) == 0 && is_since(s, &st.st_ctim) &&
	       (st.st_ctim.tv_sec != st.st_mtim.tv_sec || st.st_ctim.tv_nsec != st.st_mtim.tv_nsec);
}

/* Was the file copied up from one that the directory no longer has? overlayfs marks a copy, and the
 * mark stays when the program renames the file. */
static bool is_deleted(const struct save *s, const char *path)
{
	const char *name;
	AUTO_CLOSE int file = subpath_open(s->upper, path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
	AUTO_CLOSE int parent = subpath_open_parent(s->workspace, path, &name);
	struct stat st;

	return file >= 0 && fgetxattr(file, "user.overlay.origin", NULL, 0) >= 0 &&
	       (parent < 0 || fstat(parent, &st) < 0 || is_since(s, &st.st_ctim));
}

static int record(struct save *s, const char *path, bool with_all_below, struct err *err)
{
	struct overlay_state now;
	AUTO_DIR_ENTRIES struct dir_entries names = {0};

	if (overlay_look(s->workspace, path, &s->since, &now, err) < 0)
		return -1;
	bool moved = now.type == OVERLAY_ABSENT ? is_deleted(s, path) : s->moved > 0;
	if (!overlay_list_find(&s->base, path)) {
		struct overlay_entry *e = overlay_list_add(&s->added, path, err);
		if (!e)
			return -1;
		e->before = moved ? (struct overlay_state){.type = OVERLAY_OTHER} : now;
		if (s->base.count + s->added.count > s->o->entries_max)
			return fail_over(s, err);
	}
	if (!with_all_below || now.type != OVERLAY_DIR)
		return 0;
	if (overlay_names(s->workspace, path, &names, err) < 0)
		return -1;
	for (size_t i = 0; i < names.count; i++) {
		AUTO_FREE char *below = overlay_join(path, names.name[i], err);
		if (!below || record(s, below, true, err) < 0)
			return -1;
	}
	return 0;
}

/* A program of a live box has removed or replaced what was there. */
static bool is_gone(const struct save *s)
{
	return s->o->is_live && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP);
}

static int copy_file(struct save *s, const char *path, int parent, const char *name,
		     struct err *err)
{
	AUTO_CLOSE int from = subpath_open(s->upper, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (from < 0 && is_gone(s))
		return 0;
	if (from < 0 || fstat(from, &st) < 0 || !S_ISREG(st.st_mode))
		return err_errno(err, ERR_SYSTEM, "reading %s of the run", path);
	if (count(s, (uint64_t)st.st_size, err) < 0)
		return -1;
	AUTO_CLOSE int to =
		openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (to < 0 || overlay_copy(from, to, (uint64_t)st.st_size) < 0 ||
	    overlay_give(s->workspace, to, "") < 0 || fchmod(to, (st.st_mode & 0777) | 0400) < 0)
		return err_errno(err, ERR_SYSTEM, "saving %s", path);
	if (st.st_mode & 06000 || has_attributes(from))
		note(s, &s->lost->stripped, path);
	return 0;
}

static int copy_link(struct save *s, const char *path, int at, int parent, const char *name,
		     struct err *err)
{
	char target[PATH_MAX];
	ssize_t len = readlinkat(at, "", target, sizeof(target) - 1);

	if (len < 0)
		return err_errno(err, ERR_SYSTEM, "reading %s of the run", path);
	target[len] = '\0';
	if (symlinkat(target, parent, name) < 0 || overlay_give(s->workspace, parent, name) < 0)
		return err_errno(err, ERR_SYSTEM, "saving %s", path);
	return count(s, (uint64_t)len, err);
}

static int copy_names(struct save *s, const char *path, struct err *err);

static int copy_directory(struct save *s, const char *path, unsigned mode, bool opaque, int parent,
			  const char *name, struct err *err)
{
	if (mkdirat(parent, name, 0700) < 0)
		return err_errno(err, ERR_SYSTEM, "saving %s", path);
	AUTO_CLOSE int dir = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0 || (opaque && overlay_make_opaque(dir) < 0) ||
	    overlay_give(s->workspace, dir, "") < 0 || fchmod(dir, (mode & 0777) | 0700) < 0)
		return err_errno(err, ERR_SYSTEM, "saving %s", path);
	return copy_names(s, path, err);
}

/* Some file systems refuse a whiteout, for example the overlay of a container's root. */
static int copy_whiteout(const char *path, int parent, const char *name, struct err *err)
{
	if (mknodat(parent, name, S_IFCHR, makedev(0, 0)) == 0)
		return 0;
	err_errno(err, ERR_SYSTEM, "saving the deletion of %s", path);
	err_cause(err, "the file system of the state directory cannot hold an overlay");
	err_cure(err, "put the state directory on another file system");
	return -1;
}

static int copy_name(struct save *s, const char *path, struct err *err)
{
	const char *name;
	AUTO_CLOSE int parent = subpath_open_parent(s->to, path, &name);
	AUTO_CLOSE int at = subpath_open(s->upper, path, O_PATH | O_NOFOLLOW);
	enum overlay_kind kind;
	struct stat st;

	if (at < 0 && is_gone(s))
		return 0;
	if (at < 0 || parent < 0 || fstat(at, &st) < 0)
		return err_errno(err, ERR_SYSTEM, "reading %s of the run", path);
	if (overlay_kind(s->upper, path, &kind, err) < 0)
		return -1;
	if (kind == KIND_LEAF && !S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode)) {
		note(s, &s->lost->left_out, path);
		return 0;
	}
	s->any = true;
	s->lost->saved++;
	if (record(s, path, kind != KIND_DIR, err) < 0)
		return -1;
	if (kind == KIND_WHITEOUT)
		return copy_whiteout(path, parent, name, err);
	if (S_ISREG(st.st_mode))
		return copy_file(s, path, parent, name, err);
	if (S_ISLNK(st.st_mode))
		return copy_link(s, path, at, parent, name, err);
	return copy_directory(s, path, st.st_mode, kind == KIND_OPAQUE, parent, name, err);
}

static int copy_names(struct save *s, const char *path, struct err *err)
{
	AUTO_DIR_ENTRIES struct dir_entries names = {0};
	int r = overlay_names(s->upper, path, &names, err);
	bool moved = is_replaced(s, path);

	s->moved += moved;
	if (r == 0 && ++s->depth > OVERLAY_DEPTH_MAX)
		r = err_set(err, ERR_LIMIT, "the run's directories are more than %d deep",
			    OVERLAY_DEPTH_MAX);
	for (size_t i = 0; r == 0 && i < names.count; i++) {
		/* Compiled code is left out: its program can make it again. */
		if (protected_is_compiled(names.name[i]))
			continue;
		AUTO_FREE char *below = overlay_join(path, names.name[i], err);
		r = below ? copy_name(s, below, err) : -1;
	}
	s->depth--;
	s->moved -= moved;
	return r;
}

/* Entries of the tree count towards the maximum. */
static int count_tree(struct save *s, int tree, const char *path, struct err *err)
{
	AUTO_DIR_ENTRIES struct dir_entries names = {0};
	struct stat st;

	if (overlay_names(tree, path, &names, err) < 0)
		return -1;
	for (size_t i = 0; i < names.count; i++) {
		AUTO_FREE char *below = overlay_join(path, names.name[i], err);
		if (!below)
			return -1;
		if (fstatat(tree, below, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return err_errno(err, ERR_SYSTEM, "reading the attributes of %s", below);
		if (count(s, S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0, err) < 0 ||
		    (S_ISDIR(st.st_mode) && count_tree(s, tree, below, err) < 0))
			return -1;
	}
	return 0;
}

/* The tree of the first save, if this box has saved before. */
static int open_first(const struct save *s)
{
	return !s->o->is_live ? -1
			      : openat(s->o->dir, OVERLAY_FIRST,
				       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Copies the run to incoming. */
static int take_in(struct save *s, struct err *err)
{
	AUTO_CLOSE int first = open_first(s);
	AUTO_CLOSE int tree = overlay_open_tree(s->o);

	if (tree < 0 && errno != ENOENT)
		return err_errno(err, ERR_SYSTEM, "opening the saved tree");
	if (overlay_base(s->o, tree, &s->base, err) < 0 ||
	    (tree >= 0 && count_tree(s, first < 0 ? tree : first, "", err) < 0))
		return -1;
	s->any = first >= 0;
	if (mkdirat(s->o->dir, OVERLAY_INCOMING, 0700) < 0 ||
	    mkdirat(s->o->dir, OVERLAY_INCOMING "/" UPPER, 0700) < 0)
		return err_errno(err, ERR_SYSTEM, "saving the run's changes");
	AUTO_CLOSE int in = openat(s->o->dir, OVERLAY_INCOMING, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_CLOSE int to = in < 0 ? -1 : openat(in, UPPER, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (to < 0)
		return err_errno(err, ERR_SYSTEM, "saving the run's changes");
	s->to = to;
	if (copy_names(s, "", err) < 0)
		return -1;
	if (s->o->is_live && mkdirat(in, RESTORES, 0700) < 0)
		return err_errno(err, ERR_SYSTEM, "saving the run's changes");
	for (size_t i = 0; i < s->base.count; i++) {
		struct overlay_entry *e = overlay_list_add(&s->added, s->base.entry[i].path, err);
		if (!e)
			return -1;
		e->before = s->base.entry[i].before;
	}
	overlay_list_sort(&s->added);
	if (overlay_list_write(in, OVERLAY_BASE, &s->added, 0, err) < 0)
		return -1;
	return s->any && syncfs(in) < 0 ? err_errno(err, ERR_SYSTEM, "saving the run's changes")
					: 0;
}

int overlay_save(struct overlay *o, int upper, int workspace, struct timespec since,
		 struct overlay_losses *ret, struct err *err)
{
	struct save s = {
		.o = o, .upper = upper, .workspace = workspace, .since = since, .lost = ret};

	*ret = (struct overlay_losses){0};
	int r = take_in(&s, err);
	overlay_diff_done(&s.base);
	overlay_diff_done(&s.added);
	if (r == 0 && s.any) {
		if (renameat(o->dir, OVERLAY_INCOMING, o->dir, OVERLAY_PENDING) < 0)
			return err_errno(err, ERR_SYSTEM, "saving the run's changes");
		return overlay_merge(o, workspace, err);
	}
	if (files_remove_tree(o->dir, OVERLAY_INCOMING) < 0 && r == 0)
		return err_errno(err, ERR_SYSTEM, "removing an incomplete copy");
	return r;
}

struct merge {
	int from, tree, workspace;
};

static int merge_names(const struct merge *m, const char *path, bool hidden, struct err *err);

/* Both have the directory. FROM keeps it to the end, so its mode can be set again after a kill. */
static int merge_directory(const struct merge *m, const char *path, bool hidden, struct err *err)
{
	AUTO_CLOSE int from = subpath_open(m->from, path, O_RDONLY | O_DIRECTORY);
	AUTO_CLOSE int to = subpath_open(m->tree, path, O_RDONLY | O_DIRECTORY);
	struct stat st;

	if (from < 0 || to < 0 || fstat(from, &st) < 0 || fchmod(to, st.st_mode & 0777) < 0)
		return err_errno(err, ERR_SYSTEM, "merging %s", path);
	if (merge_names(m, path, hidden, err) < 0)
		return -1;
	if (unlinkat(m->from, path, AT_REMOVEDIR) < 0)
		return err_errno(err, ERR_SYSTEM, "merging %s", path);
	return 0;
}

static int make_opaque(const struct merge *m, const char *path)
{
	AUTO_CLOSE int dir = subpath_open(m->from, path, O_RDONLY | O_DIRECTORY);

	return dir < 0 ? -1 : overlay_make_opaque(dir);
}

/* Merges as overlayfs does: a directory merges with a directory, any other entry replaces. HIDDEN: a
 * directory of the tree above this place hides the user's, so a whiteout is not needed. */
static int merge_name(const struct merge *m, const char *path, bool hidden, struct err *err)
{
	const char *name;
	AUTO_CLOSE int from = subpath_open_parent(m->from, path, &name);
	AUTO_CLOSE int to = subpath_open_parent(m->tree, path, &name);
	enum overlay_kind top, old;
	struct overlay_state below = {.type = OVERLAY_OTHER};

	if (from < 0 || to < 0)
		return err_errno(err, ERR_SYSTEM, "merging %s", path);
	if (overlay_kind(m->from, path, &top, err) < 0 ||
	    overlay_kind(m->tree, path, &old, err) < 0)
		return -1;
	bool is_dir = top == KIND_DIR || top == KIND_OPAQUE;
	bool was_dir = old == KIND_DIR || old == KIND_OPAQUE;
	if (top == KIND_DIR && was_dir)
		return merge_directory(m, path, hidden || old == KIND_OPAQUE, err);
	if (top == KIND_DIR && old != KIND_NONE && make_opaque(m, path) < 0)
		return err_errno(err, ERR_SYSTEM, "merging %s", path);
	if (top == KIND_WHITEOUT && overlay_look(m->workspace, path, NULL, &below, err) < 0)
		return -1;
	bool drop = top == KIND_WHITEOUT && (hidden || below.type == OVERLAY_ABSENT);
	if ((is_dir || was_dir || drop) && files_remove_tree(to, name) < 0)
		return err_errno(err, ERR_SYSTEM, "merging %s", path);
	if (drop ? unlinkat(from, name, 0) < 0 : renameat(from, name, to, name) < 0)
		return err_errno(err, ERR_SYSTEM, "merging %s", path);
	return 0;
}

static int merge_names(const struct merge *m, const char *path, bool hidden, struct err *err)
{
	AUTO_DIR_ENTRIES struct dir_entries names = {0};

	if (overlay_names(m->from, path, &names, err) < 0)
		return -1;
	for (size_t i = 0; i < names.count; i++) {
		AUTO_FREE char *below = overlay_join(path, names.name[i], err);
		if (!below || merge_name(m, below, hidden, err) < 0)
			return -1;
	}
	return 0;
}

static int restore(const struct overlay *o, int pending, int workspace, struct err *err)
{
	if (faccessat(pending, RESTORES, F_OK, 0) < 0)
		return 0;
	if (overlay_restore_first(o, workspace, err) < 0)
		return -1;
	return unlinkat(pending, RESTORES, AT_REMOVEDIR) < 0
		       ? err_errno(err, ERR_SYSTEM, "merging the run's changes")
		       : 0;
}

/* The box's user must be able to read the tree, so the owner of the directory owns it. */
static int make_tree(const struct overlay *o, int workspace)
{
	AUTO_CLOSE int tree = -1;

	if (mkdirat(o->dir, OVERLAY_TREE, 0700) < 0 && errno != EEXIST)
		return -1;
	tree = overlay_open_tree(o);
	if (tree < 0 || overlay_give(workspace, tree, "") < 0)
		return -1;
	return scope_take_fd(&tree);
}

int overlay_merge(const struct overlay *o, int workspace, struct err *err)
{
	AUTO_CLOSE int pending =
		openat(o->dir, OVERLAY_PENDING, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (pending < 0 && errno == ENOENT)
		return 0;
	AUTO_CLOSE int from =
		pending < 0 ? -1 : openat(pending, UPPER, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* Base is moved last: if pending has no base, everything is merged. */
	if (from >= 0 && faccessat(pending, OVERLAY_BASE, F_OK, 0) == 0) {
		if (restore(o, pending, workspace, err) < 0)
			return -1;
		AUTO_CLOSE int tree = make_tree(o, workspace);
		const struct merge m = {from, tree, workspace};
		if (tree < 0)
			return err_errno(err, ERR_SYSTEM, "creating the saved tree");
		if (merge_names(&m, "", false, err) < 0)
			return -1;
		if (renameat(pending, OVERLAY_BASE, o->dir, OVERLAY_BASE) < 0)
			return err_errno(err, ERR_SYSTEM, "replacing the overlay's base");
	}
	if (files_remove_tree(o->dir, OVERLAY_PENDING) < 0)
		return err_errno(err, ERR_SYSTEM, "removing merged changes");
	return 0;
}
