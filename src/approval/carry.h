/* SPDX-License-Identifier: MIT
 *
 * Requests and words that are carried by hand, to a person who may not enter the state directory and
 * back. Nothing is believed of them but what their digests and signatures prove.
 */
#ifndef CORDON_APPROVAL_CARRY_H
#define CORDON_APPROVAL_CARRY_H

#include "approval/approval.h"
#include "store/buf.h"

enum {
	CARRY_MAX =
		APPROVAL_BYTES_MAX + APPROVAL_CODE_MAX + 64, /* bytes of a request with its code */
	CARRY_VOTE_MAX = 1024,				     /* letters of a vote */
};

/* OUT is the caller's to free. */
int carry_request(const struct approval *a, const struct approval_code *code, struct buf *out,
		  struct err *err);
/* RET is as it was parked, without a status; RET_CODE is malloc'd. */
int carry_request_read(const uint8_t *data, size_t len, struct approval *ret,
		       struct approval_code *ret_code, struct err *err);
/* One line of text, without its end. */
int carry_vote(const struct approval_vote *v, char ret[CARRY_VOTE_MAX], struct err *err);
int carry_vote_read(const char *text, struct arena *a, struct approval_vote *ret, struct err *err);

#endif
