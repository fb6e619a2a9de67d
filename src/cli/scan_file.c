/* SPDX-License-Identifier: MIT
 *
 * One file: opened, held to be a plain one, read whole within the maximum, and given to whoever
 * knows its kind. The descriptor is asked what it is, not the name; nothing here waits for ever.
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
#include "scan/utf16.h"

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
		return err_set(err, ERR_SYSTEM, "out of memory");
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

static void scan_text(struct scan *s, const char *name, struct text data)
{
	struct scan_file file = {.name = name, .data = data, .sure = true};

	file.kind = s->call->scan.has_kind ? (enum scan_kind)s->call->scan.kind
					   : scan_kind_of(name, data, &file.sure);
	if (file.kind >= KIND_JSON && scan_document(s, &file))
		return;
	scan_whole(s, &file);
}

/* KNOWN: named by the caller; in a directory, what is no text is only counted. */
static void scan_bytes(struct scan *s, const char *name, struct text data, bool known)
{
	const char *what = s->call->scan.has_kind ? NULL : scan_binary(name, data);
	struct err err;

	if (what && known) {
		err_set(&err, ERR_INPUT, "is %s, not text", what);
		err_cure(&err, "--kind text scans it nevertheless");
		scan_error(s, name, &err);
		return;
	}
	if (what) {
		s->totals.skipped++;
		scan_note(s, name, 0, "is no text: not scanned");
		return;
	}
	s->totals.files++;
	s->totals.bytes += data.len;
	scan_text(s, name, data);
}

/* The same in UTF-8; -1 with ERR when that is too much. */
static int decode_utf16(struct text data, enum utf16_order order, struct text *ret,
			char **ret_memory, struct err *err)
{
	size_t len = utf16_size(data.s, data.len, order);

	if (len > SCAN_FILE_MAX)
		return err_set(err, ERR_LIMIT, "is larger than %zu MiB in UTF-8",
			       SCAN_FILE_MAX >> 20);
	char *out = malloc(len + 1);
	if (!out)
		return err_set(err, ERR_SYSTEM, "out of memory");
	utf16_read(data.s, data.len, order, out);
	out[len] = '\0';
	*ret = (struct text){*ret_memory = out, len};
	return 0;
}

/* True: it was UTF-16. Who reads bytes may find another text in the same file: then that is
 * scanned too, or a byte order mark would hide it. */
static bool scan_utf16(struct scan *s, const char *name, struct text data, bool known)
{
	enum utf16_order order = utf16_guess(data.s, data.len);
	AUTO_FREE char *memory = NULL;
	struct text made = {0};
	struct err err;

	if (order == UTF16_NOT)
		return false;
	if (decode_utf16(data, order, &made, &memory, &err) < 0) {
		scan_error(s, name, &err);
		return false;
	}
	if (!s->call->scan.has_kind && scan_binary(name, made))
		return false;
	scan_bytes(s, name, made, known);
	if (utf16_has_bytes(data.s, data.len))
		scan_text(s, name, data);
	return true;
}

static void scan_fd(struct scan *s, int fd, const char *name, bool known)
{
	AUTO_FREE char *memory = NULL;
	struct text data = {0};
	struct err err;

	if (read_all(fd, &data, &memory, &err) < 0)
		scan_error(s, name, &err);
	else if (!scan_utf16(s, name, data, known))
		scan_bytes(s, name, data, known);
}

void scan_stdin(struct scan *s)
{
	scan_fd(s, STDIN_FILENO, "-", true);
}

void scan_path(struct scan *s, int dirfd, const char *path, const char *name, bool follow)
{
	AUTO_CLOSE int fd =
		openat(dirfd, path,
		       O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (follow ? 0 : O_NOFOLLOW));
	struct stat st;
	struct err err;

	scan_progress(s, name);
	if (fd < 0 && errno == ELOOP && !follow) {
		s->totals.skipped++;
		scan_note(s, name, 0, "is a link: not followed");
		return;
	}
	if (fd < 0 || fstat(fd, &st) < 0) {
		err_errno(&err, ERR_INPUT, "could not be opened");
		scan_error(s, name, &err);
		return;
	}
	if (S_ISDIR(st.st_mode)) {
		scan_directory(s, fd, name, 0);
		return;
	}
	if (check_type(fd, &st, &err) < 0)
		scan_error(s, name, &err);
	else
		scan_fd(s, fd, name, follow);
}
