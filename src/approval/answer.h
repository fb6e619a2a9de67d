/* SPDX-License-Identifier: MIT
 *
 * An answer as text: seven lines and the SSH signature of exactly these lines. It can be sent by mail,
 * on a web page or through a pipe.
 */
#ifndef CORDON_APPROVAL_ANSWER_H
#define CORDON_APPROVAL_ANSWER_H

#include "approval/approval.h"
#include "store/buf.h"

enum { ANSWER_TEXT_MAX = 512, ANSWER_MAX = 2 * SSH_SIGNATURE_MAX + ANSWER_TEXT_MAX };

struct answer {
	uint8_t binding[APPROVAL_SHA256]; /* of the request */
	struct approval_vote vote;
};

/* Writes the lines. Those of a confirmation are not signed; the log has their hash. */
void answer_text(const struct answer *answer, struct buf *out);
/* Writes lines and signature. */
int answer_write(const struct answer *answer, struct buf *out, struct err *err);
/* Parses an answer. RET's texts belong to A. The signature is not verified. */
int answer_read(const void *data, size_t len, struct arena *a, struct answer *ret, struct err *err);

#endif
