/* SPDX-License-Identifier: MIT
 *
 * See forward.h. The handler writes to a pipe, which the loop that waits for the box reads.
 */
#include "door/cli/forward.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#include "base/scope.h"

enum { LOWEST = 3 };

static const int forwarded[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
static int to = -1;

static void note(int sig)
{
	int before = errno;
	unsigned char number = (unsigned char)sig;

	(void)!write(to, &number, 1);
	errno = before;
}

int forward_open(void)
{
	int pipe[2];

	if (pipe2(pipe, O_CLOEXEC | O_NONBLOCK) < 0)
		return 0;
	AUTO_CLOSE int from = pipe[0];
	to = pipe[1];
	int high = fcntl(from, F_DUPFD_CLOEXEC, LOWEST);
	return high < 0 ? 0 : high;
}

static void change(void (*from)(int), void (*handler)(int))
{
	const struct sigaction act = {.sa_handler = handler};
	struct sigaction now;

	for (size_t i = 0; i < ARRAY_SIZE(forwarded); i++)
		if (sigaction(forwarded[i], NULL, &now) == 0 && now.sa_handler == from)
			sigaction(forwarded[i], &act, NULL);
}

void forward_begin(void)
{
	if (to >= 0)
		change(SIG_DFL, note);
}

void forward_end(void)
{
	change(note, SIG_DFL);
}
