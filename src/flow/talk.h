/* SPDX-License-Identifier: MIT
 *
 * A blueprint whose interpreter reads its own code while it starts, and talks with us about it before
 * it runs it: see view_boot and runtime/boot.
 */
#ifndef CORDON_FLOW_TALK_H
#define CORDON_FLOW_TALK_H

#include "flow/launch.h"
#include "flow/view.h"

/* What is said. The descriptors are TALK_FD and PARTS_FD of model/spec.h; runtime/boot has the same four
 * values, and tests/cli/talk.bats holds it to them. */
enum {
	TALK_END = 0xff, /* ends the answer: a byte of no text */
	TALK_GO = 'g',	 /* the code may run */
};

/* Can it? Not when it could write something before the answer is there, nor when the caller has
 * anything to say about how the interpreter starts: nothing but our own code may run until then. */
bool talk_can(const struct blueprint *p, const struct request *req);
/* Can it tell of itself what it does, if that is asked for? */
bool talk_can_tell(const struct blueprint *p, const struct request *req);
/* The descriptors and the flag; the files are the caller's to add. *RET has the module path. */
int talk_open(struct blueprint *p, struct view_boot *ret, struct err *err);
void talk_close(struct blueprint *p);
/* Waits for the answer of one that was started (malloc'd, without its end); -1: there is none, and this
 * box is of no use. */
int talk_hear(struct launch *l, struct blueprint *p, char **ret, size_t *ret_len);
/* Lets it go on. */
void talk_let(struct blueprint *p);

#endif
