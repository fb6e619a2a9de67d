/* SPDX-License-Identifier: MIT
 *
 * The fuzz target for archives of rules. The first byte says what is done with the rest: 1 mends the
 * headers' checksums, 2 compresses it. Whatever it is: it is taken, or refused with a reason; only
 * plain YAML files are written, and nothing beside them. A broken promise aborts.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/scope.h"
#include "door/cli/unpack.h"

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

static size_t compress_gzip(const uint8_t *data, size_t len, uint8_t *to, size_t room)
{
	const int gzip = 16, bits = 15, memory = 8;
	z_stream z = {.next_in = (uint8_t *)data,
		      .avail_in = (unsigned)len,
		      .next_out = to,
		      .avail_out = (unsigned)room};

	must(deflateInit2(&z, 1, Z_DEFLATED, bits + gzip, memory, Z_DEFAULT_STRATEGY) == Z_OK);
	must(deflate(&z, Z_FINISH) == Z_STREAM_END && deflateEnd(&z) == Z_OK);
	return z.total_out;
}

static void check_file(const char *name, const struct stat *st)
{
	const char *end = strrchr(name, '.');

	must(S_ISREG(st->st_mode) && st->st_size <= UNPACK_BYTES_MAX && !(st->st_mode & 07133));
	must(end && end != name && (!strcmp(end, ".yaml") || !strcmp(end, ".yml")));
}

/* Removes what is in a directory. */
static void sweep(int dir)
{
	DIR *d = fdopendir(dir);
	struct dirent *e;

	must(d != NULL);
	while ((e = readdir(d))) {
		struct stat st;
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		must(fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0);
		if (S_ISDIR(st.st_mode))
			sweep(openat(dir, e->d_name, O_RDONLY | O_DIRECTORY));
		else
			check_file(e->d_name, &st);
		must(unlinkat(dir, e->d_name, S_ISDIR(st.st_mode) ? AT_REMOVEDIR : 0) == 0);
	}
	closedir(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char outer[] = "/tmp/test-cordon.XXXXXX";
	struct err err = {0};
	size_t room = len + len / 1000 + 64;
	AUTO_FREE uint8_t *copy = malloc(len + 1), *packed = malloc(room);

	if (!len)
		return 0;
	must(copy && packed && mkdtemp(outer));
	memcpy(copy, data + 1, --len);
	if (data[0] & MEND)
		mend(copy, len);
	size_t size = data[0] & COMPRESS ? compress_gzip(copy, len, packed, room) : len;
	AUTO_CLOSE int around = open(outer, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	must(around >= 0 && mkdirat(around, "in", 0755) == 0);
	int in = openat(around, "in", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int result = unpack_rules(data[0] & COMPRESS ? packed : copy, size, in, &err);
	must(result == 0 || (result == -1 && err.message[0] && err.code));
	sweep(in);
	/* Would fail if there were anything else. */
	must(unlinkat(around, "in", AT_REMOVEDIR) == 0 && rmdir(outer) == 0);
	return 0;
}
