/* SPDX-License-Identifier: MIT
 *
 * See client_hello.h. A ClientHello that does not fit into one record is refused: no current
 * client needs two, and code that joins records could be wrong.
 */
#include "egress/client_hello.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum {
	RECORD_HEAD = 5,
	RECORD_HANDSHAKE = 0x16,
	CLIENT_HELLO = 1,
	EXTENSION_NAME = 0,
	EXTENSION_ECH = 0xfe0d, /* then the visible name is not the real one */
	RANDOM = 32,
};

/* The rest of the input; a failure is permanent. */
struct cursor {
	const uint8_t *p;
	size_t left;
	bool failed;
};

static size_t number(struct cursor *c, size_t bytes)
{
	size_t value = 0;

	if (c->left < bytes)
		c->failed = true;
	for (size_t i = 0; !c->failed && i < bytes; i++) {
		value = value << 8 | *c->p++;
		c->left--;
	}
	return c->failed ? 0 : value;
}

/* The next LEN bytes, as a cursor of their own. */
static struct cursor part(struct cursor *c, size_t len)
{
	struct cursor inner = {c->p, len, c->failed || len > c->left};

	c->failed = inner.failed;
	if (!c->failed) {
		c->p += len;
		c->left -= len;
	}
	return inner;
}

/* A list with one name, of the one defined type. */
static bool take_name(struct cursor ext, char *ret)
{
	struct cursor list = part(&ext, number(&ext, 2));
	size_t kind = number(&list, 1);
	struct cursor name = part(&list, number(&list, 2));

	if (list.failed || name.failed || ext.left || list.left || kind != 0 || name.left == 0 ||
	    name.left >= EGRESS_NAME_MAX || memchr(name.p, '\0', name.left))
		return false;
	for (size_t i = 0; i < name.left; i++)
		ret[i] = (char)tolower(name.p[i]);
	ret[name.left] = '\0';
	return true;
}

static enum hello read_hello(struct cursor c, char *ret)
{
	size_t names = 0;
	bool hidden = false;

	number(&c, 2); /* version */
	part(&c, RANDOM);
	part(&c, number(&c, 1)); /* session */
	part(&c, number(&c, 2)); /* ciphers */
	part(&c, number(&c, 1)); /* compressions */
	struct cursor all = part(&c, number(&c, 2));
	while (!all.failed && all.left) {
		size_t type = number(&all, 2);
		struct cursor ext = part(&all, number(&all, 2));
		if (type == EXTENSION_NAME && (all.failed || names++ || !take_name(ext, ret)))
			return HELLO_BAD;
		hidden |= type == EXTENSION_ECH;
	}
	if (hidden && !all.failed) {
		ret[0] = '\0';
		return HELLO_HIDDEN;
	}
	return names == 1 && !all.failed && !c.failed && !c.left ? HELLO_NAMED : HELLO_BAD;
}

enum hello client_hello_read(const uint8_t *data, size_t len, char ret[EGRESS_NAME_MAX])
{
	struct cursor c = {data, len, false};

	ret[0] = '\0';
	if (len == 0)
		return HELLO_MORE;
	if (data[0] != RECORD_HANDSHAKE || (len > 1 && data[1] != 3))
		return HELLO_NO_TLS;
	if (len < RECORD_HEAD)
		return HELLO_MORE;
	number(&c, 3);
	size_t record = number(&c, 2);
	if (record < 4 || record > HELLO_MAX - RECORD_HEAD)
		return HELLO_BAD;
	if (c.left < record)
		return HELLO_MORE;
	c.left = record;
	if (number(&c, 1) != CLIENT_HELLO || number(&c, 3) != c.left)
		return HELLO_BAD;
	return read_hello(c, ret);
}
