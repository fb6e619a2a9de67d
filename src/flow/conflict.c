/* SPDX-License-Identifier: MIT
 *
 * What a directory held when a run began cannot be kept without walking all of it. But the kernel
 * stamps every change of a file with the time (ctime), and nobody can set that stamp: whatever is
 * stamped after the beginning was changed meanwhile (only a store through a map that was dirty
 * before is stamped late). So only the paths the program changed are
 * looked at, and below what it deleted. A stamp that cannot be judged counts as a change.
 */
#include "flow/conflict.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/io.h"
#include "base/scope.h"

#define CHANGED "changed in the workspace during the run"
#define UNSEEN "it could not be looked through"
#define GONE "deleted in the workspace during the run"

enum { TICK_TRIES = 100, TICK_US = 1000, CLOCK_SLACK_NS = 20000000 };

static uint64_t boot_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000000000U + (uint64_t)ts.tv_nsec;
}

static bool is_before(struct timespec a, struct timespec b)
{
	return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

/* A file without a name; where the file system has none of that kind, one whose name is gone. */
static int make_nameless(int dir)
{
	uint64_t random;
	char name[48];
	int fd = openat(dir, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);

	if (fd >= 0 || getrandom(&random, sizeof(random), 0) != sizeof(random))
		return fd;
	snprintf(name, sizeof(name), ".cordon-clock-%016llx", (unsigned long long)random);
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd >= 0)
		unlinkat(dir, name, 0);
	return fd;
}

static int stamp(int fd, struct timespec *ret)
{
	struct stat st;

	if (fchmod(fd, 0600) < 0 || fstat(fd, &st) < 0)
		return -1;
	*ret = st.st_ctim;
	return 0;
}

/* The clock of a file system goes in steps of some milliseconds. Waiting for the next one tells
 * what was written just before the run from what is written during it. Where the steps are longer
 * than our patience, the former counts as the latter. */
static int next_stamp(int fd, struct timespec *ret)
{
	struct timespec first;

	if (stamp(fd, &first) < 0 || stamp(fd, ret) < 0)
		return -1;
	for (int i = 0; i < TICK_TRIES && !is_before(first, *ret); i++) {
		usleep(TICK_US);
		if (stamp(fd, ret) < 0)
			return -1;
	}
	return 0;
}

int conflict_mark(int workspace, struct conflict_mark *ret, struct err *err)
{
	AUTO_CLOSE int fd = make_nameless(workspace);

	if (fd >= 0 && next_stamp(fd, &ret->start) == 0) {
		ret->boot_ns = boot_now();
		return 0;
	}
	err_errno(err, ERR_INPUT, "--commit: writing to the workspace");
	err_cure(err, "use --diff, or a directory that you may write to");
	return -1;
}

/* A clock that was set back meanwhile would hide a change. It may go 500 ppm slower than ours. Ours
 * is looked at after theirs at the start and before it here: however long we are kept from running
 * in between, less time passes for us than for them. */
static int check_clock(int workspace, const struct conflict_mark *mark, struct err *err)
{
	AUTO_CLOSE int fd = make_nameless(workspace);
	int64_t ours = (int64_t)(boot_now() - mark->boot_ns);
	struct timespec now;

	if (fd < 0 || stamp(fd, &now) < 0)
		return err_errno(err, ERR_INPUT, "--commit: writing to the workspace");
	int64_t theirs = (int64_t)(now.tv_sec - mark->start.tv_sec) * 1000000000 +
			 (now.tv_nsec - mark->start.tv_nsec);
	if (theirs + CLOCK_SLACK_NS + ours / 1000 >= ours)
		return 0;
	err_set(err, ERR_CONFLICT, "nothing was committed: the clock was set back during the run");
	err_cause(err, "what somebody else changed meanwhile cannot be told from what is old");
	err_cure(err, "run it again");
	return -1;
}

static bool is_later(const struct stat *st, const struct conflict_mark *mark)
{
	return !is_before(st->st_ctim, mark->start);
}

/* Why what is in DIR must stay, or NULL. Closes DIR. */
static const char *look_below(int dir, dev_t dev, const struct conflict_mark *mark, unsigned depth)
{
	AUTO_CLOSEDIR DIR *d = fdopendir(dir);
	const char *why = NULL;
	struct stat st;

	if (!d)
		scope_close(&dir);
	if (!d || depth >= CORDON_WALK_DEPTH_MAX)
		return UNSEEN;
	for (struct dirent *e; !why && (e = io_readdir(d));) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    is_later(&st, mark))
			why = CHANGED;
		else if (st.st_dev != dev)
			why = "another file system is mounted in it";
		else if (S_ISDIR(st.st_mode))
			why = look_below(openat(dirfd(d), e->d_name,
						O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
					 dev, mark, depth + 1);
	}
	return !why && errno ? UNSEEN : why;
}

/* The overlay marks a file that it copied from below. It keeps the mark when it is renamed. */
static bool is_copy(const struct result *r, const struct change *c)
{
	AUTO_CLOSE int file = beneath_open(r->upper, c->path, O_RDONLY | O_NONBLOCK);

	return file >= 0 && fgetxattr(file, "user.overlay.origin", NULL, 0) >= 0;
}

/* A name that is not there now: did the program change one that was? A copy in a directory from
 * which nothing was taken is one that the program has renamed. */
static const char *judge_absent(const struct result *r, int workspace, const struct change *c,
				const struct conflict_mark *mark)
{
	const char *name;
	AUTO_CLOSE int parent = beneath_open_parent(workspace, c->path, &name);
	struct stat st;

	if (parent < 0)
		return "its directory was " GONE;
	if (c->change == CHANGE_DELETED || c->type != TYPE_FILE || !is_copy(r, c))
		return NULL;
	return fstat(parent, &st) < 0 || is_later(&st, mark) ? GONE : NULL;
}

/* Names that come and go in a directory change both of its times together: the program's and
 * somebody else's go well beside each other. A new mode or a new name changes one of them. */
static bool is_replaced(const struct stat *st, const struct conflict_mark *mark)
{
	bool same = st->st_ctim.tv_sec == st->st_mtim.tv_sec &&
		    st->st_ctim.tv_nsec == st->st_mtim.tv_nsec;

	return is_later(st, mark) && !same;
}

static const char *judge_directory(const struct change *c, int fd, const struct stat *st,
				   const struct conflict_mark *mark)
{
	if (c->change != CHANGE_DELETED && c->type == TYPE_DIR && !c->opaque)
		return is_replaced(st, mark) ? CHANGED : NULL;
	/* All that is in it will go. */
	if (is_later(st, mark))
		return CHANGED;
	return look_below(openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), st->st_dev, mark, 0);
}

static bool is_below(const char *path, const char *dir)
{
	size_t len = dir ? strlen(dir) : 0;

	return len && strncmp(path, dir, len) == 0 && path[len] == '/';
}

/* Files keep their times when a directory above them is moved in from elsewhere. */
static const char *judge_above(int workspace, const char *path, const struct conflict_mark *mark)
{
	char dir[CORDON_CHANGE_PATH_MAX + 1];
	struct stat st;

	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(dir, sizeof(dir), "%.*s", (int)(slash - path), path);
		AUTO_CLOSE int fd = beneath_open(workspace, dir, O_PATH | O_NOFOLLOW);
		if (fd >= 0 && fstat(fd, &st) == 0 && is_replaced(&st, mark))
			return "a directory above it was replaced during the run";
	}
	return NULL;
}

/* *MADE is a directory of the program's that has no counterpart; what follows below it has none
 * either. A directory is always told before what is in it. */
static const char *judge(const struct result *r, int workspace, const struct change *c,
			 const struct conflict_mark *mark, const char **made)
{
	struct stat st;

	if (is_below(c->path, *made))
		return NULL;
	bool is_dir = c->type == TYPE_DIR && c->change != CHANGE_DELETED;
	AUTO_CLOSE int fd = beneath_open(workspace, c->path, O_PATH | O_NOFOLLOW);
	const char *why = judge_above(workspace, c->path, mark);
	if (why)
		return why;
	if (fd < 0) {
		*made = is_dir ? c->path : NULL;
		return judge_absent(r, workspace, c, mark);
	}
	if (fstat(fd, &st) < 0)
		return CHANGED;
	*made = is_dir && (c->opaque || !S_ISDIR(st.st_mode)) ? c->path : NULL;
	if (S_ISDIR(st.st_mode))
		return judge_directory(c, fd, &st, mark);
	return is_later(&st, mark) ? CHANGED : NULL;
}

int conflict_check(struct result *r, int workspace, const struct conflict_mark *mark,
		   struct err *err)
{
	const char *made = NULL, *first = NULL;
	size_t count = 0;

	if (r->changec && check_clock(workspace, mark, err) < 0)
		return -1;
	for (size_t i = 0; i < r->changec; i++) {
		struct change *c = &r->changes[i];
		if (c->note)
			continue;
		c->note = judge(r, workspace, c, mark, &made);
		if (c->note && count++ == 0)
			first = c->path;
	}
	if (!count)
		return 0;
	err_set(err, ERR_CONFLICT, "nothing was committed: %zu of the program's changes %s", count,
		count == 1 ? "is in conflict with the workspace"
			   : "are in conflict with the workspace");
	err_cause(err, "somebody else worked on the same: %.200s%s", first,
		  count > 1 ? " and others" : "");
	err_cure(err, "keep what is there and run it again");
	return -1;
}
