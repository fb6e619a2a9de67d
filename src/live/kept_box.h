/* SPDX-License-Identifier: MIT
 *
 * A live box that cordon-keeper holds, so that it lives on between commands. The messages are those of
 * model/keep.h.
 */
#ifndef CORDON_LIVE_KEPT_BOX_H
#define CORDON_LIVE_KEPT_BOX_H

#include "live/live.h"
#include "model/keep.h"

struct kept_box {
	int socket; /* to the keeper, or -1 */
	struct keep_box about;
	int fds[KEEP_FDS];
	struct live live; /* the box, while this process speaks to it */
	const uint8_t *spec_bytes;
	size_t spec_len;
};
#define KEPT_BOX_NONE ((struct kept_box){.socket = -1, .fds = {-1, -1, -1, -1}, .live = LIVE_NONE})

/* STATE is the open state directory. If no keeper runs: starts one if STARTS, else returns 1. */
int kept_box_connect(struct kept_box *b, int state, bool starts, struct err *err);
/* The keeper starts cordon-egress, which lives as long as the box: its two sockets. */
int kept_box_egress(struct kept_box *b, struct egress_process *ret, struct err *err);
/* Before the spec: B->about and its descriptors of options and overlay are filled in. The launch of
 * the box, for live_create. */
int kept_box_ask(struct kept_box *b, struct launch *ret, struct err *err);
/* Finds the box NAME and opens its spec; then B->live starts programs in it. SINK and RESULT stay the
 * caller's. */
int kept_box_use(struct kept_box *b, const char *name, struct err *err);
void kept_box_begin(struct kept_box *b, const struct launch_sink *sink, struct result *result);
/* The decoded strings live as long as B. */
int kept_box_spec(const struct kept_box *b, struct spec *ret, struct err *err);
/* KEEP_SAVE, which opens the overlay in B->fds; KEEP_STOP or KEEP_DROP. */
int kept_box_tell(struct kept_box *b, uint32_t kind, const char *name, struct keep_done *ret,
		  struct err *err);
/* Calls EACH for every box, with the path of its workspace or "". */
int kept_box_list(struct kept_box *b,
		  void (*each)(void *ctx, const struct keep_box *box, const char *workspace),
		  void *ctx, struct err *err);
/* Stops every box of the conversation; its changes are saved. */
int kept_box_stop_all(int state, const char *conversation, struct err *err);
void kept_box_close(struct kept_box *b);
#define AUTO_KEPT_BOX __attribute__((cleanup(kept_box_close)))

#endif
