/* SPDX-License-Identifier: MIT
 *
 * Commit. The upper directory was written by hostile code: names, links and modes in it are not
 * trusted. Every parent in the user's directory is opened beneath it without following a link;
 * a file is written beside its place and renamed over it, so a reader sees the old or the new one.
 * Symbolic links, devices, sockets and set-id bits never come through, nor do paths that would
 * make the user's own tools run code later.
 */
#include "flow/commit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/files.h"
#include "base/scope.h"
#include "overlay/protected.h"

/* Is it one of Cordon's own paths, in one, or a directory above one? The box masks them, but what it tells is
 * not trusted for that. */
static bool is_own(const struct spec *spec, const struct change *c)
{
	static const char top[] = "/workspace/";
	size_t len = strlen(c->path);

	for (size_t i = 0; i < spec->maskc; i++) {
		if (strncmp(spec->mask[i].path, top, sizeof(top) - 1) != 0)
			continue;
		const char *own = spec->mask[i].path + sizeof(top) - 1;
		size_t common = strlen(own) < len ? strlen(own) : len;
		if (strncmp(own, c->path, common) == 0 && (!own[common] || own[common] == '/') &&
		    (!c->path[common] || c->path[common] == '/'))
			return true;
	}
	return false;
}

/* True if the change removes a directory with a repository in it. */
static bool removes_repository(int workspace, const struct change *c)
{
	if (c->change != CHANGE_DELETED && c->type == TYPE_DIR && !c->opaque)
		return false;
	return protected_holds_repository(workspace, c->path);
}

static const char *refusal(int workspace, const struct spec *spec, const struct change *c)
{
	if (!beneath_is_clean(c->path, c->path_len))
		return "odd path";
	if (is_own(spec, c))
		return "Cordon's own";
	if (protected_path(workspace, c->path))
		return "would be run or obeyed outside the box";
	if (removes_repository(workspace, c))
		return "it holds a repository, whose history would be lost";
	if (c->change == CHANGE_DELETED)
		return NULL;
	if (c->type == TYPE_LINK)
		return "symbolic link";
	if (c->type == TYPE_OTHER)
		return "not a file or directory";
	return NULL;
}

static int copy_data(int from, int to)
{
	ssize_t n;

	while ((n = sendfile(to, from, NULL, 1 << 20)) > 0)
		;
	return (int)n;
}

/* As root: what the box wrote belongs to whoever owns the directory. */
static int give_to_owner(int dir, int file)
{
	struct stat st;

	if (geteuid() != 0)
		return 0;
	return fstat(dir, &st) < 0 ? -1 : fchown(file, st.st_uid, st.st_gid);
}

static int choose_name(char *name, size_t size)
{
	uint64_t random;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return -1;
	snprintf(name, size, ".cordon-commit-%016llx", (unsigned long long)random);
	return 0;
}

static int write_file(int upper, const struct change *c, int parent, const char *name)
{
	AUTO_CLOSE int from = beneath_open(upper, c->path, O_RDONLY | O_NONBLOCK);
	AUTO_CLOSE int dir = openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;
	char temp[48];

	if (from < 0 || dir < 0 || fstat(from, &st) < 0 || !S_ISREG(st.st_mode))
		return -1;
	if (choose_name(temp, sizeof(temp)) < 0)
		return -1;
	AUTO_CLOSE int to =
		openat(dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (to < 0)
		return -1;
	if (copy_data(from, to) < 0 || give_to_owner(dir, to) < 0 ||
	    fchmod(to, c->mode & 0777) < 0 || fsync(to) < 0 || renameat(dir, temp, dir, name) < 0) {
		int saved = errno;
		unlinkat(dir, temp, 0);
		errno = saved;
		return -1;
	}
	return 0;
}

static int make_directory(int parent, const char *name, const struct change *c)
{
	struct stat st;

	if (c->opaque && files_remove_tree(parent, name) < 0)
		return -1;
	if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(st.st_mode) &&
	    unlinkat(parent, name, 0) < 0)
		return -1;
	bool made = mkdirat(parent, name, 0700) == 0;
	if (!made && errno != EEXIST)
		return -1;
	AUTO_CLOSE int dir = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0 || (made && give_to_owner(parent, dir) < 0))
		return -1;
	/* Open to us until everything in it is written; settle_modes closes it. */
	return fchmod(dir, 0700 | (c->mode & 0777));
}

static int apply(int upper, int root, const struct change *c)
{
	const char *name;
	AUTO_CLOSE int path = beneath_open_parent(root, c->path, &name);
	AUTO_CLOSE int parent =
		path < 0 ? -1 : openat(path, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	if (parent < 0)
		return -1;
	if (c->change == CHANGE_DELETED)
		return files_remove_tree(parent, name);
	if (c->type == TYPE_DIR)
		return make_directory(parent, name, c);
	/* rename does not replace a directory by a file. */
	if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode) &&
	    files_remove_tree(parent, name) < 0)
		return -1;
	return write_file(upper, c, parent, name);
}

/* The inner ones first: an outer one may close the way. */
static int settle_modes(const struct result *r, int root)
{
	for (size_t i = r->changec; i-- > 0;) {
		const struct change *c = &r->changes[i];
		if (c->note || c->type != TYPE_DIR || c->change == CHANGE_DELETED)
			continue;
		AUTO_CLOSE int dir = beneath_open(root, c->path, O_RDONLY | O_DIRECTORY);
		if (dir < 0 || fchmod(dir, c->mode & 0777) < 0)
			return -1;
	}
	return 0;
}

/* Files are replaced one by one: say how far it got. */
static int fail_half(struct err *err, size_t done, const char *path)
{
	err_errno(err, ERR_INPUT, "committing %s", path);
	err_cause(err, "changes written before it: %zu; those after it were not", done);
	return -1;
}

/* Whole or not at all, as far as can be told before the first write. */
static int check(struct result *r, int workspace, const struct conflict_mark *mark,
		 const struct spec *spec, struct err *err)
{
	uint64_t total = 0;

	if (r->upper < 0)
		return err_set(err, ERR_SYSTEM, "the changes did not come out of the box");
	if (r->changes_cut)
		return err_set(err, ERR_LIMIT,
			       "not all changes could be told: nothing was committed");
	/* Holes and hard links took no room in the box; here they would. */
	for (size_t i = 0; i < r->changec; i++)
		total += r->changes[i].size;
	if (total > spec->limit[LIMIT_DISK])
		return err_set(err, ERR_LIMIT,
			       "the changes are larger than --disk: nothing was committed");
	/* One at a time; the lock goes with the descriptor. */
	if (flock(workspace, LOCK_EX | LOCK_NB) < 0)
		return err_errno(err, ERR_INPUT, "another run commits to this directory");
	for (size_t i = 0; i < r->changec; i++)
		r->changes[i].note = refusal(workspace, spec, &r->changes[i]);
	return conflict_check(r, workspace, mark, err);
}

int commit_changes(struct result *r, int workspace, const struct conflict_mark *mark,
		   const struct spec *spec, struct err *err)
{
	size_t done = 0;

	if (check(r, workspace, mark, spec, err) < 0)
		return -1;
	r->touched = true;
	for (size_t i = 0; i < r->changec; i++) {
		const struct change *c = &r->changes[i];
		if (c->note)
			continue;
		if (apply(r->upper, workspace, c) < 0)
			return fail_half(err, done, c->path);
		done++;
	}
	if (settle_modes(r, workspace) < 0)
		return err_errno(err, ERR_INPUT, "committing a directory's mode");
	r->committed = true;
	return 0;
}
