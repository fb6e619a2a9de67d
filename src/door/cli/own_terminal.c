/* SPDX-License-Identifier: MIT
 *
 * See own_terminal.h.
 */
#include "door/cli/own_terminal.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { ROWS = 24, COLS = 80 }; /* where the terminal does not know its size */

/* For the handler of SIGWINCH, which gets no context. */
static volatile sig_atomic_t followed = -1;

static void resize(int sig)
{
	int saved = errno;
	struct winsize size;

	(void)sig;
	if (followed >= 0 && ioctl(STDIN_FILENO, TIOCGWINSZ, &size) == 0)
		ioctl(followed, TIOCSWINSZ, &size);
	errno = saved;
}

bool own_terminal_is_wanted(const char *file)
{
	return (!file || strcmp(file, "-") == 0) && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

void own_terminal_ask(struct request *r)
{
	struct winsize size = {0};

	ioctl(STDIN_FILENO, TIOCGWINSZ, &size);
	r->rows = size.ws_row ? size.ws_row : ROWS;
	r->cols = size.ws_col ? size.ws_col : COLS;
}

void own_terminal_begin(struct own_terminal *t, int master)
{
	const struct sigaction act = {.sa_handler = resize, .sa_flags = SA_RESTART};
	struct termios raw;

	if (tcgetattr(STDIN_FILENO, &t->before) < 0)
		return;
	raw = t->before;
	cfmakeraw(&raw);
	t->is_raw = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
	followed = master;
	sigaction(SIGWINCH, &act, NULL);
	resize(SIGWINCH);
}

void own_terminal_end(const struct own_terminal *t)
{
	followed = -1;
	if (t->is_raw)
		tcsetattr(STDIN_FILENO, TCSAFLUSH, &t->before);
}
