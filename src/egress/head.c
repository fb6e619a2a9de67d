/* SPDX-License-Identifier: MIT
 *
 * See head.h. One request a connection: the host closes it after its answer, so nobody has to find
 * where a second one begins.
 */
#include "egress/head.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "base/scope.h"

struct out {
	char *p;
	size_t left;
	bool failed;
};

static void put(struct out *o, const char *data, size_t len)
{
	if (o->failed || len > o->left) {
		o->failed = true;
		return;
	}
	memcpy(o->p, data, len);
	o->p += len;
	o->left -= len;
}

static void put_text(struct out *o, const char *text)
{
	put(o, text, strlen(text));
}

size_t head_end(const char *data, size_t len)
{
	const char *end = len >= 4 ? memmem(data, len, "\r\n\r\n", 4) : NULL;

	return end ? (size_t)(end - data) + 4 : 0;
}

/* Printable, and what is not ASCII. */
static bool is_clean(const char *line, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (((unsigned char)line[i] < 0x20 && line[i] != '\t') || line[i] == 0x7f)
			return false;
	return true;
}

/* METHOD /PATH HTTP/1.1: a path, not another host. */
static bool is_request(const char *line, size_t len)
{
	const char *path = memchr(line, ' ', len);
	const char *version = path ? memchr(path + 1, ' ', len - (size_t)(path + 1 - line)) : NULL;

	return version && path > line && path[1] == '/' &&
	       len - (size_t)(version - line) == strlen(" HTTP/1.1") &&
	       memcmp(version, " HTTP/1.1", strlen(" HTTP/1.1")) == 0;
}

static bool is_named(const char *line, size_t name, const char *header)
{
	return strlen(header) == name && strncasecmp(line, header, name) == 0;
}

/* The one line in which the placeholder means something. */
static void put_secret(struct out *o, const char *line, size_t len, const struct head_rule *r)
{
	size_t mark = strlen(r->placeholder);

	for (const char *at; len && (at = memmem(line, len, r->placeholder, mark));) {
		put(o, line, (size_t)(at - line));
		put_text(o, r->secret);
		len -= (size_t)(at - line) + mark;
		line = at + mark;
	}
	put(o, line, len);
	put_text(o, "\r\n");
}

/* Ours instead: where it goes, and how the answer comes. In pieces or in another coding it could have the
 * secret in it, and nobody would see it. */
static const char *const ours[] = {
	"Host",	 "Connection", "Keep-Alive", "Upgrade", "Accept-Encoding",
	"Range", "If-Range",   "TE"};

static bool is_ours(const char *line, size_t name)
{
	for (size_t i = 0; i < ARRAY_SIZE(ours); i++)
		if (is_named(line, name, ours[i]))
			return true;
	return false;
}

static bool put_header(struct out *o, const char *line, size_t len, const struct head_rule *r)
{
	const char *colon = memchr(line, ':', len);
	size_t name = colon ? (size_t)(colon - line) : 0;

	if (!name || memchr(line, ' ', name) || memchr(line, '\t', name))
		return false;
	if (is_ours(line, name))
		return true;
	if (is_named(line, name, r->header)) {
		put_secret(o, line, len, r);
	} else {
		put(o, line, len);
		put_text(o, "\r\n");
	}
	return true;
}

size_t head_rewrite(const char *data, size_t len, const struct head_rule *r, char *ret, size_t size)
{
	struct out o = {ret, size, false};
	bool first = true;

	if (len < 4 || head_end(data, len) != len)
		return 0;
	const char *end = data + len - 2; /* the empty line */
	for (const char *line = data; line < end;) {
		const char *stop = memmem(line, (size_t)(data + len - line), "\r\n", 2);
		size_t n = (size_t)(stop - line);
		if (!is_clean(line, n) ||
		    (first ? !is_request(line, n) : !put_header(&o, line, n, r)))
			return 0;
		if (first) {
			put(&o, line, n);
			put_text(&o, "\r\nHost: ");
			put_text(&o, r->host);
			put_text(&o, "\r\nConnection: close\r\nAccept-Encoding: identity\r\n");
		}
		first = false;
		line = stop + 2;
	}
	put_text(&o, "\r\n");
	return o.failed || first ? 0 : size - o.left;
}
