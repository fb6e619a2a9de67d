/* SPDX-License-Identifier: MIT
 *
 * The descriptor is looked at, never the name a second time. Opening must not wait for a FIFO's
 * writer, and what is no plain file is not read at all: a device may give bytes for ever.
 */
#include "cli/package.h"

#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"

#define ALGORITHM "sha512-"

static int open_plain(const char *path, size_t *ret_len, struct err *err)
{
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, ERR_SYSTEM, "npm brought no package");
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_INPUT, "npm brought something that is no file");
	if (st.st_size > PACKAGE_BYTES_MAX)
		return err_set(err, ERR_LIMIT, "the package is larger than %d MiB",
			       PACKAGE_BYTES_MAX >> 20);
	*ret_len = (size_t)st.st_size;
	return scope_take_fd(&fd);
}

static void name_hash(const unsigned char *data, size_t len, char ret[PACKAGE_INTEGRITY_MAX])
{
	unsigned char hash[crypto_hash_sha512_BYTES];
	size_t at = sizeof(ALGORITHM) - 1;

	crypto_hash_sha512(hash, data, len);
	snprintf(ret, PACKAGE_INTEGRITY_MAX, ALGORITHM);
	sodium_bin2base64(ret + at, PACKAGE_INTEGRITY_MAX - at, hash, sizeof(hash),
			  sodium_base64_VARIANT_ORIGINAL);
}

int package_take(const char *path, int *ret_fd, char integrity[PACKAGE_INTEGRITY_MAX],
		 struct err *err)
{
	size_t len = 0;
	AUTO_CLOSE int file = open_plain(path, &len, err);
	AUTO_FREE unsigned char *data = file < 0 ? NULL : malloc(len + 1);

	if (file < 0)
		return -1;
	/* One byte more, to see one that grows. */
	if (!data || io_read_full(file, data, len + 1) != (ssize_t)len)
		return err_set(err, ERR_SYSTEM, "the package could not be read");
	AUTO_CLOSE int kept = io_sealed_memfd("package", data, len);
	if (kept < 0 || lseek(kept, 0, SEEK_SET) < 0)
		return err_errno(err, ERR_SYSTEM, "the package could not be kept");
	name_hash(data, len, integrity);
	*ret_fd = scope_take_fd(&kept);
	return 0;
}
