/* SPDX-License-Identifier: MIT
 *
 * Why a box has ended that no command ended: each client that asks for it is told.
 */
#include <sys/wait.h>

#include "keeper/boxes.h"

void death_explain(struct kept *b, int status)
{
	struct err *err = &b->about.err;

	if (err->code == ERR_NONE) {
		err_set(err, ERR_SYSTEM, "the box %s has died", b->about.name);
		err_cause(err,
			  "cordon-box ended by %s %d, and the changes since it was last saved "
			  "are lost",
			  WIFSIGNALED(status) ? "signal" : "status",
			  WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
		start_box_to_sweep();
	} else if (b->created_ns) { /* else the box was never created */
		err_context(err, "the box %s has died", b->about.name);
		if (!err->cause[0])
			err_cause(err, "the changes since it was last saved are lost");
	}
	if (!err->cure[0])
		err_cure(err, "cordon box create makes another one");
}

void death_explain_end(struct kept *b, const struct keep_done *done)
{
	struct err *err = &b->about.err;

	if (done->err.code != ERR_NONE) {
		*err = done->err;
		err_context(
			err,
			"the box %s has ended, and the changes since it was last saved are lost",
			b->about.name);
		return;
	}
	err_set(err, ERR_SYSTEM, "the box %s has ended", b->about.name);
	err_cause(err, "a limit, a rule or one of its programs ended it; its changes were saved");
	err_cure(err, "cordon diff --conversation %s DIR shows them", b->about.conversation);
}
