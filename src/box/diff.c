/* SPDX-License-Identifier: MIT
 *
 * Reads the upper directory of the overlay once all processes of the box are dead, and sends each change.
 * Hostile code wrote the directory: depth, count and names are bounded, links are never followed, and a
 * directory without permissions is made readable first (init still may do that). In an overlay a
 * character device 0:0 is a deletion, and an opaque directory replaces the one below it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "box/box.h"

struct walk {
	struct box *box;
	struct wire_change msg;
	size_t len; /* of the path in msg */
	unsigned changes, depth;
	bool cut; /* the list is incomplete */
};

static enum change_type type_of(mode_t mode)
{
	return S_ISREG(mode)   ? TYPE_FILE
	       : S_ISDIR(mode) ? TYPE_DIR
	       : S_ISLNK(mode) ? TYPE_LINK
			       : TYPE_OTHER;
}

static bool is_whiteout(const struct stat *st)
{
	return S_ISCHR(st->st_mode) && st->st_rdev == makedev(0, 0);
}

static bool is_opaque(int dir)
{
	char value[2];

	return fgetxattr(dir, "user.overlay.opaque", value, sizeof(value)) == 1 && value[0] == 'y';
}

static int tell(struct walk *w, enum change_kind change, const struct stat *st)
{
	struct wire_change *m = &w->msg;

	if (w->changes++ >=
	    CORDON_CHANGES_MAX + 1) /* one more than the maximum marks the list as cut */
		return -1;
	m->kind = WIRE_CHANGE;
	m->change = change;
	m->type = type_of(st->st_mode);
	m->mode = st->st_mode & 07777;
	m->size = S_ISREG(st->st_mode) ? (uint64_t)st->st_size : 0;
	m->path_len = (uint32_t)w->len;
	return io_send(w->box->ctl, m, offsetof(struct wire_change, path) + w->len, -1);
}

static int walk_dir(struct walk *w, int dir);

/* A directory that was copied up and kept its mode has not changed itself, only something in it. */
static bool is_touched(const struct stat *now, const struct stat *before)
{
	if ((now->st_mode & S_IFMT) != (before->st_mode & S_IFMT))
		return true;
	return !S_ISDIR(now->st_mode) || (now->st_mode & 07777) != (before->st_mode & 07777);
}

/* Does PATH exist in the saved tree? *RET_HIDES: the saved tree hides what the workspace has at PATH, or at a
 * directory above it. */
static bool was_saved(int saved, const char *path, struct stat *ret, bool *ret_hides)
{
	char part[CORDON_CHANGE_PATH_MAX + 1];

	*ret_hides = false;
	for (size_t len = 0;; len++) {
		len += strcspn(path + len, "/");
		memcpy(part, path, len);
		part[len] = '\0';
		if (fstatat(saved, part, ret, AT_SYMLINK_NOFOLLOW) < 0)
			return false;
		if (!S_ISDIR(ret->st_mode)) {
			*ret_hides = true;
			return !path[len] && !is_whiteout(ret);
		}
		if (!path[len])
			return true;
		AUTO_CLOSE int dir =
			openat(saved, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		*ret_hides = *ret_hides || (dir >= 0 && is_opaque(dir));
	}
}

/* Did PATH exist when the program started? */
static bool was_there(const struct box *b, const char *path, struct stat *ret)
{
	bool hides = false;

	if (b->saved >= 0 && was_saved(b->saved, path, ret, &hides))
		return true;
	return !hides && fstatat(b->lower, path, ret, AT_SYMLINK_NOFOLLOW) == 0;
}

static int tell_entry(struct walk *w, int upper, const char *name, const struct stat *st)
{
	struct stat before;
	w->msg.path[w->len] = '\0';
	bool existed = was_there(w->box, w->msg.path, &before);

	if (is_whiteout(st)) {
		before.st_mode = existed ? before.st_mode : S_IFREG;
		before.st_size = 0;
		return tell(w, CHANGE_DELETED, &before);
	}
	if (!S_ISDIR(st->st_mode))
		return tell(w, existed ? CHANGE_MODIFIED : CHANGE_CREATED, st);
	if ((st->st_mode & 0700) != 0700)
		(void)!fchmodat(upper, name, st->st_mode | 0700, 0);
	AUTO_CLOSE int dir = openat(upper, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0) {
		w->cut = true;
		return 0;
	}
	if (!existed || is_opaque(dir) || is_touched(st, &before)) {
		if (tell(w, existed ? CHANGE_MODIFIED : CHANGE_CREATED, st) < 0)
			return -1;
	}
	return walk_dir(w, scope_take_fd(&dir));
}

static int walk_entry(struct walk *w, int upper, const char *name)
{
	size_t old = w->len, len = strlen(name);
	struct stat st;

	if (old + len + 2 > sizeof(w->msg.path) ||
	    fstatat(upper, name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		w->cut = true;
		return 0;
	}
	if (old)
		w->msg.path[w->len++] = '/';
	memcpy(w->msg.path + w->len, name, len);
	w->len += len;
	/* A file without read permission could not be applied. */
	if (S_ISREG(st.st_mode) && !(st.st_mode & 0400))
		(void)!fchmodat(upper, name, st.st_mode | 0400, 0);
	int r = tell_entry(w, upper, name, &st);
	w->len = old;
	return r;
}

/* Closes DIR. It keeps one descriptor for each level, and the depth is bounded. What cannot be read marks the
 * list as cut. */
static int walk_dir(struct walk *w, int dir)
{
	AUTO_CLOSEDIR DIR *d = dir < 0 || w->depth >= CORDON_WALK_DEPTH_MAX ? NULL : fdopendir(dir);
	struct dirent *e = NULL;
	int r = 0;

	if (!d) {
		scope_close(&dir);
		w->cut = true;
		return 0;
	}
	w->depth++;
	while (r == 0 && (errno = 0, e = readdir(d)))
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			r = walk_entry(w, dirfd(d), e->d_name);
	w->cut = w->cut || (r == 0 && errno != 0);
	w->depth--;
	return r;
}

int diff_send(struct box *b)
{
	AUTO_FREE struct walk *w = calloc(1, sizeof(*w));

	if (!w)
		return -1;
	w->box = b;
	int top = openat(b->upper, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return walk_dir(w, top) < 0 || w->cut ? -1 : 0;
}
