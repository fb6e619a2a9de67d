/* SPDX-License-Identifier: MIT
 *
 * Opens the files of the configuration and names the place of a problem. Checks apply to the opened
 * file, not to its name. A missing file is allowed; a file with a wrong type, owner or mode is an
 * error and never counts as missing.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/root_file.h"
#include "base/scope.h"
#include "conf/config_private.h"

/* O_NONBLOCK: opening a FIFO would wait for a writer. */
enum { FLAGS = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK };

const char *config_place(const struct config_reader *r, unsigned line)
{
	return r->is_variable ? r->place : arena_printf(r->arena, "%s:%u", r->place, line);
}

int config_complain(struct config_reader *r, unsigned line, const char *fmt, ...)
{
	char words[sizeof(r->err->message)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(words, sizeof(words), fmt, ap);
	va_end(ap);
	return err_set(r->err, ERR_INPUT, "%.200s: %s", config_place(r, line), words);
}

int config_report(struct config_reader *r)
{
	r->failed = true;
	if (!r->sink)
		return -1;
	r->sink->problem(r->sink->ctx, r->err);
	return 0;
}

static int read_it(int fd, const char *path, char **ret, size_t *ret_len, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_errno(err, ERR_SYSTEM, "%.200s", path);
	if (!S_ISREG(st.st_mode)) {
		err_set(err, ERR_INPUT, "%.200s is not a regular file", path);
		err_cure(err, "remove it, or put a file there");
		return -1;
	}
	AUTO_FREE char *data = malloc(CONFIG_BYTES_MAX + 1);
	ssize_t len = data ? io_read_full(fd, data, CONFIG_BYTES_MAX + 1) : 0;
	if (!data)
		return err_memory(err);
	if (len < 0)
		return err_errno(err, ERR_INPUT, "reading %.200s", path);
	if ((size_t)len > CONFIG_BYTES_MAX)
		return err_set(err, ERR_LIMIT, "%.200s: a configuration file has at most %lu bytes",
			       path, CONFIG_BYTES_MAX);
	*ret = data;
	*ret_len = (size_t)len;
	data = NULL;
	return 0;
}

static int fail(const char *path, struct err *err)
{
	err_errno(err, ERR_INPUT, "%.200s", path);
	err_cure(err, "let this account read it, or remove it");
	return -1;
}

int config_file_operator(char **ret, size_t *ret_len, struct err *err)
{
	AUTO_CLOSE int fd = open(CONFIG_FILE, FLAGS | O_NOFOLLOW);

	*ret = NULL;
	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 && errno != ELOOP)
		return fail(CONFIG_FILE, err);
	scope_close(&fd);
	fd = root_file_open(CONFIG_FILE, FLAGS, err);
	return fd < 0 ? -1 : read_it(fd, CONFIG_FILE, ret, ret_len, err);
}

/* HOME can belong to another account (sudo). If this account cannot enter it, the file is not its own
 * and counts as missing. */
static bool is_anothers(const char *path)
{
	char part[PATH_MAX];
	struct stat st;
	char *slash;

	if ((size_t)snprintf(part, sizeof(part), "%s", path) >= sizeof(part))
		return false;
	while ((slash = strrchr(part, '/')) && slash > part) {
		*slash = '\0';
		if (stat(part, &st) == 0)
			return st.st_uid != geteuid() && access(part, X_OK) < 0;
		if (errno != EACCES)
			return false;
	}
	return false;
}

/* As in ssh: a file that another account can change is refused. */
int config_file_user(const char *path, char **ret, size_t *ret_len, struct err *err)
{
	AUTO_CLOSE int fd = open(path, FLAGS);
	struct stat st;

	*ret = NULL;
	int why = errno;
	if (fd < 0 && (why == ENOENT || why == ENOTDIR || (why == EACCES && is_anothers(path))))
		return 0;
	errno = why;
	if (fd < 0 || fstat(fd, &st) < 0)
		return fail(path, err);
	if ((st.st_uid == geteuid() || st.st_uid == 0) && !(st.st_mode & 022))
		return read_it(fd, path, ret, ret_len, err);
	err_set(err, ERR_REFUSED, "%.200s: another account can change it", path);
	err_cause(err, "its owner is %u and its mode %03o", st.st_uid, st.st_mode & 0777);
	if (st.st_uid == geteuid())
		err_cure(err, "chmod go-w %.200s", path);
	else
		err_cure(err, "let HOME or XDG_CONFIG_HOME name a directory of this account");
	return -1;
}

int config_file_draft(const char *path, char **ret, size_t *ret_len, struct err *err)
{
	AUTO_CLOSE int fd = open(path, FLAGS);

	*ret = NULL;
	return fd < 0 ? err_errno(err, ERR_INPUT, "%.200s", path)
		      : read_it(fd, path, ret, ret_len, err);
}
