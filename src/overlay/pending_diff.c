/* SPDX-License-Identifier: MIT
 *
 * Makes the pending diff: the state of each path in the overlay, and in the directory now.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/subpath.h"
#include "overlay/overlay_private.h"
#include "overlay/protected.h"

struct differ {
	int tree, workspace;
	struct overlay_diff base, *out;
};

/* ".." is allowed only at the beginning of a target and not above the directory: a later ".." could follow
 * another link. */
static bool leads_out(int tree, const char *path)
{
	const char *name;
	char target[PATH_MAX];
	AUTO_CLOSE int parent = subpath_open_parent(tree, path, &name);
	ssize_t len = parent < 0 ? -1 : readlinkat(parent, name, target, sizeof(target) - 1);
	unsigned up = 0, depth = 0;
	bool down = false;

	if (len <= 0 || target[0] == '/')
		return true;
	target[len] = '\0';
	for (const char *p = path; (p = strchr(p, '/')); p++)
		depth++;
	for (const char *p = target; *p; p += strcspn(p, "/"), p += strspn(p, "/")) {
		size_t part = strcspn(p, "/");
		if (part == 2 && p[0] == '.' && p[1] == '.') {
			if (down || ++up > depth)
				return true;
		} else if (part != 1 || p[0] != '.') {
			down = true;
		}
	}
	return false;
}

static void judge(const struct differ *d, struct overlay_entry *e)
{
	e->rule = OVERLAY_NEVER;
	if (e->before.type == OVERLAY_OTHER || e->after.type == OVERLAY_OTHER) {
		e->note = "no file, directory or link, or it cannot be read";
	} else if (e->after.type == OVERLAY_LINK && leads_out(d->tree, e->path)) {
		e->note = "symbolic link that leads out of the directory";
	} else if (protected_path(d->workspace, e->path) ||
		   (e->after.type == OVERLAY_LINK && protected_is_in_git(e->path))) {
		e->rule = OVERLAY_NAMED;
		e->note = "would be run or obeyed outside the box";
	} else {
		e->rule = OVERLAY_FREE;
	}
}

static enum overlay_change change_of(const struct overlay_state *before,
				     const struct overlay_state *after)
{
	struct overlay_state same = *after;

	if (before->type == OVERLAY_ABSENT)
		return OVERLAY_CREATED;
	if (after->type == OVERLAY_ABSENT)
		return OVERLAY_DELETED;
	same.mode = before->mode;
	return overlay_is_same(before, &same) ? OVERLAY_MODE : OVERLAY_MODIFIED;
}

/* *RET_BEFORE is the state in the directory. */
static int add(struct differ *d, const char *path, const struct overlay_state *after,
	       enum overlay_type *ret_before, struct err *err)
{
	static const struct overlay_state absent;
	const struct overlay_entry *base = overlay_list_find(&d->base, path);
	struct overlay_state before;

	if (overlay_look(d->workspace, path, NULL, &before, err) < 0)
		return -1;
	*ret_before = before.type;
	if (overlay_is_same(&before, after))
		return 0;
	struct overlay_entry *e = overlay_list_add(d->out, path, err);
	if (!e)
		return -1;
	e->before = before;
	e->after = *after;
	e->change = change_of(&before, after);
	e->moved = !overlay_is_same(&before, base ? &base->before : &absent);
	judge(d, e);
	return 0;
}

/* Adds the entries below PATH that the directory has and the tree has not. */
static int add_deleted(struct differ *d, const char *path, struct err *err)
{
	static const struct overlay_state absent;
	AUTO_DIR_ENTRIES struct dir_entries names = {0};
	enum overlay_type before;
	enum overlay_kind kind;

	if (overlay_names(d->workspace, path, &names, err) < 0)
		return -1;
	for (size_t i = 0; i < names.count; i++) {
		AUTO_FREE char *below = overlay_join(path, names.name[i], err);
		if (!below || overlay_kind(d->tree, below, &kind, err) < 0)
			return -1;
		if (kind != KIND_NONE)
			continue;
		if (add(d, below, &absent, &before, err) < 0 ||
		    (before == OVERLAY_DIR && add_deleted(d, below, err) < 0))
			return -1;
	}
	return 0;
}

/* HIDES: the directory at PATH hides that of the user. */
static int add_names(struct differ *d, const char *path, bool hides, struct err *err)
{
	AUTO_DIR_ENTRIES struct dir_entries names = {0};
	struct overlay_state after;
	enum overlay_type before;
	enum overlay_kind kind;

	if (overlay_names(d->tree, path, &names, err) < 0)
		return -1;
	for (size_t i = 0; i < names.count; i++) {
		AUTO_FREE char *below = overlay_join(path, names.name[i], err);
		if (!below || overlay_kind(d->tree, below, &kind, err) < 0 ||
		    overlay_look(d->tree, below, NULL, &after, err) < 0 ||
		    add(d, below, &after, &before, err) < 0)
			return -1;
		bool replaces = hides || kind != KIND_DIR || before != OVERLAY_DIR;
		if (after.type == OVERLAY_DIR && add_names(d, below, replaces, err) < 0)
			return -1;
		if (before == OVERLAY_DIR && replaces && add_deleted(d, below, err) < 0)
			return -1;
	}
	return 0;
}

int overlay_diff(const struct overlay *o, int workspace, struct overlay_diff *ret, struct err *err)
{
	AUTO_CLOSE int tree = overlay_open_tree(o);
	struct differ d = {.tree = tree, .workspace = workspace, .out = ret};

	if (tree < 0)
		return errno == ENOENT ? 0 : err_errno(err, ERR_SYSTEM, "opening the saved tree");
	int r = overlay_base(o, tree, &d.base, err) < 0 ? -1 : add_names(&d, "", false, err);
	overlay_diff_done(&d.base);
	overlay_list_sort(ret);
	return r;
}
