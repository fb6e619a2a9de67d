/* SPDX-License-Identifier: MIT
 *
 * The requests in which a secret is sent to its host: methods and a prefix of the path, each in one form.
 * cordon-egress checks each request against them.
 */
#include <stdio.h>
#include <string.h>

#include "policy/policy.h"

#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define TOKEN UPPER "abcdefghijklmnopqrstuvwxyz0123456789_-"

static bool is_methods(const char *text)
{
	for (size_t n; (n = strspn(text, UPPER)) > 0; text += n + 1)
		if (text[n] != ',')
			return text[n] == '\0';
	return false;
}

/* No segment may be empty, "." or "..": the host could resolve it to another path. */
static bool is_prefix(const char *text)
{
	if (text[0] != '/' || strlen(text) >= EGRESS_PATH_MAX ||
	    text[strspn(text, TOKEN ".~:@+/")] != '\0')
		return false;
	if (text[1] == '\0')
		return true;
	while (*text == '/') {
		size_t n = strcspn(++text, "/");
		if (n == 0 || (n <= 2 && strspn(text, ".") >= n))
			return false;
		text += n;
	}
	return true;
}

static bool copy(const char *from, const char *to, char *ret, size_t size)
{
	return snprintf(ret, size, "%.*s", (int)(to - from), from) < (int)size;
}

/* Splits the text and checks everything but the host. */
static bool split(const char *text, struct policy_use *ret)
{
	const char *equal = strchr(text, '=');
	const char *colon = equal ? strchr(equal, ':') : NULL;
	const char *slash = colon ? strchr(colon, '/') : NULL;

	return slash && strlen(text) <= POLICY_TEXT_MAX &&
	       copy(text, equal, ret->name, sizeof(ret->name)) && ret->name[0] &&
	       ret->name[strspn(ret->name, TOKEN)] == '\0' &&
	       copy(equal + 1, colon, ret->in.methods, sizeof(ret->in.methods)) &&
	       is_methods(ret->in.methods) &&
	       copy(colon + 1, slash, ret->host, sizeof(ret->host)) && is_prefix(slash) &&
	       copy(slash, slash + strlen(slash), ret->in.path, sizeof(ret->in.path));
}

int policy_use_parse(const char *text, struct policy_use *ret, struct err *err)
{
	struct arena arena = {0};
	struct policy_net net = {0};
	int r = -1;

	if (!split(text, ret)) {
		err_set(err, ERR_INPUT,
			"\"%.200s\" does not name methods, host and path of a secret", text);
		err_cure(err, "write NAME=METHOD[,METHOD...]:HOST:PORT/PATH, for example "
			      "API_TOKEN=GET,POST:api.example.org:443/v1");
		return -1;
	}
	r = policy_net_parse(ret->host, true, &arena, &net, err);
	if (r == 0 && (net.kind != NET_NAME || net.port_from != net.port_to))
		r = err_set(err, ERR_INPUT, "\"%.64s\" is not one host and one port", ret->host);
	else if (r == 0)
		policy_net_format(&net, ret->host, sizeof(ret->host));
	if (arena.failed)
		r = err_memory(err);
	arena_done(&arena);
	return r;
}

const char *policy_use_format(const struct policy_use *u, struct arena *arena)
{
	return arena_printf(arena, "%s=%s:%s%s", u->name, u->in.methods, u->host, u->in.path);
}

bool policy_use_is_of(const char *text, const struct policy_secret *s, struct policy_use *ret)
{
	char host[POLICY_NET_TEXT_MAX];
	struct err ignored;

	snprintf(host, sizeof(host), "%s:%u", s->host, s->port);
	return policy_use_parse(text, ret, &ignored) == 0 && strcmp(ret->name, s->name) == 0 &&
	       strcmp(ret->host, host) == 0;
}
