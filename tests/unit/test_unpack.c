/* SPDX-License-Identifier: MIT
 *
 * The maxima of an unpacked archive, at each and one beyond. What hostile archives hold is tested
 * with the command (rules_fetch.bats).
 */
#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>

#include "door/cli/unpack.h"
#include "scratch.h"
#include "tap.h"

enum { BLOCK = 512, ROOM = 32 << 20 };

static char zeros[UNPACK_BYTES_MAX];

/* COUNT rules, each of SIZE bytes. NAME has a place for the number. */
static size_t make_archive(char *to, const char *name, size_t count, size_t size)
{
	struct archive *a = archive_write_new();
	struct archive_entry *e = archive_entry_new();
	char path[UNPACK_NAME_MAX * 2];
	size_t used = 0;

	scratch_must(a && e && archive_write_add_filter_gzip(a) == ARCHIVE_OK &&
			     archive_write_set_format_ustar(a) == ARCHIVE_OK &&
			     archive_write_set_filter_option(a, "gzip", "compression-level", "1") ==
				     ARCHIVE_OK &&
			     archive_write_set_bytes_per_block(a, 0) == ARCHIVE_OK &&
			     archive_write_open_memory(a, to, ROOM, &used) == ARCHIVE_OK,
		     "archive");
	for (size_t i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s%s%zu.yaml", UNPACK_RULES, name, i);
		archive_entry_clear(e);
		archive_entry_set_pathname(e, path);
		archive_entry_set_filetype(e, AE_IFREG);
		archive_entry_set_size(e, (la_int64_t)size);
		scratch_must(archive_write_header(a, e) == ARCHIVE_OK, path);
		for (size_t n = 0; n < size;)
			n += (size_t)archive_write_data(a, zeros, size - n);
	}
	scratch_must(archive_write_close(a) == ARCHIVE_OK, "archive");
	archive_entry_free(e);
	archive_write_free(a);
	return used;
}

/* CODE is ERR_NONE if all is well. */
static void check(const char *what, const char *name, size_t count, size_t size, unsigned code)
{
	char *archive = malloc(ROOM);
	struct err err = {0};

	scratch_must(archive != NULL, "memory");
	size_t len = make_archive(archive, name, count, size);
	scratch_dir("out");
	int to = open("out", O_RDONLY | O_DIRECTORY);
	int result = unpack_rules(archive, len, to, &err);
	ok(result == (code ? -1 : 0) && err.code == code, "%s: %zu of %zu bytes: %s", what, count,
	   size, err.message);
	close(to);
	free(archive);
	scratch_must(system("rm -rf out") == 0, "out");
}

int main(void)
{
	const char *dir = scratch_enter();
	/* Each of two files has a header, and the archive ends with two blocks. */
	size_t half = UNPACK_BYTES_MAX / 2 - 2 * BLOCK;
	char longest[UNPACK_NAME_MAX + 2];

	/* In three parts, as ustar splits names; the name of the file is 0.yaml. */
	memset(longest, 'a', sizeof(longest));
	longest[70] = longest[140] = '/';
	longest[UNPACK_NAME_MAX - 6] = '\0';
	check("entries", "", UNPACK_ENTRIES_MAX, 0, ERR_NONE);
	check("entries", "", UNPACK_ENTRIES_MAX + 1, 0, ERR_LIMIT);
	check("bytes", "", 2, half, ERR_NONE);
	check("bytes", "", 2, half + 1, ERR_LIMIT);
	check("name", longest, 1, 1, ERR_NONE);
	longest[UNPACK_NAME_MAX - 6] = 'a';
	longest[UNPACK_NAME_MAX - 5] = '\0';
	check("name", longest, 1, 1, ERR_INPUT);
	scratch_leave(dir);
	return tap_done();
}
