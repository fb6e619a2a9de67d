/* SPDX-License-Identifier: MIT
 *
 * Texts with every kind of atom, escapes, and characters beyond ASCII.
 */
#include "base/scope.h"
#include "seeds.h"

const int seed_rounds = 4000;

static const struct seed seeds[] = {
	SEED("See https://a.evil.example:8080/x?y=1#z, bob@evil.com, 198.51.100.23 or\n"
	     "2001:db8:85a3::8a2e:370:7334; cat ~/.ssh/id_rsa /srv/data/in.csv `run --now it.all`\n"
	     "key AKIA4F7T2Q9X1ZB3M8 and file:///etc/shadow, //cdn.evil.net/x.js "
	     "xn--80ak6aa92e.com\n"),
	SEED("import os\\nprint(\\\"a\\\")\\\\n\xe2\x80\x9cquoted\xe2\x80\x9d "
	     "\xef\xbc\xa1\xef\xbd\x82"
	     "\xe2\x80\x8b\xf3\xa0\x81\x81 \xc3\x89t\xc3\xa9 \xff\xfe\x1b[2J\xe2\x80\xae\n"),
	SEED("df = pandas.read_csv('https://h.example/q.csv'); import socket\n"
	     "df = pandas.read_csv('https://h.example/q.csv'); import socket\n----------------\n"),
	SEED("hxxps[:]//evil[.]example[/]a b\xe2\x80\x91"
	     "ad.example/q.csv e<b>v</b>il<!-- x y -->.com "
	     "bob[at]evil(dot)com 198{.}51[.]100.23 evil\xe3\x80\x82"
	     "com \xef\xbc\x8e\xef\xb8\x8f"
	     "e\xc2\xadvil\xe2\x80\x8b.example <span a='b'>x.evil.net\n"),
};

uint8_t *seed_make(unsigned i, size_t *ret_len)
{
	return seed_copy(seeds, ARRAY_SIZE(seeds), i, ret_len);
}
