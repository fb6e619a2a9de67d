/* SPDX-License-Identifier: MIT
 *
 * libarchive decompresses the package and then reads the tar archive, both in memory: so the
 * decompressed size is bounded, whatever the headers claim. Names are checked and opened beneath
 * the target. Modes, owners and times of the archive are ignored.
 */
#include "door/cli/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "base/subpath.h"

/* Accepts one level of gzip: libarchive by itself would accept gzip within gzip. */
enum { FILTERS = 2 };

struct unpack {
	struct archive *in;
	int to;
	size_t entries, bytes; /* seen and written */
};

static void free_archive(struct archive **a)
{
	archive_read_free(*a);
}
#define AUTO_ARCHIVE __attribute__((cleanup(free_archive)))

static int too_large(struct err *err)
{
	return err_set(err, ERR_LIMIT, "the archive is larger than %d MiB", UNPACK_BYTES_MAX >> 20);
}

static int broken(struct archive *a, struct err *err)
{
	const char *why = archive_error_string(a);

	err_set(err, ERR_INPUT, "the archive is broken");
	if (why)
		err_cause(err, "%.256s", why);
	return -1;
}

/* TAR has room for one byte more than the maximum. */
static int decompress(const void *package, size_t len, char *tar, size_t *ret_len, struct err *err)
{
	AUTO_ARCHIVE struct archive *a = archive_read_new();
	struct archive_entry *whole;

	if (!a || archive_read_support_filter_gzip(a) != ARCHIVE_OK ||
	    archive_read_support_format_raw(a) != ARCHIVE_OK)
		return err_memory(err);
	if (archive_read_open_memory(a, package, len) != ARCHIVE_OK)
		return broken(a, err);
	if (archive_filter_count(a) != FILTERS)
		return err_set(err, ERR_INPUT, "the package is not a gzipped archive");
	if (archive_read_next_header(a, &whole) != ARCHIVE_OK)
		return broken(a, err);
	la_ssize_t n = archive_read_data(a, tar, UNPACK_BYTES_MAX + 1);
	if (n < 0)
		return broken(a, err);
	if (n > UNPACK_BYTES_MAX)
		return too_large(err);
	*ret_len = (size_t)n;
	return 0;
}

static bool is_yaml(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

/* Parts of plain characters, none of which begins with a dot. */
static bool is_plain_name(const char *name)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789-._/";

	if (strspn(name, allowed) != strlen(name) || strlen(name) > UNPACK_NAME_MAX)
		return false;
	for (const char *p = name; p; p = strchr(p, '/') ? strchr(p, '/') + 1 : NULL)
		if (*p == '.' || *p == '/' || *p == '\0')
			return false;
	return true;
}

/* Creates the file and its directories. The file must not exist. */
static int create(int to, const char *name)
{
	char path[UNPACK_NAME_MAX + 1];
	const char *last;

	snprintf(path, sizeof(path), "%s", name);
	for (char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		AUTO_CLOSE int parent = subpath_open_parent(to, path, &last);
		if (parent < 0 || (mkdirat(parent, last, 0755) < 0 && errno != EEXIST))
			return -1;
		*slash = '/';
	}
	AUTO_CLOSE int parent = subpath_open_parent(to, path, &last);
	if (parent < 0)
		return -1;
	return openat(parent, last, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
}

/* A sparse file is larger than its archive, so written bytes are counted too. */
static int copy(struct unpack *u, const char *name, struct err *err)
{
	char part[65536];
	la_ssize_t n;
	AUTO_CLOSE int fd = create(u->to, name);

	if (fd < 0)
		return err_errno(err, ERR_SYSTEM, "cannot create %s", name);
	while ((n = archive_read_data(u->in, part, sizeof(part))) > 0) {
		u->bytes += (size_t)n;
		if (u->bytes > UNPACK_BYTES_MAX)
			return too_large(err);
		if (io_write_all(fd, part, (size_t)n) < 0)
			return err_errno(err, ERR_SYSTEM, "cannot write %s", name);
	}
	return n < 0 ? broken(u->in, err) : 0;
}

static int take_entry(struct unpack *u, struct archive_entry *entry, struct err *err)
{
	const size_t skip = sizeof(UNPACK_RULES) - 1;
	const char *path = archive_entry_pathname(entry);
	unsigned type = archive_entry_filetype(entry);

	if (++u->entries > UNPACK_ENTRIES_MAX)
		return err_set(err, ERR_LIMIT, "the archive has more than %d entries",
			       UNPACK_ENTRIES_MAX);
	if (archive_entry_hardlink(entry) || (type != AE_IFREG && type != AE_IFDIR))
		return err_set(err, ERR_INPUT,
			       "the archive has an entry that is not a file or a directory");
	if (!path)
		return err_set(err, ERR_INPUT, "the archive holds a name that cannot be read");
	if (type == AE_IFDIR || strncmp(path, UNPACK_RULES, skip) != 0 || !is_yaml(path))
		return 0;
	if (!is_plain_name(path + skip))
		return err_set(err, ERR_INPUT, "the archive holds a rule with an unusual name");
	return copy(u, path + skip, err);
}

static int read_tar(const char *tar, size_t len, int to, struct err *err)
{
	AUTO_ARCHIVE struct archive *a = archive_read_new();
	struct unpack u = {.in = a, .to = to};
	struct archive_entry *entry;
	int result;

	if (!a || archive_read_support_format_tar(a) != ARCHIVE_OK)
		return err_memory(err);
	if (archive_read_open_memory(a, tar, len) != ARCHIVE_OK)
		return broken(a, err);
	/* Ignore warnings: they are about non-ASCII names and attributes. */
	while ((result = archive_read_next_header(a, &entry)) == ARCHIVE_OK ||
	       result == ARCHIVE_WARN)
		if (take_entry(&u, entry, err) < 0)
			return -1;
	return result == ARCHIVE_EOF ? 0 : broken(a, err);
}

int unpack_rules(const void *package, size_t len, int to, struct err *err)
{
	AUTO_FREE char *tar = malloc(UNPACK_BYTES_MAX + 1);
	size_t size = 0;

	if (!tar)
		return err_memory(err);
	if (decompress(package, len, tar, &size, err) < 0)
		return -1;
	return read_tar(tar, size, to, err);
}
