/* SPDX-License-Identifier: MIT
 *
 * Where may it connect to? One row per question, over one set of lists: names, patterns, ranges and
 * ports; what is denied; places that are not on the internet, however they are written.
 */
#include "egress/rules.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/scope.h"
#include "tap.h"

static const struct {
	enum egress_list list;
	const char *text;
} lists[] = {
	{EGRESS_ALLOWED, "api.example.org:443"},
	{EGRESS_ALLOWED, "*.pkg.example.org:80-90"},
	{EGRESS_ALLOWED, "db.example.org:5432"},
	{EGRESS_ALLOWED, "10.9.0.0/16:5432"},
	{EGRESS_ALLOWED, "203.0.113.0/24:443"},
	{EGRESS_ALLOWED, "0.0.0.0/1:8080"},
	{EGRESS_ALLOWED, "[2001:db8::/32]:443"},
	{EGRESS_ALLOWED, "[fd00::/8]:443"},
	{EGRESS_ALLOWED, "127.0.0.1:9000"},
	{EGRESS_ALLOWED, "198.51.100.7:443"},
	{EGRESS_ALLOWED, "198.51.100.0/24:80"},
	{EGRESS_ALLOWED, "half.example.org:1-65535"},
	{EGRESS_DENIED, "bad.pkg.example.org"},
	{EGRESS_DENIED, "203.0.113.66"},
	{EGRESS_DENIED, "half.example.org:22"},
	{EGRESS_ALLOWED, "[64:ff9b::/96]:8086"},
	{EGRESS_ALLOWED, "[64:ff9b::a09:0/112]:5432"},
};

#define PUBLIC "93.184.216.34"

static const struct {
	const char *name, *address;
	unsigned port;
	bool allowed;
	const char *rule; /* part of what is said */
} rows[] = {
	{"api.example.org", PUBLIC, 443, true, "api.example.org:443"},
	{"api.example.org", PUBLIC, 80, false, "port"},
	{"xapi.example.org", PUBLIC, 443, false, "no rule"},
	{"api.example.org.evil.net", PUBLIC, 443, false, "no rule"},
	{"a.pkg.example.org", PUBLIC, 80, true, "*.pkg.example.org:80-90"},
	{"a.b.pkg.example.org", PUBLIC, 90, true, "*.pkg.example.org:80-90"},
	{"a.pkg.example.org", PUBLIC, 91, false, "no rule"},
	{"pkg.example.org", PUBLIC, 80, false, "no rule"},
	{"xpkg.example.org", PUBLIC, 80, false, "no rule"},
	{"bad.pkg.example.org", PUBLIC, 80, false, "denied: bad.pkg"},
	{"half.example.org", PUBLIC, 22, false, "denied: half"},
	{"half.example.org", PUBLIC, 23, true, "half.example.org"},
	/* an IPv4 address inside an IPv6 one */
	{"", "64:ff9b::5db8:d822", 8086, true, "64:ff9b::"},
	{"", "64:ff9b::cb00:7142", 8086, false, "denied: 203.0.113.66"},
	{"api.example.org", "64:ff9b::cb00:7142", 443, false, "denied: 203.0.113.66"},
	{"api.example.org", "2002:cb00:7142::1", 443, false, "denied: 203.0.113.66"},
	{"", "64:ff9b::a4d:2", 8086, false, "private"},
	{"", "64:ff9b::a09:1", 5432, true, "64:ff9b::a09:0/112"},
	/* by name to a place that is denied, or not on the internet */
	{"api.example.org", "203.0.113.66", 443, false, "denied: 203.0.113.66"},
	{"api.example.org", "127.0.0.1", 443, false, "loopback"},
	{"api.example.org", "10.0.0.1", 443, false, "private"},
	{"api.example.org", "172.31.255.255", 443, false, "private"},
	{"api.example.org", "172.32.0.1", 443, true, "api"},
	{"api.example.org", "192.168.1.1", 443, false, "private"},
	{"api.example.org", "169.254.169.254", 443, false, "secrets"},
	{"api.example.org", "168.63.129.16", 443, false, "secrets"},
	{"api.example.org", "169.254.170.23", 443, false, "secrets"},
	{"api.example.org", "::ffff:168.63.129.16", 443, false, "secrets"},
	{"", "fd00:ec2::23", 443, false, "secrets"},
	{"api.example.org", "169.254.1.1", 443, false, "link"},
	{"api.example.org", "100.64.0.1", 443, false, "provider"},
	{"api.example.org", "100.100.100.200", 443, false, "secrets"},
	{"api.example.org", "0.0.0.0", 443, false, "itself"},
	{"api.example.org", "224.0.0.1", 443, false, "multicast"},
	{"api.example.org", "255.255.255.255", 443, false, "no host"},
	{"api.example.org", "198.18.0.5", 443, false, "no host"},
	{"api.example.org", "::1", 443, false, "loopback"},
	{"api.example.org", "::", 443, false, "no host"},
	{"api.example.org", "fe80::1", 443, false, "link"},
	{"api.example.org", "fd12::1", 443, true, "api"}, /* [fd00::/8]:443 names it */
	{"api.example.org", "fc12::1", 443, false, "private"},
	{"api.example.org", "ff02::1", 443, false, "multicast"},
	{"api.example.org", "::ffff:127.0.0.1", 443, false, "loopback"},
	{"api.example.org", "64:ff9b::10.0.0.1", 443, false, "private"},
	{"api.example.org", "64:ff9b::7f00:1", 443, false, "loopback"},
	{"api.example.org", "2002:a00:1::1", 443, false, "private"},
	{"api.example.org", "2002:5db8:d822::1", 443, true, "api"},
	{"api.example.org", "2001:0:1::1", 443, false, "tunnel"},
	{"api.example.org", "::127.0.0.1", 443, false, "no host"},
	{"api.example.org", "198.51.100.7", 443, true, "api"}, /* own, but named exactly */
	{"api.example.org", "198.51.100.8", 443, false, "own"},
	{"db.example.org", "10.9.1.1", 5432, true, "db.example.org"},
	{"db.example.org", "10.8.1.1", 5432, false, "private"},
	/* by address */
	{"", "203.0.113.5", 443, true, "203.0.113.0/24:443"},
	{"", "::ffff:203.0.113.5", 443, true, "203.0.113.0/24:443"},
	{"", "203.0.113.66", 443, false, "denied"},
	{"", "203.0.113.5", 80, false, "no rule"},
	{"", "203.0.114.5", 443, false, "no rule"},
	{"", PUBLIC, 443, false, "no rule"},
	{"", "2001:db8::1", 443, true, "[2001:db8::/32]:443"},
	{"", "2001:db9::1", 443, false, "no rule"},
	{"", "127.0.0.1", 9000, true, "127.0.0.1:9000"},
	{"", "127.0.0.1", 9001, false, "no rule"},
	{"", "127.0.0.2", 9000, false, "no rule"},
	{"", "93.184.216.34", 8080, true, "0.0.0.0/1:8080"},
	{"", "127.0.0.1", 8080, false,
	 "loopback"}, /* a rule for half of all addresses names no host */
	{"", "10.0.0.1", 8080, false, "private"},
	{"", "198.51.100.8", 80, false, "own"}, /* a range names no address of this host */
	{"", "198.51.100.9", 80, true, "198.51.100.0/24:80"},
};

static struct address address_of(const char *text)
{
	struct sockaddr_in in = {.sin_family = AF_INET};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
	struct address a = {0};
	uint16_t port;

	if (inet_pton(AF_INET, text, &in.sin_addr) == 1)
		address_parse(&in, sizeof(in), &a, &port);
	else if (inet_pton(AF_INET6, text, &in6.sin6_addr) == 1)
		address_parse(&in6, sizeof(in6), &a, &port);
	return a;
}

/* This host's. */
static bool is_own(const char *text)
{
	return strcmp(text, "198.51.100.7") == 0 || strcmp(text, "198.51.100.8") == 0;
}

static void test_questions(const struct rules *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rules_ask ask = {rows[i].name, address_of(rows[i].address),
					(uint16_t)rows[i].port, is_own(rows[i].address)};
		char rule[EGRESS_RULE_MAX] = "";
		bool allowed = rules_allow(r, &ask, rule);
		ok(allowed == rows[i].allowed && strstr(rule, rows[i].rule), "%s %s %u: %s",
		   rows[i].name, rows[i].address, rows[i].port, rule);
	}
}

static void test_names(const struct rules *r)
{
	static const struct {
		const char *name;
		bool allowed;
	} names[] = {{"api.example.org", true},	     {"a.pkg.example.org", true},
		     {"bad.pkg.example.org", false}, {"half.example.org", true},
		     {"example.org", false},	     {"", false},
		     {"203.0.113.5", false}};
	char rule[EGRESS_RULE_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		ok(rules_allow_name(r, names[i].name, rule) == names[i].allowed,
		   "\"%s\" may %sbe asked for", names[i].name, names[i].allowed ? "" : "not ");
}

static void test_maxima(void)
{
	static struct rules r;
	struct err err;
	char text[64];
	bool all = true;

	ok(rules_add(&r, EGRESS_ALLOWED, "0.0.0.0/0:443", &err) < 0, "not every host");
	for (unsigned i = 0; i < RULES_MAX; i++) {
		snprintf(text, sizeof(text), "h%u.example.org:443", i);
		all = all && rules_add(&r, EGRESS_ALLOWED, text, &err) == 0;
	}
	ok(all, "%d rules", RULES_MAX);
	ok(rules_add(&r, EGRESS_ALLOWED, "x.example.org:443", &err) < 0, "and no more");
	ok(rules_add(&r, EGRESS_LISTS, "x.example.org:443", &err) < 0, "no other list");
	rules_done(&r);
}

int main(void)
{
	static struct rules r;
	struct err err;

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		if (rules_add(&r, lists[i].list, lists[i].text, &err) < 0)
			ok(false, "%s: %s", lists[i].text, err.message);
	test_questions(&r);
	test_names(&r);
	test_maxima();
	rules_done(&r);
	return tap_done();
}
