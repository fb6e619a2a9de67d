/* SPDX-License-Identifier: MIT
 *
 * Reads entries of the network lists. An entry has one meaning and one form: a malformed address is
 * not taken for a name, and an address has no bits after its prefix.
 */
#include "policy/net.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/scope.h"

enum { LABEL_MAX = 63, PORT_MAX = 65535, HOST_ROOM = POLICY_NET_NAME_MAX + 3 };

static const struct family {
	enum policy_net_kind kind;
	int af;
	unsigned bits;
} v4 = {NET_V4, AF_INET, 32}, v6 = {NET_V6, AF_INET6, 128};

/* Decimal digits without a leading zero; -1 if malformed or above MOST. */
static long number(const char *text, size_t len, long most)
{
	long value = 0;

	if (len == 0 || len > 5 || (text[0] == '0' && len > 1))
		return -1;
	for (size_t i = 0; i < len; i++) {
		if (!isdigit((unsigned char)text[i]))
			return -1;
		value = value * 10 + (text[i] - '0');
	}
	return value <= most ? value : -1;
}

static int parse_ports(const char *text, struct policy_net *ret, struct err *err)
{
	const char *dash = strchr(text, '-');
	size_t len = dash ? (size_t)(dash - text) : strlen(text);
	long from = number(text, len, PORT_MAX);
	long to = dash ? number(dash + 1, strlen(dash + 1), PORT_MAX) : from;

	if (strcmp(text, "*") == 0) {
		from = 1;
		to = PORT_MAX;
	}
	if (from < 1 || to < from)
		return err_set(err, ERR_INPUT, "\"%.32s\" is not a port: write 443, 8000-8100 or *",
			       text);
	ret->port_from = (uint16_t)from;
	ret->port_to = (uint16_t)to;
	return 0;
}

/* Are the bits after the prefix zero? */
static bool is_whole(const struct policy_net *n, unsigned bits)
{
	for (unsigned i = n->prefix; i < bits; i++)
		if (n->address[i / 8] & (0x80U >> (i % 8)))
			return false;
	return true;
}

static int parse_range(const struct family *f, char *host, struct policy_net *ret, struct err *err)
{
	char *slash = strchr(host, '/');
	long prefix = slash ? number(slash + 1, strlen(slash + 1), (long)f->bits) : (long)f->bits;

	if (slash)
		*slash = '\0';
	if (prefix < 0 || inet_pton(f->af, host, ret->address) != 1)
		return err_set(err, ERR_INPUT, "\"%.64s%s%.8s\" is not a range of addresses", host,
			       slash ? "/" : "", slash ? slash + 1 : "");
	ret->kind = f->kind;
	ret->prefix = (unsigned)prefix;
	if (is_whole(ret, f->bits))
		return 0;
	return err_set(err, ERR_INPUT,
		       "%.64s has bits after /%ld: write the first address of the range", host,
		       prefix);
}

/* Labels of letters, digits and hyphens. The last begins with a letter, as every top-level domain
 * does: some programs take a number there, such as 0x7f, for an address. */
static const char *name_complaint(const char *name)
{
	size_t len = strlen(name), label = 0;

	if (len == 0 || len > POLICY_NET_NAME_MAX)
		return "is too short or too long for a name";
	for (size_t i = 0; i <= len; i++) {
		if (i == len || name[i] == '.') {
			if (label == 0 || label > LABEL_MAX || name[i - 1] == '-')
				return "is no name: look at its dots and hyphens";
			if (i == len && !isalpha((unsigned char)name[i - label]))
				return "is no name and no address";
			label = 0;
			continue;
		}
		if (!isalnum((unsigned char)name[i]) && (name[i] != '-' || label == 0))
			return "is no name: letters, digits, hyphens and dots (others as xn--)";
		label++;
	}
	return NULL;
}

static int parse_name(const char *host, bool allows, struct arena *arena, struct policy_net *ret,
		      struct err *err)
{
	bool wild = strncmp(host, "*.", 2) == 0;
	const char *bad = name_complaint(wild ? host + 2 : host);

	if (bad)
		return err_set(err, ERR_INPUT, "\"%.64s\" %s", host, bad);
	if (wild && allows && !strchr(host + 2, '.'))
		return err_set(err, ERR_INPUT,
			       "\"%.64s\" would allow too much: write at least two labels", host);
	char *lower = arena_dup(arena, wild ? host + 2 : host);
	for (char *p = lower; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	ret->kind = wild ? NET_SUFFIX : NET_NAME;
	ret->name = lower;
	return 0;
}

/* Splits TEXT into host and ports; *RET_PORTS is NULL if there are none. */
static int split(const char *text, char *host, const char **ret_ports, struct err *err)
{
	const char *from = text[0] == '[' ? text + 1 : text;
	const char *end = text[0] == '[' ? strchr(text, ']') : strchr(text, ':');
	const char *after = end && text[0] == '[' ? end + 1 : end;
	size_t len = end ? (size_t)(end - from) : strlen(from);

	if ((text[0] == '[' && !end) || (after && *after && *after != ':'))
		return err_set(err, ERR_INPUT, "\"%.64s\": write it like [2001:db8::/32]:443",
			       text);
	if (text[0] != '[' && end && strchr(end + 1, ':'))
		return err_set(err, ERR_INPUT,
			       "\"%.64s\": write IPv6 in brackets: [2001:db8::1]:443", text);
	if (len >= HOST_ROOM)
		return err_set(err, ERR_LIMIT, "a name has at most %d bytes", POLICY_NET_NAME_MAX);
	memcpy(host, from, len);
	host[len] = '\0';
	*ret_ports = after && *after ? after + 1 : NULL;
	return 0;
}

static bool looks_like_v4(const char *host)
{
	return host[strspn(host, "0123456789./")] == '\0' && *host;
}

static bool is_unspecified(const struct policy_net *n)
{
	static const uint8_t zero[16];

	return n->kind >= NET_V4 && memcmp(n->address, zero, n->kind == NET_V4 ? 4 : 16) == 0 &&
	       n->prefix == (n->kind == NET_V4 ? v4.bits : v6.bits);
}

int policy_net_parse(const char *text, bool allows, struct arena *arena, struct policy_net *ret,
		     struct err *err)
{
	struct policy_net n = {.name = "", .port_from = 1, .port_to = PORT_MAX};
	char host[HOST_ROOM] = "";
	const char *ports = NULL;
	int result;

	if (split(text, host, &ports, err) < 0)
		return -1;
	if (!ports && allows)
		return err_set(err, ERR_INPUT, "\"%.64s\" has no port: write %.64s:443", text,
			       text);
	if (ports && parse_ports(ports, &n, err) < 0)
		return -1;
	if (text[0] == '[')
		result = parse_range(&v6, host, &n, err);
	else if (looks_like_v4(host))
		result = parse_range(&v4, host, &n, err);
	else
		result = parse_name(host, allows, arena, &n, err);
	if (result < 0)
		return -1;
	if (allows && n.kind >= NET_V4 && n.prefix == 0)
		return err_set(err, ERR_INPUT, "\"%.64s\" would allow every host", text);
	if (allows && is_unspecified(&n))
		return err_set(err, ERR_INPUT, "\"%.64s\" names no host: for this host write %s",
			       text, n.kind == NET_V4 ? "127.0.0.1" : "[::1]");
	*ret = n;
	return 0;
}

static bool is_network(const struct policy_net *n)
{
	return (n->kind == NET_V4 && n->prefix < v4.bits) ||
	       (n->kind == NET_V6 && n->prefix < v6.bits);
}

const char *policy_net_many(const struct policy_net *n)
{
	return n->kind == NET_SUFFIX	    ? "a pattern of names"
	       : is_network(n)		    ? "a network"
	       : n->port_from != n->port_to ? "a range of ports"
					    : NULL;
}

const char *policy_net_format(const struct policy_net *n, char *buf, size_t size)
{
	char host[POLICY_NET_NAME_MAX + 3], ports[16], prefix[8] = "";

	if (n->kind == NET_V4 || n->kind == NET_V6)
		inet_ntop(n->kind == NET_V4 ? AF_INET : AF_INET6, n->address, host, sizeof(host));
	if (is_network(n))
		snprintf(prefix, sizeof(prefix), "/%u", n->prefix);
	if (n->port_from == 1 && n->port_to == PORT_MAX)
		snprintf(ports, sizeof(ports), "*");
	else if (n->port_from == n->port_to)
		snprintf(ports, sizeof(ports), "%u", n->port_from);
	else
		snprintf(ports, sizeof(ports), "%u-%u", n->port_from, n->port_to);
	if (n->kind == NET_V6)
		snprintf(buf, size, "[%s%s]:%s", host, prefix, ports);
	else if (n->kind == NET_V4)
		snprintf(buf, size, "%s%s:%s", host, prefix, ports);
	else
		snprintf(buf, size, "%s%s:%s", n->kind == NET_SUFFIX ? "*." : "", n->name, ports);
	return buf;
}

static bool fits(const struct policy_net *n, const struct policy_net *host)
{
	const char *name = n->name ? n->name : "", *host_name = host->name ? host->name : "";
	size_t len = strlen(name), host_len = strlen(host_name);

	if (host->port_from < n->port_from || host->port_to > n->port_to)
		return false;
	if (n->kind == NET_SUFFIX && host->kind == NET_NAME)
		return host_len > len + 1 && host_name[host_len - len - 1] == '.' &&
		       strcmp(host_name + host_len - len, name) == 0;
	return n->kind == host->kind && strcmp(name, host_name) == 0 && n->prefix == host->prefix &&
	       memcmp(n->address, host->address, sizeof(n->address)) == 0;
}

/* Is the address HOST in the network N? */
static bool contains(const struct policy_net *n, const struct policy_net *host)
{
	unsigned whole = n->prefix / 8, rest = n->prefix % 8;

	if (n->kind != host->kind || n->kind < NET_V4 || host->prefix < n->prefix ||
	    host->port_from < n->port_from || host->port_to > n->port_to)
		return false;
	return memcmp(n->address, host->address, whole) == 0 &&
	       (!rest || (n->address[whole] ^ host->address[whole]) >> (8 - rest) == 0);
}

static bool find(const struct policy_netlist *list, const char *host,
		 bool (*matches)(const struct policy_net *n, const struct policy_net *host))
{
	struct arena arena = {0};
	struct policy_net one = {0};
	struct err ignored;
	bool found = false;

	if (policy_net_parse(host, true, &arena, &one, &ignored) == 0)
		for (size_t i = 0; i < list->count; i++)
			found |= matches(&list->list[i], &one);
	arena_done(&arena);
	return found;
}

bool policy_net_lists(const struct policy_netlist *list, const char *host)
{
	return find(list, host, fits);
}

bool policy_net_denies(const struct policy_netlist *list, const char *host)
{
	return find(list, host, fits) || find(list, host, contains);
}
