/* SPDX-License-Identifier: MIT
 *
 * Masks. If a directory of the host shows Cordon's own directories and files, each is covered with an empty,
 * read-only one. In a directory that is written to directly, the paths that the user's own tools execute or
 * read as configuration are read-only. Each directory above such a path, up to the workspace or the writable
 * directory, becomes a mount of its own: a program cannot rename or remove a mount point, so it cannot put
 * another directory there.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/scope.h"
#include "box/box.h"

#define EMPTY_DIRECTORY "cordon/masked"
#define EMPTY_FILE "cordon/masked-file"

/* PATH below DIR, or NULL. PATH is relative to the new root. */
static const char *below(const char *path, const char *dir)
{
	size_t len = strlen(++dir);

	return strncmp(path, dir, len) == 0 && path[len] == '/' ? path + len + 1 : NULL;
}

static const char *below_workspace(const struct box *b, const char *path)
{
	return b->spec->workspace == WORKSPACE_NONE ? NULL : below(path, b->spec->workspace_path);
}

/* PATH below the workspace or a writable directory: where a program could rename what is above it. */
static const char *below_given(const struct box *b, const char *path)
{
	const char *rest = below_workspace(b, path);

	for (size_t i = 0; i < b->spec->bindc && !rest; i++)
		if (b->spec->bind[i].flags & BIND_WRITABLE)
			rest = below(path, b->spec->bind[i].target);
	return rest;
}

static int fail(struct err *err, const char *what)
{
	diagnose_failed(err, LAYER_NEWROOT, what);
	err_context(err, "masking Cordon's own files");
	return -1;
}

/* Follows no link: the workspace may change meanwhile. */
static int open_below(int dir, const char *path)
{
	struct open_how how = {.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
			       .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS};

	return (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
}

static int mount_over(int tree, int place)
{
	return move_mount(tree, "", place, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
}

/* Makes a directory a mount point, unless it is one. */
static int pin(int dir)
{
	struct statx st;

	if (statx(dir, "", AT_EMPTY_PATH, 0, &st) == 0 && st.stx_attributes & STATX_ATTR_MOUNT_ROOT)
		return 0;
	AUTO_CLOSE int tree = open_tree(
		dir, "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
	return tree < 0 ? -1 : mount_over(tree, dir);
}

/* Makes a path read-only; it stays readable. */
static int freeze(int place)
{
	struct mount_attr attr = {.attr_set = MOUNT_ATTR_RDONLY};
	AUTO_CLOSE int tree = open_tree(
		place, "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);

	if (tree < 0 ||
	    mount_setattr(tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof(attr)) < 0)
		return -1;
	return mount_over(tree, place);
}

static int cover(int place)
{
	struct mount_attr attr = {.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID |
					      MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC};
	struct stat st;

	if (fstat(place, &st) < 0)
		return -1;
	AUTO_CLOSE int tree =
		open_tree(AT_FDCWD, S_ISDIR(st.st_mode) ? EMPTY_DIRECTORY : EMPTY_FILE,
			  OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (tree < 0 || mount_setattr(tree, "", AT_EMPTY_PATH, &attr, sizeof(attr)) < 0)
		return -1;
	return mount_over(tree, place);
}

/* An overlay has inode numbers of its own, so its lower directory is checked. */
static bool is_same_path(const struct box *b, const char *path, int place,
			 const struct spec_identity *m)
{
	const char *rest = below_workspace(b, path);
	bool in_overlay = b->spec->workspace == WORKSPACE_OVERLAY && rest;
	AUTO_CLOSE int lower = in_overlay ? open_below(b->lower, rest) : -1;

	return same_file(in_overlay ? lower : place, m);
}

/* Init has all rights over files of the box's user. A path that init cannot reach (EACCES) the program cannot
 * reach either, and needs no mask. */
static int mask(const struct box *b, const struct spec_mask *m, struct err *err)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s", m->path + 1);
	const char *rest = below_given(b, path);
	char *slash = rest ? strchr(path + (rest - path), '/') : NULL;
	for (; slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		AUTO_CLOSE int dir = open_below(AT_FDCWD, path);
		if (dir < 0 && errno == EACCES)
			return 0;
		if (dir < 0 || pin(dir) < 0)
			return fail(err, path);
		*slash = '/';
	}
	AUTO_CLOSE int place = open_below(AT_FDCWD, path);
	if (place < 0 && errno == EACCES)
		return 0;
	if (place < 0)
		return fail(err, path);
	if (!is_same_path(b, path, place, &m->identity))
		return err_replaced(err, path);
	return (m->frozen ? freeze(place) : cover(place)) < 0 ? fail(err, path) : 0;
}

/* What runs is what was scanned, whatever is in the directory by now. */
int payload_mount(const struct box *b, struct err *err)
{
	struct mount_attr attr = {.attr_set =
					  MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV};
	const char *path = b->spec->payload_target;

	if (!box_runs_in_place(b))
		return 0;
	if (!box_is_dev(b))
		attr.attr_set |= MOUNT_ATTR_NOEXEC;
	AUTO_CLOSE int place = open_below(AT_FDCWD, path + 1);
	if (place < 0) {
		err_errno(err, ERR_INPUT, "%s", path);
		err_cause(
			err,
			"the file was removed or replaced, in the directory or by pending changes");
		err_cure(err, "cordon diff shows pending changes; cordon apply or cordon reset "
			      "ends them");
		return -1;
	}
	AUTO_CLOSE int tree =
		open_tree(AT_FDCWD, &(PAYLOAD_IN_PLACE)[1], OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (tree < 0 || mount_setattr(tree, "", AT_EMPTY_PATH, &attr, sizeof(attr)) < 0 ||
	    mount_over(tree, place) < 0)
		return fail(err, path);
	return 0;
}

int masks_mount(const struct box *b, struct err *err)
{
	const struct spec *s = b->spec;

	if (!s->maskc)
		return 0;
	if ((mkdir("cordon", 0755) < 0 && errno != EEXIST) || mkdir(EMPTY_DIRECTORY, 0555) < 0 ||
	    mknod(EMPTY_FILE, S_IFREG | 0444, 0) < 0)
		return fail(err, EMPTY_DIRECTORY);
	for (size_t i = 0; i < s->maskc; i++)
		if (mask(b, &s->mask[i], err) < 0)
			return -1;
	return 0;
}
