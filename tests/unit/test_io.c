/* SPDX-License-Identifier: MIT
 *
 * What a single system call leaves half done must not pass for the whole: a text that was cut, a
 * value that was taken in part, a directory that stopped answering, an errno that the clean-up
 * overwrote.
 */
#include "base/io.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

#include "base/scope.h"
#include "scratch.h"
#include "tap.h"

static int fail_in_scope(void)
{
	AUTO_CLOSEDIR DIR *d = opendir(".");

	close(dirfd(d)); /* so that closing it fails */
	errno = EXDEV;
	return d ? -1 : 0;
}

static void test_scope(void)
{
	ok(fail_in_scope() == -1 && errno == EXDEV, "errno survives the end of a directory stream");
}

/* A file system that is full, or a file at its limit, takes a part. */
static void test_short_write(void)
{
	struct rlimit old, small;

	scratch_file("value", "", 0644);
	getrlimit(RLIMIT_FSIZE, &old);
	small = (struct rlimit){4, old.rlim_max};
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &small);
	int whole = io_write_text(AT_FDCWD, "value", "1234");
	int cut = io_write_text(AT_FDCWD, "value", "12345"), error = errno;
	setrlimit(RLIMIT_FSIZE, &old);
	ok(whole == 0, "a value that is taken whole");
	ok(cut == -1 && error == EIO, "a value of which a part was taken is an error");
}

static void test_long_text(void)
{
	char text[8];

	scratch_file("fits", "123456\n", 0644);
	ok(io_read_text(AT_FDCWD, "fits", text, sizeof(text)) == 0 && strcmp(text, "123456") == 0,
	   "a text that just fits");
	scratch_file("exact", "1234567", 0644);
	ok(io_read_text(AT_FDCWD, "exact", text, sizeof(text)) == 0 && strcmp(text, "1234567") == 0,
	   "one without a newline");
	scratch_file("longer", "1234567\n", 0644);
	ok(io_read_text(AT_FDCWD, "longer", text, sizeof(text)) == -1 && errno == EOVERFLOW,
	   "one byte more is an error");
	ok(text[0] == '\0', "and nothing is given out");
}

int main(void)
{
	const char *dir = scratch_enter();

	test_scope();
	test_short_write();
	test_long_text();
	scratch_leave(dir);
	return tap_done();
}
