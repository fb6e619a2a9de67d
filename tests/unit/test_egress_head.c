/* SPDX-License-Identifier: MIT
 *
 * A request's head on its way to a host that gets a secret, a row each: what the host gets, or that
 * it gets nothing.
 */
#include "egress/http_head.h"

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
	/* where the body ends is said once */
	{GET "content-length: 5\t\r\n\r\n", OURS "content-length: 5\t\r\n\r\n"},
	{GET "Transfer-Encoding: chunked\r\n\r\n", OURS "Transfer-Encoding: chunked\r\n\r\n"},
	{GET "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", NULL},
	{GET "transfer-encoding: chunked\r\nX: a\r\ncontent-length: 5\r\n\r\n", NULL},
	{GET "Content-Length: 5\r\nContent-Length: 6\r\n\r\n", NULL},
	{GET "Content-Length: 5\r\nCONTENT-LENGTH: 5\r\n\r\n", NULL},
	{GET "Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n\r\n", NULL},
	{GET "Content-Length: 5, 6\r\n\r\n", NULL},
	{GET "Content-Length: +5\r\n\r\n", NULL},
	{GET "Content-Length:\r\n\r\n", NULL},
};

#define METHOD "not for requests of this method"
#define PATH "not for requests for this path"

/* Which requests get the secret, by one of the policy's and one of a grant's. */
static const struct {
	const char *request, *why; /* NULL: it gets it */
	struct egress_use policy, use;
} uses[] = {
	{"GET /x", NULL, {"", "/"}, {"", "/"}},
	{"GET /x", NULL, {"GET", "/"}, {"", "/"}},
	{"GET /x", NULL, {"POST,GET", "/"}, {"GET,PUT", "/"}},
	{"PUT /x", METHOD, {"POST,GET", "/"}, {"GET,PUT", "/"}},
	{"POST /x", METHOD, {"POST,GET", "/"}, {"GET,PUT", "/"}},
	{"get /x", METHOD, {"GET", "/"}, {"", "/"}},
	{"GE /x", METHOD, {"GET", "/"}, {"", "/"}},
	{"GETS /x", METHOD, {"GET", "/"}, {"", "/"}},
	{"GET,PUT /x", METHOD, {"", "/"}, {"GET,PUT", "/"}},
	{", /x", METHOD, {"", "/"}, {"GET,PUT", "/"}},
	/* below the prefix, by whole segments */
	{"GET /v1", NULL, {"", "/"}, {"", "/v1"}},
	{"GET /v1", NULL, {"", "/v1"}, {"", "/"}},
	{"GET /v1/", NULL, {"", "/"}, {"", "/v1"}},
	{"GET /v1/x", NULL, {"", "/"}, {"", "/v1"}},
	{"GET /v1?x", NULL, {"", "/"}, {"", "/v1"}},
	{"GET /v1/x?a=/../%2e%2e//\\", NULL, {"", "/"}, {"", "/v1"}},
	{"GET /v1/a.b/..c/.d/e../...", NULL, {"", "/"}, {"", "/v1"}},
	{"GET /v1/a%20b%C3%A4;x=1", NULL, {"", "/"}, {"", "/v1"}},
	{"GET /v10", PATH, {"", "/"}, {"", "/v1"}},
	{"GET /v1;x", PATH, {"", "/"}, {"", "/v1"}},
	{"GET /v1#x", PATH, {"", "/"}, {"", "/v1"}},
	{"GET /V1", PATH, {"", "/"}, {"", "/v1"}},
	{"GET /v", PATH, {"", "/"}, {"", "/v1"}},
	{"GET /", PATH, {"", "/"}, {"", "/v1"}},
	{"GET /?/v1", PATH, {"", "/"}, {"", "/v1"}},
	{"GET /x/v1", PATH, {"", "/"}, {"", "/v1"}},
	{"GET /%761", PATH, {"", "/"}, {"", "/v1"}},
	{"GET /v1/a", PATH, {"", "/v1/b"}, {"", "/v1"}},
	{"GET /v1/a", PATH, {"", "/v1"}, {"", "/v1/b"}},
	{"GET /v1/a", PATH, {"", "/v1"}, {"", "/v2"}},
	/* what a host could read as another path */
	{"GET /v1/..", PATH, {"", "/"}, {"", "/v1"}},
	{"GET /v1/../v2", PATH, {"", "/"}, {"", "/v1"}},
	{"GET /v1/..?x", PATH, {"", "/"}, {"", "/v1"}},
	{"GET /v1/..;x/v2", PATH, {"", "/"}, {"", "/v1"}},
	{"GET /v1/./x", PATH, {"", "/"}, {"", "/v1"}},
	{"GET /v1/.", PATH, {"", "/"}, {"", "/v1"}},
	{"GET /v1//x", PATH, {"", "/"}, {"", "/v1"}},
	{"GET /v1//", PATH, {"", "/"}, {"", "/v1"}},
	{"GET //v1", PATH, {"", "/"}, {"", "/v1"}},
	{"GET /v1/..\\v2", PATH, {"", "/"}, {"", "/v1"}},
	{"GET /v1\\..\\v2", PATH, {"", "/"}, {"", "/v1"}},
	{"GET /v1/%2e%2E/v2", PATH, {"", "/"}, {"", "/v1"}},
	{"GET /v1/a%2fb", PATH, {"", "/"}, {"", "/v1"}},
	{"GET /v1/a%5Cb", PATH, {"", "/"}, {"", "/v1"}},
	{"GET /v1/%252e", PATH, {"", "/"}, {"", "/v1"}},
	{"GET /v1/..%3bx", PATH, {"", "/"}, {"", "/v1"}},
	{"GET /v1/..%00", PATH, {"", "/"}, {"", "/v1"}},
	{"GET /v1/%", PATH, {"", "/"}, {"", "/v1"}},
	{"GET /v1/%2", PATH, {"", "/"}, {"", "/v1"}},
	{"GET /v1/%u002e", PATH, {"", "/"}, {"", "/v1"}},
	{"GET /v1/\tx", PATH, {"", "/"}, {"", "/v1"}},
	{"GET /v1/\300\256\300\256/", PATH, {"", "/"}, {"", "/v1"}},
	{"GET /v1/../v2", PATH, {"", "/v1"}, {"", "/"}},
	/* without a prefix it is the host's matter */
	{"GET /v1/../a%2fb//c", NULL, {"", "/"}, {"", "/"}},
	/* an empty prefix is refused */
	{"GET /x", PATH, {"", ""}, {"", "/"}},
	{"GET /x", PATH, {"", "/"}, {"", ""}},
};

static void test_uses(struct egress_secret s)
{
	static const struct egress_use two[] = {{"GET", "/v1"}, {"PUT", "/v2"}};
	char in[128], got[256];
	const char *why;

	for (size_t i = 0; i < ARRAY_SIZE(uses); i++) {
		s.policy = uses[i].policy;
		s.use[0] = uses[i].use;
		snprintf(in, sizeof(in), "%s HTTP/1.1\r\nAuthorization: PLACE\r\n\r\n",
			 uses[i].request);
		size_t n = http_head_rewrite(in, strlen(in), &s, got, sizeof(got), &why);
		ok(uses[i].why ? n == 0 && strstr(why, uses[i].why)
			       : n && memmem(got, n, "s3cret", 6),
		   "%s: %s and %s: %s %s", uses[i].request, uses[i].policy.methods,
		   uses[i].policy.path, uses[i].use.methods, uses[i].use.path);
	}
	static const struct {
		const char *in;
		bool passes;
	} rows_of_two[] = {{"GET /v1 HTTP/1.1\r\n\r\n", true},
			   {"PUT /v2 HTTP/1.1\r\n\r\n", true},
			   {"GET /v2 HTTP/1.1\r\n\r\n", false},
			   {"PUT /v1 HTTP/1.1\r\n\r\n", false}};
	s.policy = (struct egress_use){"", "/"};
	memcpy(s.use, two, sizeof(two));
	s.usec = 2;
	for (size_t i = 0; i < ARRAY_SIZE(rows_of_two); i++)
		ok(!http_head_rewrite(rows_of_two[i].in, strlen(rows_of_two[i].in), &s, got,
				      sizeof(got), &why) == !rows_of_two[i].passes,
		   "of two grants each gives its own: row %zu", i);
	s.usec = 0;
	ok(http_head_rewrite(rows_of_two[0].in, strlen(rows_of_two[0].in), &s, got, sizeof(got),
			     &why) == 0,
	   "without any of them no request gets it");
}

int main(void)
{
	struct egress_secret rule = {.host = "api.test",
				     .header = "Authorization",
				     .placeholder = "PLACE",
				     .value = "s3cret",
				     .policy = {"", "/"},
				     .usec = 1,
				     .use = {{"", "/"}}};
	const char *why;
	char got[256];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t len = strlen(rows[i].in);
		AUTO_FREE char *in =
			malloc(len); /* exactly LEN: SAN=1 detects a read past the end */
		if (!in)
			abort();
		memcpy(in, rows[i].in, len);
		size_t n = http_head_rewrite(in, len, &rule, got, sizeof(got), &why);
		ok(rows[i].out ? n == strlen(rows[i].out) && memcmp(got, rows[i].out, n) == 0
			       : n == 0,
		   "row %zu", i);
	}
	const char *in = rows[1].in;
	size_t need = strlen(rows[1].out);
	ok(http_head_rewrite(in, strlen(in), &rule, got, need, &why) == need, "it fits exactly");
	ok(http_head_rewrite(in, strlen(in), &rule, got, need - 1, &why) == 0, "and not in less");
	ok(http_head_end("GET / HTTP/1.1\r\n\r\nbody", 22) == 18 &&
		   http_head_end("GET /\r\n", 7) == 0,
	   "where a head ends");
	ok(http_head_rewrite("GET /x HTTP/1.1\r\nX: a\0b\r\n\r\n", 28, &rule, got, sizeof(got),
			     &why) == 0,
	   "no NUL");
	for (size_t len = 0; len < 4; len++)
		ok(http_head_rewrite("\r\n\r\n", len, &rule, got, sizeof(got), &why) == 0,
		   "%zu bytes", len);
	const char *second = GET "\r\n" GET "Authorization: PLACE\r\n\r\n";
	ok(http_head_rewrite(second, strlen(second), &rule, got, sizeof(got), &why) == 0,
	   "two requests are not one");
	test_uses(rule);
	return tap_done();
}
