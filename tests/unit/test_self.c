/* SPDX-License-Identifier: MIT
 *
 * What the program finds of itself in its own file is what is in memory.
 */
#include <string.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/self.h"
#include "tap.h"

static const char constant[] = "a constant of this program only: 7d3e5a90";
static char variable[] = "what may change is not looked for in a file";

static void test_offset(void)
{
	AUTO_CLOSE int fd = self_open();
	char there[sizeof(constant)];
	size_t at = 0;

	ok(fd >= 0 && write(fd, "x", 1) < 0, "our own file is open for reading only");
	ok(self_offset(constant, sizeof(constant), &at) == 0, "a constant is in it");
	ok(pread(fd, there, sizeof(there), (off_t)at) == (ssize_t)sizeof(there) &&
		   memcmp(there, constant, sizeof(there)) == 0,
	   "at that place");
	ok(self_offset(variable, sizeof(variable), &at) < 0, "a variable is not");
	ok(self_offset(there, sizeof(there), &at) < 0, "and nothing on the stack");
	ok(self_offset(constant, (size_t)-1, &at) < 0, "nor what reaches beyond the end");
}

int main(void)
{
	test_offset();
	return tap_done();
}
