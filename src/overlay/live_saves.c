/* SPDX-License-Identifier: MIT
 *
 * The saves of a box that goes on. Each replaces the last one, because a file that the box made and deleted
 * leaves no mark in its upper directory. So the tree that was there before the first of them is kept, and
 * pending is merged into a copy of it. Its files are linked, not copied: no file of a tree is written to.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/scope.h"
#include "base/subpath.h"
#include "overlay/overlay_private.h"

#define NEXT "next" /* an incomplete copy */

struct copy {
	int from, to, workspace;
};

static int copy_names(const struct copy *c, const char *path, struct err *err);

static int copy_directory(const struct copy *c, const char *path, bool opaque, struct err *err)
{
	const char *name;
	AUTO_CLOSE int from = subpath_open(c->from, path, O_RDONLY | O_DIRECTORY);
	AUTO_CLOSE int parent = subpath_open_parent(c->to, path, &name);
	struct stat st;

	if (from < 0 || parent < 0 || fstat(from, &st) < 0 || mkdirat(parent, name, 0700) < 0)
		return err_errno(err, ERR_SYSTEM, "copying %s of the saved tree", path);
	AUTO_CLOSE int to = subpath_open(c->to, path, O_RDONLY | O_DIRECTORY);
	if (to < 0 || (opaque && overlay_make_opaque(to) < 0) ||
	    overlay_give(c->workspace, to, "") < 0 || fchmod(to, st.st_mode & 0777) < 0)
		return err_errno(err, ERR_SYSTEM, "copying %s of the saved tree", path);
	return copy_names(c, path, err);
}

static int copy_name(const struct copy *c, const char *path, struct err *err)
{
	const char *name;
	enum overlay_kind kind;

	if (overlay_kind(c->from, path, &kind, err) < 0)
		return -1;
	if (kind == KIND_DIR || kind == KIND_OPAQUE)
		return copy_directory(c, path, kind == KIND_OPAQUE, err);
	AUTO_CLOSE int from = subpath_open_parent(c->from, path, &name);
	AUTO_CLOSE int to = subpath_open_parent(c->to, path, &name);
	if (from < 0 || to < 0 || linkat(from, name, to, name, 0) < 0)
		return err_errno(err, ERR_SYSTEM, "copying %s of the saved tree", path);
	return 0;
}

static int copy_names(const struct copy *c, const char *path, struct err *err)
{
	AUTO_DIR_ENTRIES struct dir_entries names = {0};

	if (overlay_names(c->from, path, &names, err) < 0)
		return -1;
	for (size_t i = 0; i < names.count; i++) {
		AUTO_FREE char *below = overlay_join(path, names.name[i], err);
		if (!below || copy_name(c, below, err) < 0)
			return -1;
	}
	return 0;
}

static int make_directory(const struct overlay *o, const char *name, int workspace)
{
	AUTO_CLOSE int dir = -1;

	if (mkdirat(o->dir, name, 0700) < 0 && errno != EEXIST)
		return -1;
	dir = openat(o->dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return dir < 0 || overlay_give(workspace, dir, "") < 0 ? -1 : scope_take_fd(&dir);
}

/* The box has the tree as a layer, which must not change below it: the first save moves it away. */
static int keep_first(const struct overlay *o, int workspace)
{
	if (faccessat(o->dir, OVERLAY_FIRST, F_OK, AT_SYMLINK_NOFOLLOW) < 0 &&
	    renameat(o->dir, OVERLAY_TREE, o->dir, OVERLAY_FIRST) < 0 && errno != ENOENT)
		return -1;
	return make_directory(o, OVERLAY_FIRST, workspace);
}

int overlay_restore_first(const struct overlay *o, int workspace, struct err *err)
{
	AUTO_CLOSE int first = keep_first(o, workspace);

	if (first < 0 || files_remove_tree(o->dir, NEXT) < 0)
		return err_errno(err, ERR_SYSTEM, "keeping the saved tree");
	AUTO_CLOSE int next = make_directory(o, NEXT, workspace);
	const struct copy c = {first, next, workspace};
	if (next < 0)
		return err_errno(err, ERR_SYSTEM, "copying the saved tree");
	if (copy_names(&c, "", err) < 0)
		return -1;
	if (files_remove_tree(o->dir, OVERLAY_GONE) < 0 ||
	    (renameat(o->dir, OVERLAY_TREE, o->dir, OVERLAY_GONE) < 0 && errno != ENOENT) ||
	    renameat(o->dir, NEXT, o->dir, OVERLAY_TREE) < 0 ||
	    files_remove_tree(o->dir, OVERLAY_GONE) < 0)
		return err_errno(err, ERR_SYSTEM, "replacing the saved tree");
	return 0;
}

int overlay_forget_first(const struct overlay *o)
{
	return files_remove_tree(o->dir, NEXT) < 0 ? -1 : files_remove_tree(o->dir, OVERLAY_FIRST);
}
