/* SPDX-License-Identifier: MIT
 *
 * See http_head.h. One request for each connection: the host closes it after its answer, so no code must find
 * where a second request begins.
 */
#include "egress/http_head.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
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

size_t http_head_end(const char *data, size_t len)
{
	const char *end = len >= 4 ? memmem(data, len, "\r\n\r\n", 4) : NULL;

	return end ? (size_t)(end - data) + 4 : 0;
}

/* No control characters. Bytes that are not ASCII are allowed. */
static bool is_clean(const char *line, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (((unsigned char)line[i] < 0x20 && line[i] != '\t') || line[i] == 0x7f)
			return false;
	return true;
}

/* "METHOD /PATH HTTP/1.1": a path, not a URL of another host. */
static bool is_request(const char *line, size_t len, size_t *ret_method, size_t *ret_target)
{
	const char *path = memchr(line, ' ', len);
	const char *version = path ? memchr(path + 1, ' ', len - (size_t)(path + 1 - line)) : NULL;

	*ret_method = version ? (size_t)(path - line) : 0;
	*ret_target = version ? (size_t)(version - path) - 1 : 0;
	return version && path > line && path[1] == '/' &&
	       len - (size_t)(version - line) == strlen(" HTTP/1.1") &&
	       memcmp(version, " HTTP/1.1", strlen(" HTTP/1.1")) == 0;
}

static bool is_listed(const char *methods, const char *method, size_t len)
{
	if (!*methods)
		return true;
	for (size_t n; (n = strcspn(methods, ",")) > 0; methods += n + 1)
		if (n == len && memcmp(methods, method, len) == 0)
			return true;
		else if (!methods[n])
			break;
	return false;
}

/* %XX, but not for a byte that separates segments when decoded, or that starts another escape. */
static bool is_plain_code(const char *at, size_t len)
{
	char hex[3] = "";

	if (len < 3 || !isxdigit((unsigned char)at[1]) || !isxdigit((unsigned char)at[2]))
		return false;
	memcpy(hex, at + 1, 2);
	long byte = strtol(hex, NULL, 16);
	return byte >= 0x20 && byte != 0x7f && !strchr("./\\%;", (int)byte);
}

/* All hosts read this path the same way: it has no empty segment, no "." and no "..". */
static bool is_plain(const char *path, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		size_t dots = 0, rest = len - i - 1;
		if (path[i] <= ' ' || path[i] > '~' || path[i] == '\\' || path[i] == '#' ||
		    (path[i] == '%' && !is_plain_code(path + i, len - i)))
			return false;
		if (path[i] != '/')
			continue;
		while (dots < rest && path[i + 1 + dots] == '.')
			dots++;
		bool ends = dots == rest || path[i + 1 + dots] == '/' || path[i + 1 + dots] == ';';
		if (ends && dots <= 2 && (dots || rest))
			return false;
	}
	return true;
}

/* Is the path of TARGET below PREFIX, by whole segments? */
static bool is_below(const char *prefix, const char *target, size_t len)
{
	const char *query = memchr(target, '?', len);
	size_t path = query ? (size_t)(query - target) : len, n = strlen(prefix);

	if (strcmp(prefix, "/") == 0)
		return true;
	return n && path >= n && memcmp(target, prefix, n) == 0 &&
	       (path == n || target[n] == '/') && is_plain(target, path);
}

/* Why the secret is not for this request; NULL: it is. */
static const char *refusal(const struct egress_secret *s, const char *method, size_t method_len,
			   const char *target, size_t len)
{
	const char *why = "the secret is not for requests of this method";

	if (!is_listed(s->policy.methods, method, method_len))
		return why;
	for (size_t i = 0; i < s->usec; i++) {
		if (!is_listed(s->use[i].methods, method, method_len))
			continue;
		if (is_below(s->policy.path, target, len) && is_below(s->use[i].path, target, len))
			return NULL;
		why = "the secret is not for requests for this path";
	}
	return why;
}

static bool is_named(const char *line, size_t name, const char *header)
{
	return strlen(header) == name && strncasecmp(line, header, name) == 0;
}

/* The placeholder is replaced only in this line. */
static void put_secret(struct out *o, const char *line, size_t len, const struct egress_secret *s)
{
	size_t mark = strlen(s->placeholder);

	for (const char *at; len && (at = memmem(line, len, s->placeholder, mark));) {
		put(o, line, (size_t)(at - line));
		put_text(o, s->value);
		len -= (size_t)(at - line) + mark;
		line = at + mark;
	}
	put(o, line, len);
	put_text(o, "\r\n");
}

/* Headers that cordon-egress sets itself: the host, and the form of the answer. In an answer in parts or in
 * another encoding it could not find the secret. */
static const char *const replaced[] = {
	"Host",	 "Connection", "Keep-Alive", "Upgrade", "Accept-Encoding",
	"Range", "If-Range",   "TE"};

static bool is_replaced(const char *line, size_t name)
{
	for (size_t i = 0; i < ARRAY_SIZE(replaced); i++)
		if (is_named(line, name, replaced[i]))
			return true;
	return false;
}

/* One number: a list of lengths is as ambiguous as two headers. */
static bool is_length(const char *value, size_t len)
{
	size_t n = 0, digits = 0;

	while (n < len && (value[n] == ' ' || value[n] == '\t'))
		n++;
	for (; n < len && isdigit((unsigned char)value[n]); n++)
		digits++;
	while (n < len && (value[n] == ' ' || value[n] == '\t'))
		n++;
	return digits && n == len;
}

/* FRAMED: an earlier header gives the length of the body. A second one could contradict it, and
 * the host would see another request. */
static bool put_header(struct out *o, const char *line, size_t len, const struct egress_secret *s,
		       bool *framed)
{
	const char *colon = memchr(line, ':', len);
	size_t name = colon ? (size_t)(colon - line) : 0;

	if (!name || memchr(line, ' ', name) || memchr(line, '\t', name))
		return false;
	bool is_size = is_named(line, name, "Content-Length");
	if (is_size || is_named(line, name, "Transfer-Encoding")) {
		if (*framed || (is_size && !is_length(colon + 1, len - name - 1)))
			return false;
		*framed = true;
	}
	if (is_replaced(line, name))
		return true;
	if (is_named(line, name, s->header)) {
		put_secret(o, line, len, s);
	} else {
		put(o, line, len);
		put_text(o, "\r\n");
	}
	return true;
}

/* Writes the request line and the headers of `replaced`. Returns why the request is not passed
 * on, or NULL. */
static const char *put_request(struct out *o, const char *line, size_t len,
			       const struct egress_secret *s)
{
	size_t method, target;
	const char *why = HEAD_NO_REQUEST;

	if (is_request(line, len, &method, &target))
		why = refusal(s, line, method, line + method + 1, target);
	put(o, line, len);
	put_text(o, "\r\nHost: ");
	put_text(o, s->host);
	put_text(o, "\r\nConnection: close\r\nAccept-Encoding: identity\r\n");
	return why;
}

size_t http_head_rewrite(const char *data, size_t len, const struct egress_secret *s, char *ret,
			 size_t size, const char **ret_why)
{
	struct out o = {ret, size, false};
	const char *why = HEAD_NO_REQUEST;
	bool framed = false;

	*ret_why = HEAD_NO_REQUEST;
	if (len < 4 || http_head_end(data, len) != len)
		return 0;
	const char *end = data + len - 2; /* the empty line */
	for (const char *line = data; line < end;) {
		const char *stop = memmem(line, (size_t)(data + len - line), "\r\n", 2);
		size_t n = (size_t)(stop - line);
		if (!is_clean(line, n) || (line != data && !put_header(&o, line, n, s, &framed)))
			return 0;
		if (line == data)
			why = put_request(&o, line, n, s);
		line = stop + 2;
	}
	put_text(&o, "\r\n");
	if (why)
		*ret_why = why;
	return o.failed || why ? 0 : size - o.left;
}
