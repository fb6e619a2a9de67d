/* SPDX-License-Identifier: MIT */
/*
 * Attacks on the terminal of the user that started the run. TIOCSTI types into their shell
 * (CVE-2017-5226, VAREK A4), TIOCLINUX pastes, /dev/tty fakes a prompt for his approval.
 * The runner gives a pseudo terminal and looks at both of its queues afterwards.
 */
#include "probe.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* On each of the three standard descriptors, plain and with bits that the kernel cuts off. */
static int type_ahead(const struct args *args)
{
	static const unsigned long high[] = {0, 1UL << 32, 1UL << 63};
	char key = 'x', paste[2] = {3, 0};

	(void)args;
	for (int fd = 0; fd < 3; fd++)
		for (size_t i = 0; i < sizeof(high) / sizeof(high[0]); i++) {
			if (ioctl(fd, TIOCSTI | high[i], &key) == 0)
				return escaped("typed into descriptor %d", fd);
			if (ioctl(fd, TIOCLINUX | high[i], paste) == 0)
				return escaped("pasted into descriptor %d", fd);
		}
	return held("%s", strerrorname_np(errno));
}

/* A box may have terminals of its own. Before it makes one there is none in its /dev/pts; in the host's there
 * is at least the runner's. */
static int shows_terminals(void)
{
	DIR *d = opendir("/dev/pts");
	int shown = 0;

	for (struct dirent *e; d && (e = readdir(d));)
		shown |= e->d_name[0] >= '0' && e->d_name[0] <= '9';
	if (d)
		closedir(d);
	return shown;
}

static int open_tty(const struct args *args)
{
	static const char *const names[] = {"/dev/tty",	  "/dev/console", "/dev/tty0",
					    "/dev/tty1",  "/dev/pts/0",	  "/dev/pts/1",
					    "/dev/pts/2", "/dev/ptmx",	  "/dev/pts/ptmx",
					    "/dev/vcs",	  "/dev/kmsg",	  "/dev/ttyS0"};
	int own = !shows_terminals();

	(void)args;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		int fd = open(names[i], O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);

		if (fd < 0)
			continue;
		if (strstr(names[i], "ptmx") && own) {
			close(fd);
			continue;
		}
		dprintf(fd, "Approve? [y/N] ");
		return escaped("%s is open", names[i]);
	}
	return held("%s", strerrorname_np(errno));
}

static int tty_by_name(const struct args *args)
{
	const char *path = arg_text(args, "tty", "/dev/tty");
	int fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return held("%s: %s", path, strerrorname_np(errno));
	dprintf(fd, "Approve? [y/N] ");
	return escaped("%s is open", path);
}

/* Take the terminal over: controlling terminal, foreground group, line discipline, settings. */
static int seize_tty(const struct args *args)
{
	struct termios now;
	int discipline = 1, mine = getpgrp();

	(void)args;
	for (int fd = 0; fd < 3; fd++) {
		if (ioctl(fd, TIOCSCTTY, 1) == 0)
			return escaped("descriptor %d is my terminal", fd);
		if (ioctl(fd, TIOCSPGRP, &mine) == 0)
			return escaped("foreground on descriptor %d", fd);
		if (ioctl(fd, TIOCSETD, &discipline) == 0)
			return escaped("line discipline on descriptor %d", fd);
		if (ioctl(fd, TIOCCONS, 0) == 0)
			return escaped("console on descriptor %d", fd);
		if (ioctl(fd, TCGETS, &now) == 0 && ioctl(fd, TCSETS, &now) == 0)
			return escaped("settings of descriptor %d", fd);
	}
	return held("%s", strerrorname_np(errno));
}

/* A descriptor opened for writing on a terminal can often be read: listen to his keys. */
static int read_keys(const struct args *args)
{
	char keys[16];

	(void)args;
	for (int fd = 1; fd < 3; fd++) {
		int flags = fcntl(fd, F_GETFL);

		if (isatty(fd) && flags >= 0 && (flags & O_ACCMODE) == O_RDWR &&
		    fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0 &&
		    (read(fd, keys, sizeof(keys)) >= 0 || errno == EAGAIN))
			return escaped("descriptor %d reads the terminal", fd);
	}
	return held("%s", strerrorname_np(errno));
}

/* Clear the screen, set the title, read the clipboard, answer back, and the 8-bit forms. */
static int escapes(const struct args *args)
{
	static const char nasty[] = "\x1b[2J\x1b[H\x1b]0;pwned\x07\x1b]52;c;cHduZWQ=\x07"
				    "\x1b[6n\x1bP$q\"p\x1b\\\x9b"
				    "31m\xc2\x9b"
				    "2J\x08\x7f\x0e\r\n";

	(void)args;
	for (int fd = 1; fd < 3; fd++)
		if (write(fd, nasty, sizeof(nasty) - 1) < 0)
			return held("write: %s", strerrorname_np(errno));
	return held("escape sequences were printed, look outside");
}

/* Lines that look like Cordon's own. The last trick ends a line on the other stream. */
static int forged_lines(const struct args *args)
{
	static const struct {
		int fd;
		const char *text;
	} parts[] = {
		{1, "cordon: forged plain\n"},
		{1, "x\rcordon: forged return\n"},
		{1, "cor"},
		{1, "don: forged in parts\n"},
		{1, "\x1b[Gcordon: forged\n"},
		{1, "text"},
		{2, "\n"},
		{1, "cordon: forged over both streams\n"},
	};

	(void)args;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (write(parts[i].fd, parts[i].text, strlen(parts[i].text)) < 0)
			return held("write: %s", strerrorname_np(errno));
		usleep(30000);
	}
	return held("lines were forged, look outside");
}

/* A refused call is told to the person, with the name it was about: the program chose the name. */
static int forged_denial(const struct args *args)
{
	static const char name[] =
		"/\x1b[2J\x1b]0;pwned\x07\ncordon: forged\n\"}\n{\"forged\":true}\xff";

	(void)args;
	execl(name, name, NULL);
	return must_fail("execl", -1);
}

const struct probe tty_probes[] = {
	{"type-ahead", type_ahead, "type into the caller's shell"},
	{"open-tty", open_tty, "open any terminal device"},
	{"tty-by-name", tty_by_name, "open the caller's terminal by its name"},
	{"seize-tty", seize_tty, "take the terminal over"},
	{"escapes", escapes, "print sequences that a terminal obeys"},
	{"forged-lines", forged_lines, "print lines that look like Cordon's"},
	{"forged-denial", forged_denial, "be refused a name full of escapes and JSON"},
	{"read-keys", read_keys, "read the person's keys from descriptor 1 or 2"},
	{NULL, NULL, NULL},
};
