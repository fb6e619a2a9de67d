/* SPDX-License-Identifier: MIT
 *
 * Who is at the door, as far as a process can be asked about itself: its account, whether a person
 * can be at its terminal, whether it is in a box, who started it. None of it stops a determined
 * program of the same account, which could do without our code; it stops a helpful one.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "approval/approval.h"
#include "base/account.h"
#include "base/io.h"
#include "base/self.h"

enum { STATUS_MAX = 16384, PROC_STAT_MAX = 2048 };

/* The number behind NAME in /proc/self/status; -1 when the kernel does not tell. */
static long status_number(const char *text, const char *name)
{
	const char *line = strstr(text, name);

	return line ? strtol(line + strlen(name), NULL, 10) : -1;
}

/* Whatever the box has started has no_new_privs for good. A system call filter alone says nothing:
 * container tools put one on people's shells. Who is not told, by a kernel before 4.10 or in a box that
 * has no openat2, counts as in one. */
static bool is_in_box(void)
{
	char text[STATUS_MAX];

	return self_read("status", text, sizeof(text)) < 0 ||
	       status_number(text, "\nNoNewPrivs:") != 0;
}

/* The name in /proc/PID/stat may hold anything: what counts is behind its last bracket. */
static bool read_parent(long pid, long *ret_parent, long *ret_group)
{
	char path[64], text[PROC_STAT_MAX], state;

	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	if (io_read_text(AT_FDCWD, path, text, sizeof(text)) < 0)
		return false;
	const char *rest = strrchr(text, ')');
	return rest && sscanf(rest + 1, " %c %ld %ld", &state, ret_parent, ret_group) == 3;
}

static void look_at_parents(struct approval_actor *a)
{
	long pid = getpid(), group;

	while (pid > 0 && a->groupc < APPROVAL_PARENTS_MAX && read_parent(pid, &pid, &group))
		a->group[a->groupc++] = (uint64_t)group;
	/* Behind enough others the requester would not be seen. */
	a->has_more_parents = pid > 0 && a->groupc == APPROVAL_PARENTS_MAX;
}

void approval_actor_here(struct approval_actor *ret)
{
	*ret = (struct approval_actor){.uid = account_here(),
				       .in_box = is_in_box(),
				       .has_terminal = isatty(STDIN_FILENO) == 1};
	look_at_parents(ret);
}
