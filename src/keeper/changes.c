/* SPDX-License-Identifier: MIT
 *
 * The changes of a box's workspace: cordon-box lists them, and they are saved to the overlay of the
 * conversation as after a cold run (flow/apply.c).
 */
#include <time.h>

#include "base/scope.h"
#include "keeper/boxes.h"
#include "overlay/overlay.h"

void changes_reset(struct kept *b)
{
	scope_close(&b->upper);
	b->changes = b->change_bytes = 0;
	b->changes_cut = false;
}

void changes_take(struct kept *b, const struct wire_change *m)
{
	b->changes++;
	if (__builtin_add_overflow(b->change_bytes, m->size, &b->change_bytes))
		b->changes_cut = true;
}

int changes_save(struct kept *b, struct keep_done *done)
{
	struct overlay o = overlay_adopt(b->fds[KEEP_FD_OVERLAY]);
	struct timespec since = {.tv_sec = b->about.began_s, .tv_nsec = b->about.began_ns};
	struct overlay_losses losses = {0};

	o.is_live = true;
	if (o.dir < 0 || b->drops)
		return 0;
	if (b->changes_cut)
		return err_set(&done->err, ERR_LIMIT,
			       "too many changes to report: nothing was saved");
	if (b->change_bytes > b->about.disk_max)
		return err_set(&done->err, ERR_LIMIT,
			       "the changes are larger than --disk: nothing was saved");
	if (overlay_save(&o, b->upper, b->fds[KEEP_FD_WORKSPACE], since, &losses, &done->err) < 0)
		return -1;
	done->changes = b->changes;
	done->left_out = losses.left_out;
	return 0;
}
