/* SPDX-License-Identifier: MIT
 *
 * Reads the saved tree, a run's upper directory and the user's directory. Programs chose the names,
 * links and modes in the first two, so each path is opened beneath its root and never through a link.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/subpath.h"
#include "overlay/overlay_private.h"

#define OPAQUE "user.overlay.opaque"

int overlay_open_tree(const struct overlay *o)
{
	return openat(o->dir, OVERLAY_TREE, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static bool is_nothing(int error)
{
	return error == ENOENT || error == ENOTDIR || error == ELOOP;
}

static bool is_whiteout(unsigned mode, dev_t dev)
{
	return S_ISCHR(mode) && dev == makedev(0, 0);
}

int overlay_make_opaque(int dir)
{
	return fsetxattr(dir, OPAQUE, "y", 1, 0);
}

int overlay_kind(int root, const char *path, enum overlay_kind *ret, struct err *err)
{
	AUTO_CLOSE int at = subpath_open(root, path, O_PATH | O_NOFOLLOW);
	struct stat st;
	char value[2];

	*ret = KIND_NONE;
	if (at < 0 && is_nothing(errno))
		return 0;
	if (at < 0 || fstat(at, &st) < 0)
		return err_errno(err, ERR_SYSTEM, "%s", path);
	if (!S_ISDIR(st.st_mode)) {
		*ret = is_whiteout(st.st_mode, st.st_rdev) ? KIND_WHITEOUT : KIND_LEAF;
		return 0;
	}
	AUTO_CLOSE int dir = openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return err_errno(err, ERR_SYSTEM, "%s", path);
	bool opaque = fgetxattr(dir, OPAQUE, value, sizeof(value)) == 1 && value[0] == 'y';
	*ret = opaque ? KIND_OPAQUE : KIND_DIR;
	return 0;
}

int overlay_names(int root, const char *path, struct dir_entries *ret, struct err *err)
{
	AUTO_CLOSE int fd = subpath_open(root, *path ? path : ".", O_RDONLY | O_DIRECTORY);

	if (fd < 0 && is_nothing(errno))
		return 0;
	AUTO_CLOSEDIR DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir)
		return err_errno(err, ERR_INPUT, "reading the directory %s", path);
	scope_take_fd(&fd);
	if (dir_entries_read(dir, OVERLAY_ENTRIES_MAX, ret) == 0)
		return 0;
	if (errno == E2BIG)
		return err_set(err, ERR_LIMIT, "%s has more than %u entries", path,
			       OVERLAY_ENTRIES_MAX);
	return err_errno(err, ERR_INPUT, "reading the directory %s", path);
}

char *overlay_join(const char *dir, const char *name, struct err *err)
{
	char *path = NULL;

	if (strlen(dir) + 1 + strlen(name) > CORDON_CHANGE_PATH_MAX) {
		err_set(err, ERR_LIMIT, "a path below %.64s is longer than %d bytes", dir,
			CORDON_CHANGE_PATH_MAX);
		return NULL;
	}
	if (asprintf(&path, "%s%s%s", dir, *dir ? "/" : "", name) < 0) {
		err_memory(err);
		return NULL;
	}
	return path;
}

static int hash_file(int fd, struct overlay_state *ret)
{
	struct digest d;
	char bytes[1 << 16];
	ssize_t n;

	digest_init(&d);
	while ((n = read(fd, bytes, sizeof(bytes))) > 0) {
		digest_add(&d, bytes, (size_t)n);
		ret->size += (uint64_t)n;
	}
	digest_end(&d, ret->sha256);
	return (int)n;
}

static int look_at_file(int root, const char *path, struct overlay_state *ret, struct err *err)
{
	AUTO_CLOSE int fd = subpath_open(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 && (errno == EACCES || errno == EPERM))
		return 0;
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, ERR_INPUT, "reading %s", path);
	if (!S_ISREG(st.st_mode)) /* it was replaced meanwhile */
		return 0;
	ret->type = OVERLAY_FILE;
	ret->mode = st.st_mode & 0777;
	return hash_file(fd, ret) < 0 ? err_errno(err, ERR_INPUT, "reading %s", path) : 0;
}

static int look_at_link(int at, const char *path, struct overlay_state *ret, struct err *err)
{
	char target[PATH_MAX];
	ssize_t len = readlinkat(at, "", target, sizeof(target));

	if (len < 0)
		return err_errno(err, ERR_INPUT, "reading %s", path);
	ret->type = OVERLAY_LINK;
	ret->size = (uint64_t)len;
	digest_of(ret->sha256, target, (size_t)len);
	return 0;
}

static bool is_later(const struct stat *st, const struct timespec *since)
{
	return since && !S_ISDIR(st->st_mode) &&
	       (st->st_ctim.tv_sec > since->tv_sec ||
		(st->st_ctim.tv_sec == since->tv_sec && st->st_ctim.tv_nsec > since->tv_nsec));
}

int overlay_look(int root, const char *path, const struct timespec *since,
		 struct overlay_state *ret, struct err *err)
{
	AUTO_CLOSE int at = subpath_open(root, path, O_PATH | O_NOFOLLOW);
	struct stat st;

	*ret = (struct overlay_state){0};
	if (at < 0 && is_nothing(errno))
		return 0;
	if (at < 0 && errno != EACCES)
		return err_errno(err, ERR_INPUT, "reading the attributes of %s", path);
	ret->type = OVERLAY_OTHER;
	if (at < 0)
		return 0;
	if (fstat(at, &st) < 0)
		return err_errno(err, ERR_INPUT, "reading the attributes of %s", path);
	if (is_whiteout(st.st_mode, st.st_rdev)) {
		ret->type = OVERLAY_ABSENT;
	} else if (S_ISDIR(st.st_mode)) {
		ret->type = OVERLAY_DIR;
		ret->mode = (st.st_mode & 0777) | 0700;
	} else if (is_later(&st, since)) {
		return 0;
	} else if (S_ISREG(st.st_mode)) {
		return look_at_file(root, path, ret, err);
	} else if (S_ISLNK(st.st_mode)) {
		return look_at_link(at, path, ret, err);
	}
	return 0;
}

bool overlay_is_same(const struct overlay_state *a, const struct overlay_state *b)
{
	return a->type == b->type && a->type != OVERLAY_OTHER && a->mode == b->mode &&
	       a->size == b->size && memcmp(a->sha256, b->sha256, sizeof(a->sha256)) == 0;
}

int overlay_copy(int from, int to, uint64_t size)
{
	ssize_t n = 1;

	while (size && n > 0) {
		n = sendfile(to, from, NULL, size < 1U << 20 ? size : 1U << 20);
		size -= n > 0 ? (uint64_t)n : 0;
	}
	return n < 0 ? -1 : 0;
}

int overlay_give(int dir, int at, const char *name)
{
	struct stat st;

	if (geteuid() != 0)
		return 0;
	return fstat(dir, &st) < 0 ? -1
				   : fchownat(at, name, st.st_uid, st.st_gid,
					      AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW);
}
