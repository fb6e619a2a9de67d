/* SPDX-License-Identifier: MIT
 *
 * Which name does a TLS client say it wants? Read from the first bytes that it sends, which are not
 * encrypted (RFC 8446, RFC 6066). Pure. What comes in is hostile.
 */
#ifndef CORDON_EGRESS_HELLO_H
#define CORDON_EGRESS_HELLO_H

#include <stddef.h>
#include <stdint.h>

#include "model/egress.h"

enum { HELLO_MAX = 16384 + 5 }; /* one record */

enum hello {
	HELLO_MORE,   /* nobody can say yet */
	HELLO_NO_TLS, /* these are no first bytes of TLS */
	HELLO_BAD,    /* TLS, but no name in it, or several, or nonsense */
	HELLO_HIDDEN, /* TLS with another ClientHello inside that nobody can read (ECH) */
	HELLO_NAMED,
};

/* RET gets the name in lower case. */
enum hello hello_read(const uint8_t *data, size_t len, char ret[EGRESS_NAME_MAX]);

#endif
