/* SPDX-License-Identifier: MIT
 *
 * The head of an HTTP/1.1 request on its way to a host that gets a secret. Pure. What comes in is
 * hostile: what could be read in two ways is refused, so that the secret stands in the one header it
 * is for and nowhere else.
 */
#ifndef CORDON_EGRESS_HEAD_H
#define CORDON_EGRESS_HEAD_H

#include <stddef.h>

enum { HEAD_MAX = 32768 };

struct head_rule {
	const char *host;	 /* what the host is called, for its own header */
	const char *header;	 /* the one that the secret may stand in */
	const char *placeholder; /* what stands there instead of it */
	const char *secret;
};

/* Bytes of the head in DATA, its empty line included; 0: it is not all there yet. */
size_t head_end(const char *data, size_t len);
/* Writes what the host gets to RET, of SIZE bytes. 0: this is no request that is passed on. */
size_t head_rewrite(const char *data, size_t len, const struct head_rule *rule, char *ret,
		    size_t size);

#endif
