/* SPDX-License-Identifier: MIT
 *
 * A program that is hashed while it runs: any change of its file in between must be noticed, also
 * one that leaves its size and its modification time as they were, and one made at once.
 */
#include "flow/payload.h"

#include <time.h>

#include "base/scope.h"
#include "scratch.h"
#include "tap.h"

static void do_nothing(void)
{
}

static void overwrite(void)
{
	scratch_file("program", "other", 0755);
}

static void overwrite_unseen(void)
{
	struct stat st;

	scratch_must(stat("program", &st) == 0, "program");
	struct timespec times[2] = {st.st_atim, st.st_mtim};
	overwrite();
	scratch_must(utimensat(AT_FDCWD, "program", times, 0) == 0, "times");
}

static void append(void)
{
	scratch_must(truncate("program", 100) == 0, "program");
}

int main(void)
{
	static const struct {
		const char *what;
		void (*meanwhile)(void);
		bool same;
	} rows[] = {{"a file that nobody touched", do_nothing, true},
		    {"one that was overwritten", overwrite, false},
		    {"one that was overwritten, with its old times", overwrite_unseen, false},
		    {"one that grew", append, false}};
	const char *dir = scratch_enter();

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct stat before;
		struct err err;
		scratch_file("program", "first", 0755);
		AUTO_CLOSE int fd = open("program", O_RDONLY | O_CLOEXEC);
		scratch_must(payload_stamp(fd, &before, &err) == 0, "stamp");
		rows[i].meanwhile();
		ok(payload_is_same(fd, &before) == rows[i].same, "%s", rows[i].what);
	}
	scratch_leave(dir);
	return tap_done();
}
