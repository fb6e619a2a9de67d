/* SPDX-License-Identifier: MIT
 *
 * A blueprint whose interpreter reads its own code while it starts, and talks with us about it before
 * it runs it: see view_boot and runtime/boot.
 */
#ifndef CORDON_FLOW_TALK_H
#define CORDON_FLOW_TALK_H

#include "flow/blueprint.h"
#include "flow/view.h"

/* Can it tell of itself what it does, if that is asked for? */
bool talk_can_tell(const struct blueprint *p, const struct request *req);
/* The descriptors and the flag; the files are the caller's to add. *RET has the module path. */
int talk_open(struct blueprint *p, struct view_boot *ret, struct err *err);
void talk_close(struct blueprint *p);

#endif
