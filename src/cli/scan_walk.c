/* SPDX-License-Identifier: MIT
 *
 * A directory and all below it, in the order of names, so that two scans of the same tree say the
 * same. Every step is relative to an open directory and never through a link: the tree may belong
 * to somebody who moves it while we walk.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/entries.h"
#include "base/io.h"
#include "base/scope.h"
#include "cli/scan.h"

/* Directories that no agent reads: the histories of version control. */
static const char *const left_out[] = {".git", ".hg", ".svn"};

static bool is_left_out(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(left_out); i++)
		if (strcmp(name, left_out[i]) == 0)
			return true;
	return false;
}

static int list(DIR *dir, struct entries *ret, struct err *err)
{
	if (entries_read(dir, SCAN_ENTRIES_MAX, ret) == 0)
		return 0;
	if (errno == E2BIG)
		return err_set(err, ERR_LIMIT, "has more than %d entries: not scanned",
			       SCAN_ENTRIES_MAX);
	return err_errno(err, ERR_INPUT, "could not be listed");
}

/* Counted each time, told once: a tree may have thousands. */
static void leave_out(struct scan *s, const char *path)
{
	s->scanner.totals.skipped++;
	if (!s->left_out)
		scan_note(&s->scanner, path, 0,
			  "is left out, as all .git, .hg and .svn are; scanned when it is named");
	s->left_out = true;
}

static void visit(struct scan *s, int dirfd, const char *name, const char *below, unsigned depth)
{
	AUTO_FREE char *path = NULL;
	struct stat st;
	struct err err;

	if (asprintf(&path, "%s%s%s", below, below[strlen(below) - 1] == '/' ? "" : "/", name) <
	    0) {
		path = NULL;
		err_set(&err, ERR_SYSTEM, "out of memory: an entry of it was not scanned");
		scan_error(&s->scanner, below, &err);
		return;
	}
	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISDIR(st.st_mode)) {
		scan_path(s, dirfd, name, path, false);
		return;
	}
	if (is_left_out(name)) {
		leave_out(s, path);
		return;
	}
	AUTO_CLOSE int fd =
		openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		err_errno(&err, ERR_INPUT, "could not be opened");
		scan_error(&s->scanner, path, &err);
		return;
	}
	scan_directory(s, fd, path, depth + 1);
}

void scan_directory(struct scan *s, int fd, const char *name, unsigned depth)
{
	AUTO_CLOSEDIR DIR *dir = NULL;
	AUTO_ENTRIES struct entries names = {0};
	struct err err = {0};

	if (depth >= SCAN_DEPTH_MAX) {
		err_set(&err, ERR_LIMIT, "is more than %d directories deep: not scanned",
			SCAN_DEPTH_MAX);
		scan_error(&s->scanner, name, &err);
		return;
	}
	AUTO_CLOSE int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	dir = fdopendir(copy);
	if (!dir) {
		err_errno(&err, ERR_SYSTEM, "could not be listed");
	} else {
		scope_take_fd(&copy);
		list(dir, &names, &err);
	}
	if (err.code)
		scan_error(&s->scanner, name, &err);
	for (size_t i = 0; !err.code && i < names.count; i++) {
		if (s->scanner.totals.files + s->scanner.totals.skipped >= SCAN_FILES_MAX) {
			err_set(&err, ERR_LIMIT, "more than %d files: the rest is not scanned",
				SCAN_FILES_MAX);
			scan_error(&s->scanner, name, &err);
			break;
		}
		visit(s, fd, names.name[i], name, depth);
	}
}
