/* SPDX-License-Identifier: MIT
 *
 * A passphrase is read from the terminal itself, never from standard input or an argument: other
 * programs can see those, and a pipe is no person.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "cli/approvals.h"

/* Until the line's end; longer ones are refused, a part would be another passphrase. */
static int read_line(int tty, char *ret, struct err *err)
{
	size_t len = 0;
	bool too_long = false;
	char c;

	for (;;) {
		ssize_t n = read(tty, &c, 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return err_set(err, ERR_INPUT, "no passphrase was typed");
		if (c == '\n' || c == '\r')
			break;
		too_long |= len == APPROVAL_PASS_MAX;
		if (!too_long)
			ret[len++] = c;
	}
	ret[len] = '\0';
	if (too_long)
		return err_set(err, ERR_LIMIT, "a passphrase has at most %d bytes",
			       APPROVAL_PASS_MAX);
	return len ? 0 : err_set(err, ERR_INPUT, "the passphrase is empty");
}

int passphrase_ask(const char *prompt, char *ret, struct err *err)
{
	AUTO_CLOSE int tty = open("/dev/tty", O_RDWR | O_CLOEXEC);
	struct termios before, quiet;

	if (tty < 0 || tcgetattr(tty, &before) < 0) {
		err_set(err, ERR_INPUT, "there is no terminal to ask for a passphrase");
		err_cure(err, "run it by hand, from a terminal");
		return -1;
	}
	quiet = before;
	quiet.c_lflag &= ~(tcflag_t)(ECHO | ECHOE | ECHOK | ECHONL);
	if (tcsetattr(tty, TCSAFLUSH, &quiet) < 0)
		return err_errno(err, ERR_SYSTEM, "the terminal would show what is typed");
	io_write_all(tty, prompt, strlen(prompt));
	int r = read_line(tty, ret, err);
	tcsetattr(tty, TCSAFLUSH, &before);
	io_write_all(tty, "\n", 1);
	return r;
}
