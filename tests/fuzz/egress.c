/* SPDX-License-Identifier: MIT
 *
 * The fuzz target for what cordon-egress reads of strangers: the first byte says whether the rest is a
 * question of DNS, a ClientHello, the head of a request that gets a secret, or a rule and an address.
 * What is taken keeps to its bounds; a secret stands in the one header or nowhere; what is refused
 * for one name is not allowed by another way to write it. A broken promise aborts.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "egress/client_hello.h"
#include "egress/dns.h"
#include "egress/http_head.h"
#include "egress/rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool promise)
{
	if (!promise)
		abort();
}

static void ask_dns(const uint8_t *data, size_t len)
{
	struct address list[DNS_ANSWERS_MAX];
	uint8_t out[DNS_MAX];
	struct dns_question q;

	memset(list, 0, sizeof(list));
	if (len > DNS_MAX || dns_parse(data, len, &q) < 0)
		return;
	must(q.end <= len && strlen(q.name) < EGRESS_NAME_MAX);
	for (size_t i = 0; i < DNS_ANSWERS_MAX; i++)
		list[i].family = AF_INET6;
	must(dns_answer(data, &q, DNS_OK, list, DNS_ANSWERS_MAX, out) <= DNS_MAX);
}

static void say_hello(const uint8_t *data, size_t len)
{
	char name[EGRESS_NAME_MAX];
	enum hello h = client_hello_read(data, len, name);

	must((h == HELLO_NAMED) == (name[0] != '\0') || h == HELLO_BAD);
	must(memchr(name, '\0', sizeof(name)));
}

/* Lines that begin with the header are the only ones with the secret, and only in requests that it is for. */
static void pass_head(const char *data, size_t len)
{
	static const struct egress_secret s = {.host = "h.test",
					       .header = "Authorization",
					       .placeholder = "PLACE",
					       .value = "\1SECRET\1",
					       .policy = {"", "/x"},
					       .usec = 2,
					       .use = {{"GET", "/"}, {"POST,PUT", "/x/y"}}};
	char out[HEAD_MAX];
	const char *why;
	size_t n = http_head_rewrite(data, len, &s, out, sizeof(out), &why);

	must(n <= sizeof(out) && (n == 0 || http_head_end(out, n) == n) && *why);
	must(!n || strncmp(out, "GET /x", 6) == 0 || strncmp(out, "POST /x/y", 9) == 0 ||
	     strncmp(out, "PUT /x/y", 8) == 0);
	const char *target = n ? memchr(out, '/', n) : NULL;
	size_t path = target ? strcspn(target, "? ") : 0;
	must(!target || (strchr("/? ", target[2]) && !memmem(target, path, "/../", 4) &&
			 !memmem(target, path, "//", 2)));
	for (const char *line = out; n && line < out + n;) {
		const char *end = memmem(line, (size_t)(out + n - line), "\r\n", 2);
		must(end);
		must(!memmem(line, (size_t)(end - line), s.value, strlen(s.value)) ||
		     strncasecmp(line, "authorization:", 14) == 0);
		line = end + 2;
	}
}

static void match_rule(const uint8_t *data, size_t len)
{
	static struct rules r;
	struct rules_ask ask = {.name = ""};
	char text[EGRESS_RULE_MAX] = "", rule[EGRESS_RULE_MAX];
	struct err err;

	if (len < 20 || len - 20 >= sizeof(text))
		return;
	memset(&r, 0, sizeof(r));
	memcpy(text, data + 20, len - 20);
	if (rules_add(&r, EGRESS_ALLOWED, text, &err) == 0) {
		ask.address.family = data[0] & 1 ? AF_INET6 : AF_INET;
		memcpy(ask.address.bytes, data + 1, ask.address.family == AF_INET ? 4 : 16);
		ask.port = (uint16_t)(data[17] << 8 | data[18]);
		bool allowed = rules_allow(&r, &ask, rule);
		must(!allowed || r.list[EGRESS_ALLOWED][0].kind >= NET_V4);
		must(strlen(rule) < sizeof(rule));
		if (allowed && address_kind(&ask.address))
			must(r.list[EGRESS_ALLOWED][0].prefix >=
			     address_kind(&ask.address)->prefix);
		must(rules_add(&r, EGRESS_DENIED, text, &err) < 0 || !rules_allow(&r, &ask, rule));
	}
	rules_done(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	if (len < 2)
		return 0;
	/* Of its exact size, so that the sanitizer sees a read past the end. */
	AUTO_FREE uint8_t *copy = malloc(len - 1);
	must(copy);
	memcpy(copy, data + 1, len - 1);
	switch (data[0] & 3) {
	case 0:
		ask_dns(copy, len - 1);
		break;
	case 1:
		say_hello(copy, len - 1);
		break;
	case 2:
		pass_head((const char *)copy, len - 1);
		break;
	default:
		match_rule(copy, len - 1);
	}
	return 0;
}
