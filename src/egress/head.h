/* SPDX-License-Identifier: MIT
 *
 * The head of an HTTP/1.1 request on its way to a host that gets a secret. Pure. What comes in is
 * hostile: what could be read in two ways is refused, so that the secret stands in the one header it
 * is for and nowhere else. It goes in requests that the policy and a grant name, and in no others.
 */
#ifndef CORDON_EGRESS_HEAD_H
#define CORDON_EGRESS_HEAD_H

#include <stddef.h>

#include "model/egress.h"

enum { HEAD_MAX = 32768 };
#define HEAD_NO_REQUEST "it is no request of HTTP/1.1 that could be passed on"

/* Bytes of the head in DATA, its empty line included; 0: it is not all there yet. */
size_t head_end(const char *data, size_t len);
/* Writes what the host gets to RET, of SIZE bytes. 0: this request is not passed on, and RET_WHY says why. */
size_t head_rewrite(const char *data, size_t len, const struct egress_secret *s, char *ret,
		    size_t size, const char **ret_why);

#endif
