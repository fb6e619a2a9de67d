/* SPDX-License-Identifier: MIT
 *
 * The maxima of an unpacked archive, at each and one beyond. What hostile archives hold is tested
 * with the command (rules_fetch.bats).
 */
#include <fcntl.h>
#include <zlib.h>

#include "cli/unpack.h"
#include "scratch.h"
#include "tap.h"

enum { BLOCK = 512 };

static char header[BLOCK];

static void make_header(const char *name, size_t size)
{
	unsigned sum = 0;

	memset(header, 0, sizeof(header));
	snprintf(header, 100, "%s", name);
	snprintf(header + 124, 12, "%011zo", size);
	header[156] = '0';
	memset(header + 148, ' ', 8);
	for (size_t i = 0; i < BLOCK; i++)
		sum += (unsigned char)header[i];
	snprintf(header + 148, 8, "%06o", sum);
}

/* COUNT entries, each of SIZE bytes; with NUMBERED names below the rules. */
static void make_archive(const char *path, size_t count, size_t size, bool rules)
{
	static const char zeros[BLOCK];
	gzFile to = gzopen(path, "wb1");
	char name[64];

	scratch_must(to != NULL, path);
	for (size_t i = 0; i < count; i++) {
		snprintf(name, sizeof(name), rules ? "package/rules/%zu.yaml" : "package/x", i);
		make_header(name, size);
		scratch_must(gzwrite(to, header, BLOCK) == BLOCK, path);
		for (size_t n = 0; n < size; n += BLOCK)
			scratch_must(gzwrite(to, zeros, BLOCK) == BLOCK, path);
	}
	scratch_must(gzwrite(to, zeros, BLOCK) == BLOCK && gzclose(to) == Z_OK, path);
}

static int unpack(const char *path, size_t *ret_files, struct err *err)
{
	int archive = open(path, O_RDONLY), to, result;

	scratch_dir("out");
	to = open("out", O_RDONLY | O_DIRECTORY);
	result = unpack_rules(archive, "package/rules/", to, ret_files, err);
	close(archive);
	close(to);
	scratch_must(system("rm -rf out") == 0, "out");
	return result;
}

static void check(const char *what, size_t count, size_t size, bool rules, bool good)
{
	struct err err = {0};
	size_t files = 0;

	make_archive("a.tgz", count, size, rules);
	int result = unpack("a.tgz", &files, &err);
	ok((result == 0) == good, "%s: %zu of %zu bytes", what, count, size);
	ok(good ? files == (rules ? count : 0) : err.code == ERR_LIMIT, "%s: and why", what);
}

int main(void)
{
	const char *dir = scratch_enter();
	/* Of the largest size a few entries are made: each has a header, the archive an end. */
	size_t half = UNPACK_BYTES_MAX / 2 - BLOCK;

	check("files", UNPACK_FILES_MAX, 0, true, true);
	check("files", UNPACK_FILES_MAX + 1, 0, true, false);
	check("entries", UNPACK_ENTRIES_MAX, 0, false, true);
	check("entries", UNPACK_ENTRIES_MAX + 1, 0, false, false);
	check("a file", 1, UNPACK_FILE_MAX, true, true);
	check("a file", 1, UNPACK_FILE_MAX + 1, true, false);
	check("bytes", 2, half - BLOCK, false, true);
	check("bytes", 2, half, false, false);
	scratch_leave(dir);
	return tap_done();
}
