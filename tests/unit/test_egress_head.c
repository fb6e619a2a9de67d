/* SPDX-License-Identifier: MIT
 *
 * A request's head on its way to a host that gets a secret, a row each: what the host gets, or that
 * it gets nothing.
 */
#include "egress/head.h"

#include <stdbool.h>
#include <string.h>

#include "base/scope.h"
#include "tap.h"

#define GET "GET /x HTTP/1.1\r\n"
#define ADDED "Host: api.test\r\nConnection: close\r\nAccept-Encoding: identity\r\n"
#define OURS GET ADDED

static const struct {
	const char *in, *out; /* NULL: refused */
} rows[] = {
	{GET "\r\n", OURS "\r\n"},
	{GET "Host: evil.test\r\nAuthorization: Bearer PLACE\r\n\r\n",
	 OURS "Authorization: Bearer s3cret\r\n\r\n"},
	{GET "authorization:PLACE PLACE\r\n\r\n", OURS "authorization:s3cret s3cret\r\n\r\n"},
	{GET "X-Other: PLACE\r\n\r\n", OURS "X-Other: PLACE\r\n\r\n"},
	{"GET /PLACE HTTP/1.1\r\n\r\n", "GET /PLACE HTTP/1.1\r\n" ADDED "\r\n"},
	{GET "accept-encoding: gzip\r\nRange: bytes=0-3\r\nIf-Range: x\r\nTE: gzip\r\n\r\n",
	 OURS "\r\n"},
	{GET "Connection: keep-alive\r\nKeep-Alive: 5\r\nUpgrade: h2c\r\n\r\n", OURS "\r\n"},
	{"GET http://evil.test/ HTTP/1.1\r\n\r\n", NULL},
	{"CONNECT evil.test:443 HTTP/1.1\r\n\r\n", NULL},
	{"GET /x HTTP/1.0\r\n\r\n", NULL},
	{"GET /x\r\n\r\n", NULL},
	{GET " folded: PLACE\r\n\r\n", NULL},
	{GET "Authorization : PLACE\r\n\r\n", NULL},
	{GET "no colon\r\n\r\n", NULL},
	{GET ": empty\r\n\r\n", NULL},
	{GET "X: a\nAuthorization: PLACE\r\n\r\n", NULL},
	{GET "X: a\rb\r\n\r\n", NULL},
	{GET "X: a\r\n", NULL},
	{"\r\n\r\n", NULL},
};

int main(void)
{
	struct head_rule rule = {"api.test", "Authorization", "PLACE", "s3cret"};
	char got[256];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t len = strlen(rows[i].in);
		AUTO_FREE char *in = malloc(len); /* no byte more: SAN=1 sees who reads on */
		if (!in)
			abort();
		memcpy(in, rows[i].in, len);
		size_t n = head_rewrite(in, len, &rule, got, sizeof(got));
		ok(rows[i].out ? n == strlen(rows[i].out) && memcmp(got, rows[i].out, n) == 0
			       : n == 0,
		   "row %zu", i);
	}
	const char *in = rows[1].in;
	size_t need = strlen(rows[1].out);
	ok(head_rewrite(in, strlen(in), &rule, got, need) == need, "it fits exactly");
	ok(head_rewrite(in, strlen(in), &rule, got, need - 1) == 0, "and not in less");
	ok(head_end("GET / HTTP/1.1\r\n\r\nbody", 22) == 18 && head_end("GET /\r\n", 7) == 0,
	   "where a head ends");
	ok(head_rewrite("GET /x HTTP/1.1\r\nX: a\0b\r\n\r\n", 28, &rule, got, sizeof(got)) == 0,
	   "no NUL");
	for (size_t len = 0; len < 4; len++)
		ok(head_rewrite("\r\n\r\n", len, &rule, got, sizeof(got)) == 0, "%zu bytes", len);
	return tap_done();
}
