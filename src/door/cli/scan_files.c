/* SPDX-License-Identifier: MIT
 *
 * Reads files and walks directories for scan. Directories are walked in the order of names, so that
 * two scans of one tree print the same. Every step is relative to an open directory and follows no
 * link, because the tree's owner may move it meanwhile. File types are checked on the descriptor,
 * and no read can block for ever.
 */
#include "door/cli/scan_files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/dir_entries.h"
#include "base/io.h"
#include "base/scope.h"

/* Directories that agents do not read: the histories of version control. */
static const char *const left_out[] = {".git", ".hg", ".svn"};

static bool is_left_out(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(left_out); i++)
		if (strcmp(name, left_out[i]) == 0)
			return true;
	return false;
}

static int list(DIR *dir, struct dir_entries *ret, struct err *err)
{
	if (dir_entries_read(dir, SCAN_ENTRIES_MAX, ret) == 0)
		return 0;
	if (errno == E2BIG)
		return err_set(err, ERR_LIMIT, "has more than %d entries: not scanned",
			       SCAN_ENTRIES_MAX);
	return err_errno(err, ERR_INPUT, "could not be listed");
}

/* Counts each one but prints one note: a tree may have thousands. */
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
	AUTO_DIR_ENTRIES struct dir_entries names = {0};
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

enum { FIRST_READ = 65536 };

/* Reads to the end, or one byte more than allowed. RET ends with a NUL. */
static int read_all(int fd, struct text *ret, char **ret_memory, struct err *err)
{
	size_t room = FIRST_READ, len = 0;
	char *data = malloc(room + 1);

	while (data) {
		ssize_t n = io_read_full(fd, data + len, room - len);
		if (n < 0) {
			free(data);
			return err_errno(err, ERR_INPUT, "could not be read");
		}
		len += (size_t)n;
		if (len < room || room > SCAN_FILE_MAX)
			break;
		room = room * 4 > SCAN_FILE_MAX ? SCAN_FILE_MAX + 1 : room * 4;
		char *more = realloc(data, room + 1);
		if (!more)
			free(data);
		data = more;
	}
	if (!data)
		return err_memory(err);
	if (len > SCAN_FILE_MAX) {
		free(data);
		return err_set(err, ERR_LIMIT, "is larger than %zu MiB", SCAN_FILE_MAX >> 20);
	}
	data[len] = '\0';
	*ret = (struct text){*ret_memory = data, len};
	return 0;
}

/* A named pipe may have no writer. */
static bool is_unnamed_pipe(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && fs.f_type == PIPEFS_MAGIC;
}

static int check_type(int fd, const struct stat *st, struct err *err)
{
	if (S_ISREG(st->st_mode)) {
		if ((uint64_t)st->st_size > SCAN_FILE_MAX)
			return err_set(err, ERR_LIMIT, "is larger than %zu MiB",
				       SCAN_FILE_MAX >> 20);
		return 0;
	}
	if (S_ISFIFO(st->st_mode) && is_unnamed_pipe(fd))
		return fcntl(fd, F_SETFL, 0) == 0 ? 0 : err_errno(err, ERR_SYSTEM, "its flags");
	err_set(err, ERR_INPUT, "is neither a file nor a directory");
	err_cure(err, "cordon scan - reads standard input");
	return -1;
}

static void scan_fd(struct scan *s, int fd, const char *name, bool named)
{
	AUTO_FREE char *memory = NULL;
	struct text data = {0};
	struct err err;

	if (read_all(fd, &data, &memory, &err) < 0)
		scan_error(&s->scanner, name, &err);
	else
		scan_data(&s->scanner, name, data, named);
}

void scan_stdin(struct scan *s)
{
	scan_fd(s, STDIN_FILENO, "-", true);
}

void scan_path(struct scan *s, int dirfd, const char *path, const char *name, bool named)
{
	AUTO_CLOSE int fd =
		openat(dirfd, path,
		       O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (named ? 0 : O_NOFOLLOW));
	struct stat st;
	struct err err;

	scan_progress(s, name);
	if (fd < 0 && errno == ELOOP && !named) {
		s->scanner.totals.skipped++;
		scan_note(&s->scanner, name, 0, "is a link: not followed");
		return;
	}
	if (fd < 0 || fstat(fd, &st) < 0) {
		err_errno(&err, ERR_INPUT, "could not be opened");
		scan_error(&s->scanner, name, &err);
		return;
	}
	if (S_ISDIR(st.st_mode)) {
		scan_directory(s, fd, name, 0);
		return;
	}
	if (check_type(fd, &st, &err) < 0)
		scan_error(&s->scanner, name, &err);
	else
		scan_fd(s, fd, name, named);
}
