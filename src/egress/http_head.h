/* SPDX-License-Identifier: MIT
 *
 * The head of an HTTP/1.1 request to a host that gets a secret. Pure. The input is hostile: a
 * head that could be read in two ways is refused, so that the secret is only in the header that
 * it is for. Only requests that the policy and a grant name get the secret.
 */
#ifndef CORDON_EGRESS_HTTP_HEAD_H
#define CORDON_EGRESS_HTTP_HEAD_H

#include <stddef.h>

#include "model/egress_message.h"

enum { HEAD_MAX = 32768 };
#define HEAD_NO_REQUEST "not an HTTP/1.1 request that can be passed on"

/* The length of the head in DATA, with its empty line; 0: it is not complete yet. */
size_t http_head_end(const char *data, size_t len);
/* Writes the head for the host to RET, which has SIZE bytes, and returns its length. 0: the
 * request is not passed on, and RET_WHY says why. */
size_t http_head_rewrite(const char *data, size_t len, const struct egress_secret *s, char *ret,
			 size_t size, const char **ret_why);

#endif
