/* SPDX-License-Identifier: MIT
 *
 * The fuzz target for archives of rules. The first byte says whether the rest is made good: 1 mends
 * the sums that headers have, so that what is behind them is reached; 2 compresses it. Whatever it
 * is: it is taken, or refused with a reason; only plain files of YAML are written, as many as
 * counted, none too large; nothing is written beside them. A broken promise aborts.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/io.h"
#include "base/scope.h"
#include "cli/unpack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { MEND = 1, COMPRESS = 2, BLOCK = 512, SUM_AT = 148, SUM_LEN = 8 };

static void must(bool promise)
{
	if (!promise)
		abort();
}

/* Of every block: one that is no header says something else then, which does no harm. */
static void mend(uint8_t *data, size_t len)
{
	for (uint8_t *p = data; len >= BLOCK; p += BLOCK, len -= BLOCK) {
		unsigned sum = SUM_LEN * ' ', all = 0;
		char octal[SUM_LEN + 1];

		for (size_t i = 0; i < BLOCK; i++) {
			sum += i >= SUM_AT && i < SUM_AT + SUM_LEN ? 0 : p[i];
			all |= p[i];
		}
		snprintf(octal, sizeof(octal), "%06o", sum);
		if (all)
			memcpy(p + SUM_AT, octal, SUM_LEN);
	}
}

static int make_archive(const uint8_t *data, size_t len)
{
	AUTO_FREE uint8_t *copy = malloc(len);
	int fd = memfd_create("archive", MFD_CLOEXEC);

	must(copy && fd >= 0 && len);
	memcpy(copy, data, len);
	if (data[0] & MEND)
		mend(copy + 1, len - 1);
	if (data[0] & COMPRESS) {
		gzFile to = gzdopen(dup(fd), "wb1");
		must(to && (len == 1 || gzwrite(to, copy + 1, (unsigned)len - 1) > 0));
		must(gzclose(to) == Z_OK);
	} else {
		must(io_write_all(fd, copy + 1, len - 1) == 0);
	}
	must(lseek(fd, 0, SEEK_SET) == 0);
	return fd;
}

static void check_file(const char *name, const struct stat *st)
{
	const char *end = strrchr(name, '.');

	must(S_ISREG(st->st_mode) && st->st_size <= UNPACK_FILE_MAX && !(st->st_mode & 07133));
	must(end && end != name && (!strcmp(end, ".yaml") || !strcmp(end, ".yml")));
}

/* Removes what is in a directory, and returns how many files these were. */
static size_t sweep(int dir, unsigned depth)
{
	DIR *d = fdopendir(dir);
	struct dirent *e;
	size_t files = 0;

	must(d && depth <= UNPACK_DEPTH_MAX);
	while ((e = readdir(d))) {
		struct stat st;
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		must(fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0);
		if (S_ISDIR(st.st_mode)) {
			files += sweep(openat(dir, e->d_name, O_RDONLY | O_DIRECTORY), depth + 1);
			must(unlinkat(dir, e->d_name, AT_REMOVEDIR) == 0);
		} else {
			check_file(e->d_name, &st);
			must(unlinkat(dir, e->d_name, 0) == 0);
			files++;
		}
	}
	closedir(d);
	return files;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char outer[] = "/tmp/test-cordon.XXXXXX";
	struct err err = {0};
	size_t files = 0;

	if (!len)
		return 0;
	must(mkdtemp(outer) != NULL);
	AUTO_CLOSE int around = open(outer, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	must(around >= 0 && mkdirat(around, "in", 0755) == 0);
	int in = openat(around, "in", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_CLOSE int archive = make_archive(data, len);
	int result = unpack_rules(archive, "package/rules/", in, &files, &err);
	must(result == 0 || (result == -1 && err.message[0] && err.code));
	size_t written = sweep(in, 0);
	/* The last one may be the one that could not be made. */
	must(written == files || (result < 0 && written + 1 == files));
	/* Would fail if there were anything else. */
	must(unlinkat(around, "in", AT_REMOVEDIR) == 0 && rmdir(outer) == 0);
	return 0;
}
