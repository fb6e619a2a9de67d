/* SPDX-License-Identifier: MIT
 *
 * The box's namespaces. Init starts in the first two and makes the others itself: it copies the host's
 * mounts while the supervisor maps its ids. The network namespace takes longest, so a third process makes it
 * in parallel (program.c).
 */
#include <errno.h>
#include <sched.h>

#include "base/scope.h"
#include "base/spawn.h"
#include "box/box.h"

static const struct {
	enum layer layer;
	int flag;
	bool at_birth;
} spaces[] = {
	{LAYER_USERNS, CLONE_NEWUSER, true}, {LAYER_PIDNS, CLONE_NEWPID, true},
	{LAYER_MOUNTNS, CLONE_NEWNS, false}, {LAYER_IPCNS, CLONE_NEWIPC, false},
	{LAYER_UTSNS, CLONE_NEWUTS, false},  {LAYER_CGROUPNS, CLONE_NEWCGROUP, false},
};

int namespaces_choose(const struct box *b, bool at_birth)
{
	int flags = 0;

	for (size_t i = 0; b->spec->tier != TIER_NO_USERNS && i < ARRAY_SIZE(spaces); i++)
		if (spaces[i].at_birth == at_birth && box_wants(b, spaces[i].layer))
			flags |= spaces[i].flag;
	return flags;
}

void namespaces_mark(struct box *b, int flags)
{
	for (size_t i = 0; i < ARRAY_SIZE(spaces); i++)
		if (flags & spaces[i].flag)
			box_mark(b, spaces[i].layer);
}

/* Names the layer that failed: the one that a sysctl switches off, otherwise the first. EAGAIN: there are too
 * many processes, and no layer is to blame. */
int namespaces_explain(const struct box *b, struct err *err)
{
	if (namespaces_choose(b, true) == 0 || errno == EAGAIN)
		return spawn_explain(err, "the box's init");
	err_errno(err, ERR_LAYER, "making the box's namespaces");
	for (size_t i = 1; i < ARRAY_SIZE(spaces); i++)
		if (diagnose_sysctl(err, spaces[i].layer)) {
			err_blame(err, layer_row(spaces[i].layer)->name);
			return -1;
		}
	err_blame(err, layer_row(LAYER_USERNS)->name);
	diagnose_layer(err, LAYER_USERNS);
	return -1;
}

/* Inside, the host's sysctls cannot be read. So each namespace is tried by itself, and the supervisor looks
 * for the cause. */
static int find_culprit(int flags, struct err *err)
{
	err_errno(err, ERR_LAYER, "making the box's namespaces");
	for (size_t i = 0; i < ARRAY_SIZE(spaces); i++)
		if (flags & spaces[i].flag && unshare(spaces[i].flag) < 0) {
			err_errno(err, ERR_LAYER, "making the box's namespaces");
			err_blame(err, layer_row(spaces[i].layer)->name);
			break;
		}
	return -1;
}

int namespaces_enter(struct box *b, struct err *err)
{
	int flags = namespaces_choose(b, false);

	if (flags && unshare(flags) < 0)
		return find_culprit(flags, err);
	namespaces_mark(b, flags);
	return 0;
}
