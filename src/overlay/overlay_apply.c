/* SPDX-License-Identifier: MIT
 *
 * Writes chosen entries of the diff to the user's directory. A journal on disk lists them first. Each
 * entry is written beside its place and renamed over it, if the directory still has the state of the
 * diff. After a kill the next process continues. Applied entries leave the overlay. It must never
 * write through a link.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/scope.h"
#include "base/subpath.h"
#include "overlay/overlay_private.h"

enum { TEMPORARY = 64 };

struct apply {
	int tree, workspace;
	uint64_t token;
};

static int open_locked(int workspace, struct err *err)
{
	AUTO_CLOSE int lock = openat(workspace, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (lock < 0)
		return err_errno(err, ERR_INPUT, "opening the directory");
	if (flock(lock, LOCK_EX | LOCK_NB) < 0)
		return err_errno(err, ERR_CONFLICT, "another process writes to this directory");
	return scope_take_fd(&lock);
}

static bool is_below(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return strncmp(path, dir, len) == 0 && path[len] == '/';
}

/* A directory is deleted only with its entries, and created before them. HAS marks the chosen
 * entries of NOW. */
static int check_order(const struct overlay_diff *now, const bool *has, struct err *err)
{
	for (size_t i = 0; i < now->count; i++) {
		const struct overlay_entry *dir = &now->entry[i];
		bool was = dir->before.type == OVERLAY_DIR, is = dir->after.type == OVERLAY_DIR;
		for (size_t j = i + 1; was != is && j < now->count; j++) {
			const char *path = now->entry[j].path;
			if (strncmp(path, dir->path, strlen(dir->path)) != 0)
				break;
			if (is_below(path, dir->path) &&
			    (was ? has[i] && !has[j] : has[j] && !has[i]))
				return err_set(
					err, ERR_CONFLICT,
					"nothing was applied: %s cannot be applied without %s",
					was ? dir->path : path, was ? path : dir->path);
		}
	}
	return 0;
}

static int fail_moved(struct err *err, const char *const *moved, size_t count)
{
	err_set(err, ERR_CONFLICT,
		"nothing was applied: the directory or the overlay has changed since the diff");
	err_cause(err, "%.120s%s%.120s%s", moved[0], count > 1 ? ", " : "",
		  count > 1 ? moved[1] : "", count > 2 ? " and others" : "");
	err_cure(err, "review the diff again");
	return -1;
}

/* Each chosen entry must be unchanged in the diff NOW; CHOICE gets them. */
static int choose(const struct overlay_diff *d, const bool *chosen, const struct overlay_diff *now,
		  struct overlay_diff *choice, struct err *err)
{
	AUTO_FREE bool *has = calloc(now->count + 1, sizeof(*has));
	const char *moved[2] = {NULL, NULL};
	size_t count = 0;

	if (!has)
		return err_memory(err);
	for (size_t i = 0; i < d->count; i++) {
		const struct overlay_entry *e = &d->entry[i];
		if (!chosen[i])
			continue;
		const struct overlay_entry *same = overlay_list_find(now, e->path);
		if (!same || memcmp(&same->after, &e->after, sizeof(e->after)) != 0 ||
		    memcmp(&same->before, &e->before, sizeof(e->before)) != 0) {
			if (count++ < 2)
				moved[count - 1] = e->path;
			continue;
		}
		if (same->rule == OVERLAY_NEVER)
			return err_set(err, ERR_REFUSED, "nothing was applied: %s: %s", e->path,
				       same->note);
		has[same - now->entry] = true;
		struct overlay_entry *add = overlay_list_add(choice, e->path, err);
		if (!add)
			return -1;
		add->before = e->before;
		add->after = e->after;
	}
	overlay_list_sort(choice);
	return count ? fail_moved(err, moved, count) : check_order(now, has, err);
}

static int make_file(const struct apply *a, const struct overlay_entry *e, int parent,
		     const char *name)
{
	AUTO_CLOSE int from = subpath_open(a->tree, e->path, O_RDONLY | O_NONBLOCK);
	AUTO_CLOSE int to = openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	return from < 0 || to < 0 || overlay_copy(from, to, e->after.size) < 0 ||
			       overlay_give(parent, to, "") < 0 || fchmod(to, e->after.mode) < 0 ||
			       fsync(to) < 0
		       ? -1
		       : 0;
}

static int make_link(const struct apply *a, const struct overlay_entry *e, int parent,
		     const char *name)
{
	AUTO_CLOSE int at = subpath_open(a->tree, e->path, O_PATH | O_NOFOLLOW);
	char target[PATH_MAX];
	ssize_t len = at < 0 ? -1 : readlinkat(at, "", target, sizeof(target) - 1);

	if (len < 0)
		return -1;
	target[len] = '\0';
	return symlinkat(target, parent, name) < 0 ? -1 : overlay_give(parent, parent, name);
}

/* Keeps set-id and sticky bits, which belong to the user's file. */
static int set_mode(int at, const char *name, unsigned mode)
{
	AUTO_CLOSE int fd = openat(at, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -1;
	return fchmod(fd, mode | (S_ISDIR(st.st_mode) ? st.st_mode & 07000 : 0));
}

static int make_directory(const struct overlay_entry *e, int parent, const char *name)
{
	if (mkdirat(parent, name, 0700) < 0 || overlay_give(parent, parent, name) < 0)
		return -1;
	return set_mode(parent, name, e->after.mode);
}

static bool is_mode_only(const struct overlay_state *now, struct overlay_state after)
{
	after.mode = now->mode;
	return overlay_is_same(now, &after);
}

static int put(const struct apply *a, const struct overlay_entry *e,
	       const struct overlay_state *now, int parent, const char *name, const char *temporary)
{
	bool was_dir = now->type == OVERLAY_DIR, is_dir = e->after.type == OVERLAY_DIR;

	if (e->after.type == OVERLAY_ABSENT)
		return unlinkat(parent, name, was_dir ? AT_REMOVEDIR : 0);
	if (is_mode_only(now, e->after))
		return set_mode(parent, name, e->after.mode);
	int r = is_dir				? make_directory(e, parent, temporary)
		: e->after.type == OVERLAY_FILE ? make_file(a, e, parent, temporary)
						: make_link(a, e, parent, temporary);
	/* rename(2) cannot replace a directory with a file, or a file with a directory. */
	if (r == 0 && was_dir != is_dir && now->type != OVERLAY_ABSENT)
		r = unlinkat(parent, name, was_dir ? AT_REMOVEDIR : 0);
	return r < 0 ? -1 : renameat(parent, temporary, parent, name);
}

/* Applies the entry unless that is done. A path with any other state is left alone. */
static int apply_entry(const struct apply *a, const struct overlay_entry *e, size_t number,
		       struct err *err)
{
	const char *name;
	char temporary[TEMPORARY];
	AUTO_CLOSE int parent = subpath_open_parent(a->workspace, e->path, &name);
	struct overlay_state now, saved;

	int no_parent = errno;
	snprintf(temporary, sizeof(temporary), ".cordon-apply-%016llx-%zu",
		 (unsigned long long)a->token, number);
	if (parent >= 0 && files_remove_tree(parent, temporary) < 0)
		return err_errno(err, ERR_INPUT, "%s", e->path);
	if (overlay_look(a->workspace, e->path, NULL, &now, err) < 0)
		return -1;
	if (overlay_is_same(&now, &e->after))
		return 0;
	errno = no_parent;
	if (parent < 0)
		return err_errno(err, ERR_INPUT, "%s", e->path);
	/* The process was killed between removing a directory and replacing it, or the reverse. */
	bool halfway = now.type == OVERLAY_ABSENT &&
		       (e->before.type == OVERLAY_DIR) != (e->after.type == OVERLAY_DIR);
	if (!halfway && !overlay_is_same(&now, &e->before))
		return err_set(err, ERR_CONFLICT, "%s has changed meanwhile", e->path);
	if (overlay_look(a->tree, e->path, NULL, &saved, err) < 0)
		return -1;
	if (!overlay_is_same(&saved, &e->after))
		return err_set(err, ERR_CONFLICT, "%s is no longer in the overlay", e->path);
	if (put(a, e, &now, parent, name, temporary) == 0)
		return 0;
	err_errno(err, ERR_INPUT, "%s", e->path);
	files_remove_tree(parent, temporary);
	return -1;
}

/* Entries of the tree that are not in the diff equal the directory. They leave the tree at once: a
 * half removed directory that hides another would delete files. */
static int drop_same(const struct overlay *o, int tree, const char *path,
		     const struct overlay_diff *diff, struct err *err)
{
	AUTO_DIR_ENTRIES struct dir_entries names = {0};
	enum overlay_kind kind;

	if (overlay_names(tree, path, &names, err) < 0)
		return -1;
	for (size_t i = 0; i < names.count; i++) {
		AUTO_FREE char *below = overlay_join(path, names.name[i], err);
		const char *name;
		if (!below || overlay_kind(tree, below, &kind, err) < 0)
			return -1;
		AUTO_CLOSE int parent = subpath_open_parent(tree, below, &name);
		if (!overlay_list_reaches(diff, below)) {
			if (parent < 0 || renameat(parent, name, o->dir, OVERLAY_GONE) < 0 ||
			    files_remove_tree(o->dir, OVERLAY_GONE) < 0)
				return err_errno(err, ERR_SYSTEM, "dropping %s", below);
		} else if (kind == KIND_DIR && drop_same(o, tree, below, diff, err) < 0) {
			return -1;
		}
	}
	return 0;
}

static int settle(const struct overlay *o, const struct apply *a, struct err *err)
{
	AUTO_DIFF struct overlay_diff now = {0};

	if (overlay_diff(o, a->workspace, &now, err) < 0 ||
	    (a->tree >= 0 && drop_same(o, a->tree, "", &now, err) < 0))
		return -1;
	if (now.count == 0 && unlinkat(o->dir, OVERLAY_TREE, AT_REMOVEDIR) == 0)
		unlinkat(o->dir, OVERLAY_BASE, 0);
	if (unlinkat(o->dir, OVERLAY_JOURNAL, 0) < 0)
		return err_errno(err, ERR_SYSTEM, "removing the overlay's journal");
	return 0;
}

/* Deletes entries before their directory, and creates a directory before its entries. */
static int roll(const struct overlay *o, int workspace, const struct overlay_diff *journal,
		uint64_t token, struct err *err)
{
	AUTO_CLOSE int tree = overlay_open_tree(o);
	const struct apply a = {tree, workspace, token};
	struct err first = {0}, why;
	size_t failed = 0, n = journal->count;

	if (tree < 0 && errno != ENOENT)
		return err_errno(err, ERR_SYSTEM, "opening the saved tree");
	for (size_t i = 0; i < 2 * n; i++) {
		size_t number = i < n ? n - 1 - i : i - n;
		const struct overlay_entry *e = &journal->entry[number];
		if ((e->after.type == OVERLAY_ABSENT) != (i < n))
			continue;
		if (apply_entry(&a, e, number, &why) < 0 && failed++ == 0)
			first = why;
	}
	/* Entries must be on disk before they leave the overlay. */
	if (syncfs(workspace) < 0)
		return err_errno(err, ERR_SYSTEM, "writing the directory to the disk");
	if (settle(o, &a, err) < 0)
		return -1;
	if (!failed)
		return 0;
	*err = first;
	err_context(err, "%zu of %zu changes were not applied", failed, n);
	err_cure(err, "review the diff again");
	return -1;
}

int overlay_roll_forward(const struct overlay *o, int workspace, struct err *err)
{
	AUTO_DIFF struct overlay_diff journal = {0};
	uint64_t token = 0;
	bool has_begun;

	if (overlay_list_read(o->dir, OVERLAY_JOURNAL, &journal, &token, &has_begun, err) < 0)
		return -1;
	if (!has_begun)
		return 0;
	AUTO_CLOSE int lock = open_locked(workspace, err);
	return lock < 0 ? -1 : roll(o, workspace, &journal, token, err);
}

int overlay_apply(struct overlay *o, int workspace, const struct overlay_diff *d,
		  const bool *chosen, struct err *err)
{
	AUTO_DIFF struct overlay_diff now = {0};
	AUTO_DIFF struct overlay_diff choice = {0};
	AUTO_CLOSE int lock = open_locked(workspace, err);
	uint64_t token;

	if (lock < 0)
		return -1;
	if (overlay_diff(o, workspace, &now, err) < 0 || choose(d, chosen, &now, &choice, err) < 0)
		return -1;
	if (getrandom(&token, sizeof(token), 0) != sizeof(token))
		return err_errno(err, ERR_SYSTEM, "choosing a name");
	if (overlay_list_write(o->dir, OVERLAY_JOURNAL, &choice, token, err) < 0)
		return -1;
	return roll(o, workspace, &choice, token, err);
}
