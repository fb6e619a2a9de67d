/* SPDX-License-Identifier: MIT
 *
 * See rpc.h.
 */
#include "door/executor/rpc.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"

json_t *rpc_error_object(int code, const char *message)
{
	json_t *text = json_string(message);

	if (!text) /* bytes of a name that are not UTF-8 */
		text = json_string("the message is not UTF-8");
	return json_pack("{s:{s:i, s:o}}", "error", "code", code, "message", text);
}

static int digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* In place. False: a broken escape, or a NUL. */
static bool unescape(char *text)
{
	char *to = text;

	for (const char *p = text; *p; to++) {
		if (*p != '%') {
			*to = *p++;
			continue;
		}
		int high = digit(p[1]), low = high < 0 ? -1 : digit(p[2]);
		if (low < 0 || high * 16 + low == 0)
			return false;
		*to = (char)(high * 16 + low);
		p += 3;
	}
	*to = '\0';
	return true;
}

/* In place; PATH begins with a slash. */
static void clean(char *path)
{
	char *to = path;
	size_t len;

	for (const char *at = path; *at; at += len) {
		at += strspn(at, "/");
		len = strcspn(at, "/");
		if (len == 2 && strncmp(at, "..", 2) == 0) {
			while (to > path && *--to != '/')
				;
		} else if (len && !(len == 1 && *at == '.')) {
			*to++ = '/';
			memmove(to, at, len);
			to += len;
		}
	}
	if (to == path)
		*to++ = '/';
	*to = '\0';
}

char *rpc_path(const char *uri)
{
	static const char scheme[] = "file://";

	if (!uri || strncmp(uri, scheme, sizeof(scheme) - 1) != 0)
		return NULL;
	uri += sizeof(scheme) - 1;
	if (strncmp(uri, "localhost/", 10) == 0)
		uri += 9;
	AUTO_FREE char *path = uri[0] == '/' && !strpbrk(uri, "?#") ? strdup(uri) : NULL;
	if (!path || !unescape(path))
		return NULL;
	clean(path);
	char *taken = path;
	path = NULL;
	return taken;
}

char *rpc_uri(const char *path)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "-._~/!$&'()*+,;=:@";
	static const char hex[] = "0123456789ABCDEF";
	static const char scheme[] = "file://";
	char *uri = malloc(strlen(path) * 3 + sizeof(scheme)), *to = uri;

	if (!uri)
		return NULL;
	memcpy(to, scheme, sizeof(scheme) - 1);
	to += sizeof(scheme) - 1;
	for (; *path; path++) {
		unsigned char c = (unsigned char)*path;
		if (strchr(plain, c)) {
			*to++ = *path;
			continue;
		}
		*to++ = '%';
		*to++ = hex[c >> 4];
		*to++ = hex[c & 15];
	}
	*to = '\0';
	return uri;
}

/* libsodium takes some bytes above 127 for a slash. */
static bool is_plain(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] > 127)
			return false;
	return true;
}

char *rpc_bytes(const char *base64, size_t len, size_t *ret_len)
{
	char *data = base64 && is_plain(base64, len) ? malloc(len / 4 * 3 + 4) : NULL;
	const char *end;

	if (!data)
		return NULL;
	if (sodium_base642bin((unsigned char *)data, len / 4 * 3 + 3, base64, len, NULL, ret_len,
			      &end, sodium_base64_VARIANT_ORIGINAL) < 0 ||
	    end != base64 + len) {
		free(data);
		return NULL;
	}
	data[*ret_len] = '\0';
	return data;
}

char *rpc_base64(const void *data, size_t len)
{
	size_t size = sodium_base64_encoded_len(len, sodium_base64_VARIANT_ORIGINAL);
	char *text = malloc(size);

	if (text)
		sodium_bin2base64(text, size, data, len, sodium_base64_VARIANT_ORIGINAL);
	return text;
}
