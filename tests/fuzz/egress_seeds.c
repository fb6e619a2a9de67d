/* SPDX-License-Identifier: MIT
 *
 * One of each that cordon-egress reads; the byte before says which.
 */
#include "base/scope.h"
#include "seeds.h"

const int seed_rounds = 3000;

#define ADDRESS "\0\177\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\1\273\0"

static const struct seed seeds[] = {
	SEED("\0\0\7\1\0\0\1\0\0\0\0\0\0\3web\4test\0\0\1\0\1"),
	SEED("\0\0\7\1\0\0\1\0\0\0\0\0\1\3web\4test\0\0\34\0\1\0\0\51\4\320\0\0\0\0\0\0"),
	SEED("\1\26\3\1\0\107\1\0\0\103\3\3abcdefghijklmnopqrstuvwxyz012345\0\0\2\23\1\1\0\0\30"
	     "\0\27\0\0\0\0\0\15\0\13\0\0\10web.test\0\20\0\3\0\1\0"),
	SEED("\2GET /x HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer PLACE\r\nX: PLACE\r\n\r\n"),
	SEED("\2POST /x HTTP/1.1\r\nauthorization:PLACEPLACE\r\nContent-Length: 3\r\n\r\n"),
	SEED("\2POST /x/y/z?a=/../ HTTP/1.1\r\nAuthorization: PLACE\r\n\r\n"),
	SEED("\2GET /x/%41%2f/../y/./;/ HTTP/1.1\r\nAuthorization: PLACE\r\n\r\n"),
	SEED("\2\t / HTTP/1.1\r\nz:\r\n\r\n"), /* was once read past its end */
	SEED("\3" ADDRESS "127.0.0.1:443"),
	SEED("\3" ADDRESS "0.0.0.0/1:1-65535"),
	SEED("\3" ADDRESS "web.test:443"),
	SEED("\3\1\376\200\0\0\0\0\0\0\0\0\0\0\0\0\0\1\1\273\0[fe80::/10]:443"),
};

uint8_t *seed_make(unsigned i, size_t *ret_len)
{
	return seed_copy(seeds, ARRAY_SIZE(seeds), i, ret_len);
}
