/* SPDX-License-Identifier: MIT
 *
 * A request as a file, for a person who has no access to the state directory. A reader trusts only what the
 * digests prove.
 */
#ifndef CORDON_APPROVAL_REQUEST_FILE_H
#define CORDON_APPROVAL_REQUEST_FILE_H

#include "approval/approval.h"
#include "store/buf.h"

enum {
	REQUEST_FILE_MAX =
		/* request, code and attachments */
	APPROVAL_BYTES_MAX + APPROVAL_CODE_MAX + APPROVAL_ATTACHED_MAX + 64,
};

/* The caller frees OUT. */
int request_file_write(const struct approval *a, const struct approval_code *code, struct buf *out,
		       struct err *err);
/* RET is pending and has no answers; RET_CODE is malloc'd. */
int request_file_read(const uint8_t *data, size_t len, struct approval *ret,
		      struct approval_code *ret_code, struct err *err);

#endif
