/* SPDX-License-Identifier: MIT
 *
 * The name in a ClientHello: made up byte by byte, cut at every byte, and with noise in it.
 */
#include "egress/client_hello.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "tap.h"

struct bytes {
	uint8_t data[1024];
	size_t len;
};

static void put(struct bytes *b, const void *data, size_t len)
{
	memcpy(b->data + b->len, data, len);
	b->len += len;
}

static void put16(struct bytes *b, size_t value)
{
	uint8_t two[] = {(uint8_t)(value >> 8), (uint8_t)value};

	put(b, two, 2);
}

static void put_name(struct bytes *b, const char *name, size_t len)
{
	put16(b, 0);
	put16(b, len + 5);
	put16(b, len + 3);
	put(b, "", 1);
	put16(b, len);
	put(b, name, len);
}

/* NAMES times NAME, and the extension TYPE before it. */
static struct bytes hello_with(size_t type, const char *name, size_t len, int names)
{
	struct bytes ext = {{0}, 0}, body = {{0}, 0}, all = {{0}, 0};
	uint8_t zeros[32] = {0};

	put16(&ext, type);
	put16(&ext, 0);
	for (int i = 0; i < names; i++)
		put_name(&ext, name, len);
	put(&body, "\3\3", 2);
	put(&body, zeros, 32);
	put(&body, "\0\0\2\x13\1\1\0", 7);
	put16(&body, ext.len);
	put(&body, ext.data, ext.len);
	put(&all, "\x16\3\1", 3);
	put16(&all, body.len + 4);
	put(&all, "\1\0", 2);
	put16(&all, body.len);
	put(&all, body.data, body.len);
	return all;
}

static struct bytes hello(const char *name, size_t len, int names)
{
	return hello_with(23, name, len, names);
}

static bool is(struct bytes b, enum hello expected, const char *name)
{
	char got[EGRESS_NAME_MAX];

	return client_hello_read(b.data, b.len, got) == expected &&
	       (!name || strcmp(got, name) == 0);
}

static void test_names(void)
{
	char long_name[EGRESS_NAME_MAX + 1];

	ok(is(hello("Web.Test", 8, 1), HELLO_NAMED, "web.test"), "a name, in lower case");
	ok(is(hello("web.test", 8, 0), HELLO_BAD, NULL), "none");
	ok(is(hello("web.test", 8, 2), HELLO_BAD, NULL), "two");
	ok(is(hello("web\0test", 8, 1), HELLO_BAD, NULL), "one with an end in it");
	ok(is(hello("", 0, 1), HELLO_BAD, NULL), "an empty one");
	ok(is(hello_with(0xfe0d, "web.test", 8, 1), HELLO_HIDDEN, ""), "one that hides another");
	memset(long_name, 'a', sizeof(long_name));
	ok(is(hello(long_name, EGRESS_NAME_MAX - 1, 1), HELLO_NAMED, NULL), "the longest");
	ok(is(hello(long_name, EGRESS_NAME_MAX, 1), HELLO_BAD, NULL), "and one more byte");
}

static void test_first_bytes(void)
{
	struct bytes b = hello("web.test", 8, 1);
	char got[EGRESS_NAME_MAX];
	bool waits = true;

	for (size_t i = 0; i < b.len; i++)
		waits = waits && client_hello_read(b.data, i, got) == HELLO_MORE;
	ok(waits, "a part of it is waited on");
	put(&b, "more", 4);
	ok(is(b, HELLO_NAMED, "web.test"), "what follows is not read");
	ok(client_hello_read((const uint8_t *)"GET /", 5, got) == HELLO_NO_TLS, "HTTP is no TLS");
	ok(client_hello_read((const uint8_t *)"\x16\2\1", 3, got) == HELLO_NO_TLS,
	   "nor is another version");
	b.data[5] = 2;
	ok(is(b, HELLO_BAD, NULL), "another handshake message is not a client hello");
	b = hello("web.test", 8, 1);
	b.data[3] = 0xff;
	ok(is(b, HELLO_BAD, NULL), "a record that is too long");
}

static void test_noise(void)
{
	struct bytes plain = hello("web.test", 8, 1);
	char got[EGRESS_NAME_MAX];
	size_t named = 0;

	srand(2);
	for (int i = 0; i < 200000; i++) {
		struct bytes b = plain;
		for (int k = rand() % 4; k >= 0; k--)
			b.data[(size_t)rand() % b.len] = (uint8_t)rand();
		named +=
			client_hello_read(b.data, (size_t)rand() % (b.len + 1), got) == HELLO_NAMED;
	}
	ok(named > 0, "noise is read within its bytes");
}

int main(void)
{
	test_names();
	test_first_bytes();
	test_noise();
	return tap_done();
}
