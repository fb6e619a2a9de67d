/* SPDX-License-Identifier: MIT
 *
 * What a single system call leaves half done must not pass for the whole: a text that was cut, a
 * value that was taken in part, a directory that stopped answering, an errno that the clean-up
 * overwrote.
 */
#include "base/io.h"

#include <errno.h>

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

int main(void)
{
	const char *dir = scratch_enter();

	test_scope();
	scratch_leave(dir);
	return tap_done();
}
