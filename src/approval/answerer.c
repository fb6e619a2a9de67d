/* SPDX-License-Identifier: MIT
 *
 * Decides whether the calling process may confirm a request without a key: from its account, its
 * terminal, its parents, and whether it is in a box. This does not stop a determined program of the
 * same account, which could bypass our code; it stops an agent that answers its own questions.
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

/* The number that follows NAME in /proc/self/status; -1 if there is none. */
static long status_number(const char *text, const char *name)
{
	const char *line = strstr(text, name);

	return line ? strtol(line + strlen(name), NULL, 10) : -1;
}

/* Each process in a box has no_new_privs, and cannot drop it. A system call filter alone proves nothing:
 * container tools put one on people's shells. If the status cannot be read (Linux before 4.10, or a box
 * without openat2), the process counts as in a box. */
static bool is_in_box(void)
{
	char text[STATUS_MAX];

	return self_read("status", text, sizeof(text)) < 0 ||
	       status_number(text, "\nNoNewPrivs:") != 0;
}

/* The name in /proc/PID/stat can hold any byte, so the fields begin after the last bracket. */
static bool read_parent(long pid, long *ret_parent, long *ret_group)
{
	char path[64], text[PROC_STAT_MAX], state;

	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	if (io_read_text(AT_FDCWD, path, text, sizeof(text)) < 0)
		return false;
	const char *rest = strrchr(text, ')');
	return rest && sscanf(rest + 1, " %c %ld %ld", &state, ret_parent, ret_group) == 3;
}

static void add_parents(struct approval_actor *a)
{
	long pid = getpid(), group;

	while (pid > 0 && a->groupc < APPROVAL_PARENTS_MAX && read_parent(pid, &pid, &group))
		a->group[a->groupc++] = (uint64_t)group;
	/* More parents could hide the requester. */
	a->has_more_parents = pid > 0 && a->groupc == APPROVAL_PARENTS_MAX;
}

void approval_actor_here(struct approval_actor *ret)
{
	*ret = (struct approval_actor){.uid = account_here(),
				       .in_box = is_in_box(),
				       .has_terminal = isatty(STDIN_FILENO) == 1};
	add_parents(ret);
}

static int refuse(struct err *err, const struct approval *a, const char *why, const char *cure)
{
	err_set(err, ERR_REFUSED, "you cannot approve %s without a key: %s", a->id, why);
	err_cure(err, "%s", cure);
	return -1;
}

static bool is_started_by(const struct approval *a, const struct approval_actor *actor)
{
	for (size_t i = 0; a->request.pgid && i < actor->groupc; i++)
		if (actor->group[i] == a->request.pgid)
			return true;
	return a->request.pgid && actor->has_more_parents;
}

int approval_may_confirm(const struct approval *a, const struct approval_actor *actor,
			 struct err *err)
{
	static const char sign[] = "let an enrolled person sign it: --key FILE --as NAME";

	if (actor->in_box)
		return refuse(err, a, "this process is in a box (no_new_privs)",
			      "approve from an ordinary login");
	if (actor->uid == ACCOUNT_UNKNOWN || a->request.uid == ACCOUNT_UNKNOWN)
		return refuse(err, a, "in a user namespace the account cannot be identified", sign);
	if (actor->uid != a->request.uid)
		return refuse(err, a, "another account made the request", sign);
	if (a->request.approvers > 1)
		return refuse(err, a, "the policy requires more than one person", sign);
	if (!a->request.confirmation)
		return refuse(err, a, "the policy does not accept a confirmation for this", sign);
	if (is_started_by(a, actor))
		return refuse(err, a, "the process group that made the request started this one",
			      "approve from another terminal");
	if (!actor->has_terminal)
		return refuse(err, a, "standard input is not a terminal", sign);
	return 0;
}
