/* SPDX-License-Identifier: MIT
 *
 * zlib decompresses, this reads tar: only what npm itself writes (ustar, plain files). Names are
 * checked letter by letter and opened step by step without following links; modes, owners and times
 * in the archive mean nothing here.
 */
#include "cli/unpack.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/io.h"
#include "base/scope.h"

enum { BLOCK = 512 };

/* POSIX.1-1988. */
struct header {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type;
	char link[100], magic[6], version[2], user[32], group[32], major[8], minor[8], prefix[155];
	char rest[12];
};
_Static_assert(sizeof(struct header) == BLOCK, "a header is a block");

struct unpack {
	gzFile in;
	size_t bytes, entries, files;
	int to;
	const char *prefix;
};

static int read_block(struct unpack *u, void *block, struct err *err)
{
	u->bytes += BLOCK;
	if (u->bytes > UNPACK_BYTES_MAX)
		return err_set(err, ERR_LIMIT, "the archive is larger than %d MiB",
			       UNPACK_BYTES_MAX >> 20);
	if (gzread(u->in, block, BLOCK) != BLOCK)
		return err_set(err, ERR_INPUT, "the archive is broken");
	return 0;
}

/* Octal digits, ended by a blank or a NUL; -1 for anything else. */
static long octal(const char *s, size_t len)
{
	long n = 0;
	size_t i = 0;

	while (i < len && s[i] == ' ')
		i++;
	for (; i < len && s[i] >= '0' && s[i] <= '7'; i++)
		n = n * 8 + (s[i] - '0');
	return i < len && (s[i] == ' ' || s[i] == '\0') ? n : -1;
}

static bool has_checksum(const struct header *h)
{
	const unsigned char *p = (const unsigned char *)h;
	long sum = 0;

	for (size_t i = 0; i < BLOCK; i++)
		sum += i >= offsetof(struct header, checksum) && i < offsetof(struct header, type)
			       ? ' '
			       : p[i];
	return octal(h->checksum, sizeof(h->checksum)) == sum;
}

static bool is_empty(const struct header *h)
{
	const char *p = (const char *)h;

	for (size_t i = 0; i < BLOCK; i++)
		if (p[i])
			return false;
	return true;
}

static bool is_yaml(const char *name)
{
	size_t len = strlen(name);

	return (len > 5 && strcmp(name + len - 5, ".yaml") == 0) ||
	       (len > 4 && strcmp(name + len - 4, ".yml") == 0);
}

/* Steps of plain letters, none of which begins with a dot. */
static bool is_plain_name(const char *name)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789-._/";
	unsigned depth = 0;

	if (strspn(name, allowed) != strlen(name) || strlen(name) > UNPACK_NAME_MAX)
		return false;
	for (const char *p = name; p; p = strchr(p, '/') ? strchr(p, '/') + 1 : NULL, depth++)
		if (*p == '.' || *p == '/' || *p == '\0')
			return false;
	return depth <= UNPACK_DEPTH_MAX;
}

/* The file in its directories, which are made; it must not be there yet. */
static int create(int to, const char *name, struct err *err)
{
	AUTO_CLOSE int dir = openat(to, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const char *slash;

	for (; dir >= 0 && (slash = strchr(name, '/')); name = slash + 1) {
		char step[UNPACK_NAME_MAX + 1];
		snprintf(step, sizeof(step), "%.*s", (int)(slash - name), name);
		mkdirat(dir, step, 0755);
		int next = openat(dir, step, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(dir);
		dir = next;
	}
	int fd = dir < 0 ? -1
			 : openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
				  0644);
	return fd >= 0 ? fd : err_errno(err, ERR_SYSTEM, "%s could not be made", name);
}

/* FD -1: the contents are passed over. */
static int copy(struct unpack *u, long size, int fd, struct err *err)
{
	char block[BLOCK];

	for (; size > 0; size -= BLOCK) {
		if (read_block(u, block, err) < 0)
			return -1;
		if (fd >= 0 && io_write_all(fd, block, size < BLOCK ? (size_t)size : BLOCK) < 0)
			return err_errno(err, ERR_SYSTEM, "writing a rule");
	}
	return 0;
}

static int take(struct unpack *u, const struct header *h, const char *name, long size,
		struct err *err)
{
	if (h->type != '0' && h->type != '\0')
		return err_set(err, ERR_INPUT,
			       "the archive has something among the rules that is "
			       "no file");
	if (!is_yaml(name))
		return copy(u, size, -1, err);
	if (!is_plain_name(name))
		return err_set(err, ERR_INPUT, "the archive has an odd name among the rules");
	if (size > UNPACK_FILE_MAX)
		return err_set(err, ERR_LIMIT, "%s is larger than %d bytes", name, UNPACK_FILE_MAX);
	if (u->files == UNPACK_FILES_MAX)
		return err_set(err, ERR_LIMIT, "more than %d rules", UNPACK_FILES_MAX);
	AUTO_CLOSE int fd = create(u->to, name, err);
	u->files++;
	return fd < 0 ? -1 : copy(u, size, fd, err);
}

/* An extended header would rename what follows it. */
static int entry(struct unpack *u, const struct header *h, struct err *err)
{
	char name[sizeof(h->prefix) + sizeof(h->name) + 2];
	long size = octal(h->size, sizeof(h->size));
	size_t skip = strlen(u->prefix);

	if (!has_checksum(h) || size < 0 || size > UNPACK_BYTES_MAX)
		return err_set(err, ERR_INPUT, "the archive is broken");
	if (++u->entries > UNPACK_ENTRIES_MAX)
		return err_set(err, ERR_LIMIT, "the archive has more than %d entries",
			       UNPACK_ENTRIES_MAX);
	if (strchr("xgLK", h->type) && h->type)
		return err_set(err, ERR_INPUT, "the archive has extended headers");
	snprintf(name, sizeof(name), "%.*s%s%.*s", (int)sizeof(h->prefix), h->prefix,
		 h->prefix[0] ? "/" : "", (int)sizeof(h->name), h->name);
	if (h->type == '5' || strncmp(name, u->prefix, skip) != 0)
		return copy(u, size, -1, err);
	return take(u, h, name + skip, size, err);
}

int unpack_rules(int archive, const char *prefix, int to, size_t *ret_files, struct err *err)
{
	struct unpack u = {.to = to, .prefix = prefix};
	int copied = fcntl(archive, F_DUPFD_CLOEXEC, 0), result = 0;
	struct header h;

	u.in = copied < 0 ? NULL : gzdopen(copied, "rb");
	if (!u.in) {
		if (copied >= 0)
			close(copied);
		return err_memory(err);
	}
	while ((result = read_block(&u, &h, err)) == 0 && !is_empty(&h))
		if ((result = entry(&u, &h, err)) < 0)
			break;
	gzclose(u.in);
	*ret_files = u.files;
	return result;
}
