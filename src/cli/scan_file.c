/* SPDX-License-Identifier: MIT
 *
 * One file: opened, held to be a plain one, read whole within the maximum, and given to the scan. The
 * descriptor is asked what it is, not the name; nothing here waits for ever.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "cli/scan.h"

enum { FIRST_READ = 65536 };

/* Until the end or one byte more than allowed; RET has a NUL after the last. */
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

/* A pipe that has a name may have nobody at its other end. */
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
	struct err err;

	if (s->call->no_input) {
		err_set(&err, ERR_INPUT, "standard input is closed");
		err_cure(&err, "give it a file or a pipe; /dev/null is an empty one");
		scan_error(&s->scanner, "-", &err);
		return;
	}
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
