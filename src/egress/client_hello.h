/* SPDX-License-Identifier: MIT
 *
 * Reads the server name from the first bytes of a TLS client, which are not encrypted (RFC 8446, RFC 6066).
 * Pure. The input is hostile.
 */
#ifndef CORDON_EGRESS_CLIENT_HELLO_H
#define CORDON_EGRESS_CLIENT_HELLO_H

#include <stddef.h>
#include <stdint.h>

#include "model/egress_message.h"

enum { HELLO_MAX = 16384 + 5 }; /* one record */

enum hello {
	HELLO_MORE,   /* more bytes are needed */
	HELLO_NO_TLS, /* not the first bytes of TLS */
	HELLO_BAD,    /* TLS without a name, with several names, or malformed */
	HELLO_HIDDEN, /* TLS with an encrypted ClientHello inside (ECH) */
	HELLO_NAMED,
};

/* RET gets the name in lower case. */
enum hello client_hello_read(const uint8_t *data, size_t len, char ret[EGRESS_NAME_MAX]);

#endif
