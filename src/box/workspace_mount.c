/* SPDX-License-Identifier: MIT
 *
 * The user's directory in the box: read-only, read-write, or under an overlay whose upper
 * directory is in the box's scratch space, so that changes reach the directory only when they
 * are applied later. It has the path that it has on the host. The layers of the overlay have
 * short relative paths, because /proc/mounts in the box must not show other paths of the host.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"
#include "box/box.h"
#include "box/sys.h"

static int fail(struct err *err, const char *what)
{
	diagnose_failed(err, LAYER_NEWROOT, what);
	err_context(err, "workspace");
	return -1;
}

/* The working directory is the scratch space, so that the layers have short names. ROOT: the new root. */
static int mount_overlay(const struct box *b, const char *root, bool has_saved, struct err *err)
{
	unsigned long flags = MS_NOSUID | MS_NODEV | (box_is_dev(b) ? 0 : MS_NOEXEC);
	char target[2 * PATH_MAX];

	snprintf(target, sizeof(target), "%s%s", root, b->spec->workspace_path);
	if (mount("overlay", target, "overlay", flags,
		  has_saved ? "lowerdir=saved:lower,upperdir=upper,workdir=work,userxattr"
			    : "lowerdir=lower,upperdir=upper,workdir=work,userxattr") == 0)
		return 0;
	bool is_inside = errno == ELOOP;
	fail(err, "mounting the overlay");
	if (is_inside) {
		err_cause(err, "the workspace contains Cordon's state directory, where the changes "
			       "are saved");
		err_cure(err, "use another state directory, or another workspace");
	} else {
		err_cause(err, "the kernel refuses an overlay on this directory's file system");
		err_cure(err, "use another directory, or :ro or :rw");
	}
	return -1;
}

/* Attaches TREE as a layer, and opens it. */
static int make_layer(const char *name, int tree)
{
	if (mkdir(name, 0755) < 0 ||
	    move_mount(tree, "", AT_FDCWD, name, MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return -1;
	return open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Kernels before 6.15 accept only attached mounts as layers, so the lower ones are attached too. */
static int overlay(struct box *b, int source, int saved, int scratch, struct err *err)
{
	char root[PATH_MAX];
	struct stat st;

	if (!getcwd(root, sizeof(root)) || fchdir(scratch) < 0 || mkdir("upper", 0755) < 0 ||
	    mkdir("work", 0755) < 0)
		return fail(err, "preparing the overlay");
	b->lower = make_layer("lower", source);
	b->saved = saved < 0 ? -1 : make_layer("saved", saved);
	b->upper = open("upper", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* The overlay's top directory takes its mode from the upper one. */
	if (b->lower < 0 || b->upper < 0 || (saved >= 0 && b->saved < 0) ||
	    fstat(b->lower, &st) < 0 || fchmod(b->upper, st.st_mode & 0777) < 0)
		return fail(err, "preparing the overlay");
	int r = mount_overlay(b, root, saved >= 0, err);
	if (chdir(root) < 0)
		return fail(err, root);
	return r;
}

int workspace_mount(struct box *b, int source, int saved, int scratch, struct err *err)
{
	if (b->spec->workspace == WORKSPACE_OVERLAY)
		return overlay(b, source, saved, scratch, err);
	if (move_mount(source, "", AT_FDCWD, b->spec->workspace_path + 1, MOVE_MOUNT_F_EMPTY_PATH) <
	    0)
		return fail(err, "mounting the directory");
	return 0;
}

static int refuse_map(struct err *err)
{
	fail(err, "mapping its owner to the box");
	err_cause(err, "the box has other ids, and the file system has no id-mapped mounts");
	err_cure(err, "give the directory to an ordinary user, or run as that user");
	return -1;
}

static int map_owner(const struct box *b, int fd, int tree, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return fail(err, "reading its owner");
	AUTO_CLOSE int map = ids_open_map(b, st.st_uid, st.st_gid, err);
	if (map < 0)
		return -1;
	struct mount_attr attr = {.attr_set = MOUNT_ATTR_IDMAP, .userns_fd = (unsigned)map};
	if (mount_setattr(tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof(attr)) < 0)
		return refuse_map(err);
	return 0;
}

int workspace_map_root(const struct box *b, int tree, struct err *err)
{
	struct stat st;

	if (fstat(tree, &st) < 0)
		return fail(err, "reading its owner");
	return st.st_uid == 0 || st.st_gid == 0 ? map_owner(b, tree, tree, err) : 0;
}

int workspace_map_writable(const struct box *b, int tree, struct err *err)
{
	struct stat st;

	if (fstat(tree, &st) < 0)
		return fail(err, "reading its owner");
	if (st.st_uid == 0 || st.st_gid == 0)
		return err_set(err, ERR_REFUSED, "a directory of root's cannot be read-write");
	return st.st_uid == b->outer_uid && st.st_gid == b->outer_gid
		       ? 0
		       : map_owner(b, tree, tree, err);
}

/* Files that the program makes there, programs included, would belong to root. */
static int refuse_root(struct err *err)
{
	err_set(err, ERR_REFUSED,
		"workspace: a directory of root or of root's group cannot be read-write");
	err_cause(err, "files that the program makes would belong to root");
	err_cure(err, "use :overlay with --apply, or a directory of an ordinary user");
	return -1;
}

/* By descriptor, because the box's user may not be able to reach the path. Files of the saved
 * tree have the ids of the workspace's owner. */
static int clone_given(const struct box *b, int fd, int *ret, struct err *err)
{
	AUTO_CLOSE int tree = open_tree(
		fd, "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);

	if (tree < 0)
		return fail(err, "opening the directory");
	if (b->idmap_workspace && map_owner(b, WORKSPACE_FD, tree, err) < 0)
		return -1;
	*ret = scope_take_fd(&tree);
	return 0;
}

int workspace_clone(struct box *b, struct err *err)
{
	if (!b->privileged || b->spec->workspace == WORKSPACE_NONE)
		return 0;
	if (b->idmap_workspace && b->spec->workspace == WORKSPACE_RW)
		return refuse_root(err);
	if (clone_given(b, WORKSPACE_FD, &b->cloned_workspace, err) < 0)
		return -1;
	return b->spec->saved_path ? clone_given(b, SAVED_FD, &b->cloned_saved, err) : 0;
}
