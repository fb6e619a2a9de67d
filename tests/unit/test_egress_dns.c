/* SPDX-License-Identifier: MIT
 *
 * Questions of a hostile program, and addresses that stand for names: every message is taken or
 * refused within its bytes, and no address means two things.
 */
#include "egress/dns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "egress/names.h"
#include "tap.h"

/* A question for NAME, whose labels end at dots. */
static size_t question(const char *name, unsigned type, uint8_t *ret)
{
	uint8_t *p = ret + DNS_HEADER;

	memset(ret, 0, DNS_HEADER);
	ret[1] = 7;
	ret[2] = 1;
	ret[5] = 1;
	while (*name) {
		size_t len = strcspn(name, ".");
		*p++ = (uint8_t)len;
		memcpy(p, name, len);
		p += len;
		name += len + (name[len] == '.');
	}
	*p++ = 0;
	*p++ = 0;
	*p++ = (uint8_t)type;
	*p++ = 0;
	*p++ = 1;
	return (size_t)(p - ret);
}

static void test_names(void)
{
	static const struct {
		const char *asked, *read;
	} rows[] = {{"example.org", "example.org"},
		    {"EXAMPLE.Org", "example.org"},
		    {"_srv.a-b.example.org", "_srv.a-b.example.org"},
		    {"a b.example.org", ""},
		    {"a\x01.org", ""},
		    {"a/b.org", ""},
		    {"", ""}};
	uint8_t data[DNS_MAX];
	struct dns_question q;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t len = question(rows[i].asked, DNS_TYPE_A, data);
		ok(dns_parse(data, len, &q) == 0 && strcmp(q.name, rows[i].read) == 0 &&
			   q.type == DNS_TYPE_A && q.class == 1 && q.end == len,
		   "\"%s\" is asked for", rows[i].read);
	}
}

static void test_lengths(void)
{
	char name[300] = "";
	uint8_t data[DNS_MAX];
	struct dns_question q;

	for (int i = 0; i < 62; i++)
		strcat(name, "abc.");
	strcat(name, "abcde"); /* 253 */
	ok(dns_parse(data, question(name, 1, data), &q) == 0 && strlen(q.name) == 253,
	   "a name of 253 bytes");
	strcat(name, "f");
	ok(dns_parse(data, question(name, 1, data), &q) < 0, "and none of 254");
	size_t len = question("example.org", 1, data);
	bool cut = true;
	for (size_t i = 0; i < len; i++)
		cut = cut && dns_parse(data, i, &q) < 0;
	ok(cut, "a question that is cut anywhere is refused");
	data[DNS_HEADER] = 0xc0;
	ok(dns_parse(data, len, &q) < 0, "nor one with a pointer");
	len = question("example.org", 1, data);
	data[5] = 2;
	ok(dns_parse(data, len, &q) < 0, "nor two at once");
	data[5] = 1;
	data[2] = 0x81;
	ok(dns_parse(data, len, &q) < 0, "nor an answer");
}

static void test_answers(void)
{
	struct address list[DNS_ANSWERS_MAX + 4];
	uint8_t data[DNS_MAX], out[DNS_MAX];
	struct dns_question q;

	for (size_t i = 0; i < ARRAY_SIZE(list); i++)
		list[i] = (struct address){i % 2 ? AF_INET6 : AF_INET, {198, 18, 0, (uint8_t)i}};
	size_t len = question("example.org", DNS_TYPE_A, data);
	dns_parse(data, len, &q);
	size_t n = dns_answer(data, &q, DNS_OK, list, 3, out);
	ok(n == len + 2 * 16 && out[7] == 2 && out[3] == 0x80 && out[2] == 0x81 &&
		   memcmp(out + len + 12, list[0].bytes, 4) == 0,
	   "IPv4 addresses for A, in order");
	data[len - 3] = DNS_TYPE_AAAA;
	dns_parse(data, len, &q);
	ok(dns_answer(data, &q, DNS_OK, list, 3, out) == len + 28 && out[7] == 1,
	   "IPv6 addresses for AAAA");
	ok(dns_answer(data, &q, DNS_OK, list, ARRAY_SIZE(list), out) <= DNS_MAX, "it fits");
	ok(dns_answer(data, &q, DNS_NO_NAME, list, 3, out) == len && out[3] == 0x83 && out[7] == 0,
	   "a name that is not there has none");
	data[len - 3] = 16;
	dns_parse(data, len, &q);
	ok(dns_answer(data, &q, DNS_OK, list, 3, out) == len && out[7] == 0, "nor has TXT");
}

static void test_noise(void)
{
	uint8_t data[DNS_MAX], out[DNS_MAX];
	struct address list[DNS_ANSWERS_MAX] = {{AF_INET, {1}}};
	struct dns_question q;
	size_t taken = 0;
	bool within = true;

	srand(1);
	for (int i = 0; i < 200000; i++) {
		size_t len = (size_t)rand() % 64 + (i % 2 ? question("a.bc", 1, data) : 0);
		for (int k = 0; k < 6; k++)
			data[(size_t)rand() % (len + 1)] = (uint8_t)rand();
		if (dns_parse(data, len, &q) < 0)
			continue;
		taken++;
		within = within && q.end <= len && strlen(q.name) < EGRESS_NAME_MAX &&
			 dns_answer(data, &q, DNS_OK, list, 1, out) <= DNS_MAX;
	}
	ok(within && taken > 1000, "noise is taken or refused (%zu)", taken);
}

static void test_stand_ins(void)
{
	static struct names n;
	struct address v4 = {AF_INET, {93, 184, 216, 34}}, v6 = {AF_INET6, {0x20, 1}};
	struct address a, b, c;
	char name[32];

	ok(names_give(&n, "x.org", &v4, &a) && names_give(&n, "x.org", &v6, &b) &&
		   names_give(&n, "x.org", &v4, &c) && address_is_same(&a, &c) && n.count == 2,
	   "the same for the same");
	ok(a.family == AF_INET && b.family == AF_INET6 && names_has(&a) && names_has(&b),
	   "of the same kind");
	const struct name_entry *e = names_find(&n, &b);
	ok(e && strcmp(e->name, "x.org") == 0 && address_is_same(&e->real, &v6), "found again");
	ok(!names_find(&n, &v4), "a real one stands for nothing");
	b.bytes[15]++;
	ok(!names_find(&n, &b), "nor one that stands for no name");
	a.bytes[1] ^= 1;
	ok(names_has(&a) && !names_find(&n, &a), "nor the same number elsewhere in the range");
	bool all = true;
	for (unsigned i = (unsigned)n.count; i < NAMES_MAX_ENTRIES; i++) {
		snprintf(name, sizeof(name), "h%u.org", i);
		all = all && names_give(&n, name, &v4, &a) && (e = names_find(&n, &a)) &&
		      strcmp(e->name, name) == 0;
	}
	ok(all, "%d of them, each for itself", NAMES_MAX_ENTRIES);
	ok(!names_give(&n, "one.more", &v4, &a), "and no more");
}

int main(void)
{
	test_names();
	test_lengths();
	test_answers();
	test_noise();
	test_stand_ins();
	return tap_done();
}
