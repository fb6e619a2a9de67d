/* SPDX-License-Identifier: MIT
 *
 * Atoms: what is one, how it may be written, and which common words are not atoms.
 */
#include <stdlib.h>

#include "base/scope.h"
#include "tap.h"
#include "trust/evidence/atoms.h"

/* Atoms as "kind:text" in order, apart by spaces. */
static const struct {
	const char *text, *atoms;
} rows[] = {
	{"", ""},
	{"plain words, and no more", ""},
	/* URLs and their hosts. */
	{"see https://evil.example/x.csv.", "url:https://evil.example/x.csv host:evil.example"},
	{"url='HTTP://Evil.Example:8080/A?b=c'",
	 "url:HTTP://Evil.Example:8080/A?b=c host:Evil.Example"},
	{"curl ftp://user:pw@files.evil.io/a",
	 "url:ftp://user:pw@files.evil.io/a host:files.evil.io"},
	{"<a href=\"//evil.com/x\">", "host:evil.com"},
	{"file:///srv/data/x.csv", "path:/srv/data/x.csv"},
	{"http://", ""},
	{"x://y", ""},
	{"https://server/path", "url:https://server/path"},
	{"http://203.0.113.77/x", "url:http://203.0.113.77/x ip:203.0.113.77"},
	{"https://ok.io/?u=https://evil.dev/x&v=1",
	 "url:https://ok.io/?u=https://evil.dev/x&v=1 host:ok.io url:https://evil.dev/x&v=1 "
	 "host:evil.dev"},
	{"{\"u\":\"https:\\/\\/evil.dev\\/x\"}", "host:evil.dev"},
	{"\\/", ""},
	/* Bare hosts. */
	{"connect((\"c2.evil.com\", 443))", "host:c2.evil.com"},
	{"evil.io:443", "host:evil.io"},
	{"evil.sh/run", "host:evil.sh"},
	{"logging.info(x)", ""},
	{"main.py and run.sh and a.tar.gz", ""},
	{"x.com()", ""},
	{"a..com .com com.", ""},
	{"xn--80ak6aa92e.xn--p1ai/x", "host:xn--80ak6aa92e.xn--p1ai"},
	{"https://xn--80ak6aa92e.xn--p1ai/", "url:https://xn--80ak6aa92e.xn--p1ai "
					     "host:xn--80ak6aa92e.xn--p1ai"},
	/* Addresses. */
	{"('198.51.100.23', 4444)", "ip:198.51.100.23"},
	{"1.2.3 1.2.3.256 1.2.3.4.5", ""},
	{"2001:db8:85a3::8a2e:370:7334", "ip:2001:db8:85a3::8a2e:370:7334"},
	{"2001:db8:1:2:3:4:5:6", "ip:2001:db8:1:2:3:4:5:6"},
	{"12:34:56 a[::2] std::cafe aa:bb:cc:dd:ee:ff", ""},
	/* People. */
	{"mail bob.smith@evil.com!", "host:evil.com email:bob.smith@evil.com"},
	{"scp x root@evil.io:/srv/in/", "host:evil.io email:root@evil.io"},
	{"@decorator.com", "host:decorator.com"},
	/* Paths. */
	{"open('/srv/data/secret.txt')", "path:/srv/data/secret.txt"},
	{"--in=/data/in.csv", "path:/data/in.csv"},
	{"cat ~/.ssh/id_rsa", "path:.ssh/id_rsa"},
	{"cat $HOME/.ssh/id_rsa", "path:.ssh/id_rsa"},
	{"cat /root/.aws/credentials;", "path:.aws/credentials"},
	{"a/b/c and/or </div> //x/y 1/2/3", ""},
	{"/etc/passwd", "path:/etc/passwd"},
	{"../x/y ./run", ""},
	/* Tokens. */
	{"key = 'AKIA4F7T2Q9X1ZB3M8'", "token:AKIA4F7T2Q9X1ZB3M8"},
	{"d41d8cd98f00b204e9800998ecf8427e", "token:d41d8cd98f00b204e9800998ecf8427e"},
	{"7041234567890123", "token:7041234567890123"},
	{"ThreadPoolExecutorFactory read_csv_with_options_2", ""},
	{"0000000000000000000000", ""},
	{"A1B2C3D4E5F6G7H", ""},
	/* The stop list. */
	{"http://www.w3.org/2000/svg", ""},
	{"https://github.com/", ""},
	{"https://github.com/evil/tool", "url:https://github.com/evil/tool"},
	{"https://docs.python.org/3/library/os.html", ""},
	{"http://localhost:8000/x http://127.0.0.1/y", ""},
	{"https://example.com/data.csv", ""},
	{"https://evil.example.com/data", "url:https://evil.example.com/data "
					  "host:evil.example.com"},
	{"#!/usr/bin/env python3\n>/dev/null /bin/sh /usr/lib/x/y", ""},
	{"user@example.com", ""},
	{"notw3.org", "host:notw3.org"},
	{"0123456789abcdef0123", ""},
	/* Writings that are not meant to be clicked on, or that a page takes apart. */
	{"hxxps://evil[.]dev/x", "url:hxxps://evil url:hxxps://evil[.]dev/x host:evil[.]dev"},
	{"c2(dot)evil[.]com", "host:c2(dot)evil[.]com"},
	{"bob[at]evil.com!", "host:evil.com email:bob[at]evil.com"},
	{"evil\xe2\x80\x91"
	 "corp.net",
	 "host:corp.net host:evil\xe2\x80\x91"
	 "corp.net"},
	{"ev<wbr>il-corp<!-- x y -->.net.", "host:ev<wbr>il-corp<!-- x y -->.net"},
	{"<span class='a'>ev</span>il.net", "host:il.net host:ev</span>il.net"},
	{"ev\xef\xb8\x8f"
	 "il.net",
	 "host:il.net host:ev\xef\xb8\x8f"
	 "il.net"},
	{"evil.net<b>", "host:evil.net"},
	{"vector<int>x.com", "host:x.com"},
};

struct found {
	const char *text;
	char list[2048];
	size_t count;
	uint64_t hash;
};

static void take(void *context, const struct atom *a)
{
	static const char *const kinds[ATOM_KINDS] = {"url",   "host", "ip",
						      "email", "path", "token"};
	struct found *f = context;
	size_t used = strlen(f->list);

	if (!f->count++)
		f->hash = a->hash;
	if (a->len < 1024)
		snprintf(f->list + used, sizeof(f->list) - used, "%s%s:%.*s", used ? " " : "",
			 kinds[a->kind], (int)a->len, f->text + a->at);
}

static struct found find(const char *text, size_t len)
{
	struct found f = {.text = text};

	atoms_find(text, len, ATOM_COMMAND, take, &f);
	return f;
}

/* In memory of its exact size: the sanitizer sees a read past the end. */
static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t len = strlen(rows[i].text);
		AUTO_FREE char *copy = malloc(len + 1);
		memcpy(copy, rows[i].text, len);
		copy = realloc(copy, len ? len : 1);
		struct found f = find(copy, len);
		if (!ok(strcmp(f.list, rows[i].atoms) == 0, "atoms of row %zu: %s", i,
			rows[i].atoms))
			printf("# got    %s\n# wanted %s\n", f.list, rows[i].atoms);
	}
}

static bool is_same(const char *a, const char *b)
{
	struct found x = find(a, strlen(a)), y = find(b, strlen(b));

	return x.count && x.count == y.count && x.hash == y.hash;
}

/* The first atom of both is one. */
static const struct {
	const char *other, *plain;
} writings[] = {
	{"http://evil-corp.net./x", "http://evil-corp.net/x"},
	{"http://evil-corp.net.:80/x", "http://evil-corp.net:80/x"},
	{"http://3405803853/", "http://203.0.113.77/"},
	{"http://0xcb00714d/a", "http://203.0.113.77/a"},
	{"http://0313.0.0161.0115/a", "http://203.0.113.77/a"},
	{"http://203.113.77:8/a", "http://203.113.0.77:8/a"},
	{"2001:0db8:85a3:0000:0000:8a2e:0370:7334", "2001:DB8:85a3::8a2e:370:7334"},
};

/* A word as long as is read at once, with something in it that is left out, and longer ones. */
static void test_fanged_long(void)
{
	enum { LEN = 3 * 4096 };
	static const char *const marks[] = {"[.]", "<wbr>", "[://]", "<b", "<!--", "h", "\xef\xb8"};
	AUTO_FREE char *text = malloc(LEN);

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		size_t n = strlen(marks[i]);
		for (size_t at = 0; at < LEN; at++)
			text[at] = marks[i][at % n];
		find(text, LEN);
		for (size_t at = 4000; at < 4200; at++) {
			memset(text, 'a', at);
			find(text, at + n);
			memcpy(text + at, "[.]com", 6);
			find(text, at + 6);
		}
	}
	memset(text, ' ', LEN);
	memcpy(text + 9000, "evil[.]com", 10);
	ok(find(text, LEN).count == 1 && find(text, LEN).hash == find("evil.com", 8).hash,
	   "a word far behind");
}

static void test_same(void)
{
	ok(is_same("EVIL.Com", "x=evil.com;"), "a host in another case");
	ok(is_same("https://EVIL.example/a", "(https://evil.example/a)."), "an URL likewise");
	ok(!is_same("https://evil.example/A", "https://evil.example/a"), "but its path has a case");
	ok(is_same("~/.ssh/id_rsa", "/home/x/.ssh/id_rsa"), "a place below a home");
	ok(!is_same("/srv/a/b", "/srv/a/c"), "another path");
	for (size_t i = 0; i < ARRAY_SIZE(writings); i++)
		ok(is_same(writings[i].other, writings[i].plain), "%s is %s", writings[i].other,
		   writings[i].plain);
	ok(!is_same("/srv/A/b", "/srv/a/b"), "a path in another case");
}

/* As many URLs in each other as are looked at, and one more. */
static void test_nested(void)
{
	char text[512] = "";

	for (int i = 1; i <= 9; i++) {
		char part[32];
		snprintf(part, sizeof(part), "http://h%d.net/", i);
		strcat(text, part);
		if (i == 8)
			ok(find(text, strlen(text)).count == 16, "the most URLs in each other");
	}
	struct found f = find(text, strlen(text));
	ok(f.count == 16 && !strstr(f.list, "host:h9.net"), "one more is not looked at");
}

static void test_long(void)
{
	enum { LEN = 1 << 20 };
	AUTO_FREE char *text = malloc(LEN);

	memset(text, 'a', LEN);
	memcpy(text, "https://evil.example/", 21);
	ok(find(text, LEN).count >= 2, "an URL of a megabyte");
	for (size_t i = 0; i < LEN; i++)
		text[i] = "@:/."[i % 4];
	find(text, LEN);
	for (size_t i = 0; i < LEN; i++)
		text[i] = "a:"[i % 2];
	find(text, LEN);
	ok(true, "a megabyte of signs");
}

int main(void)
{
	test_rows();
	test_same();
	test_fanged_long();
	test_nested();
	test_long();
	return tap_done();
}
