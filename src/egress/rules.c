/* SPDX-License-Identifier: MIT
 *
 * See rules.h. A denied name or address is always denied. A host that is allowed by name must
 * have an address on the internet. Any other address (private, loopback ...) needs a rule for
 * addresses whose range lies wholly in that kind, so that a rule for half of all addresses does
 * not allow this host.
 */
#include "egress/rules.h"

#include <stdio.h>
#include <string.h>

void rules_done(struct rules *r)
{
	arena_done(&r->arena);
}

int rules_add(struct rules *r, enum egress_list list, const char *text, struct err *err)
{
	if (list >= EGRESS_LISTS || r->count[list] == RULES_MAX)
		return err_set(err, ERR_LIMIT, "more than %d rules for hosts", RULES_MAX);
	if (policy_net_parse(text, list != EGRESS_DENIED, &r->arena, &r->list[list][r->count[list]],
			     err) < 0)
		return -1;
	if (r->arena.failed)
		return err_memory(err);
	r->count[list]++;
	return 0;
}

static bool is_below(const char *name, const char *suffix)
{
	size_t len = strlen(name), tail = strlen(suffix);

	return len > tail + 1 && name[len - tail - 1] == '.' &&
	       strcmp(name + len - tail, suffix) == 0;
}

static bool fits_name(const struct policy_net *n, const char *name)
{
	return *name && ((n->kind == NET_NAME && strcmp(n->name, name) == 0) ||
			 (n->kind == NET_SUFFIX && is_below(name, n->name)));
}

static bool fits_address(const struct policy_net *n, const struct address *a)
{
	int family = n->kind == NET_V4 ? AF_INET : n->kind == NET_V6 ? AF_INET6 : 0;

	return family && a->family == family && address_is_in(a, n->address, n->prefix);
}

static bool fits_port(const struct policy_net *n, uint16_t port)
{
	return port >= n->port_from && port <= n->port_to;
}

typedef bool fits_fn(const struct policy_net *n, const struct rules_ask *ask);

static const struct policy_net *find(const struct rules *r, enum egress_list list, fits_fn *fits,
				     const struct rules_ask *ask)
{
	for (size_t i = 0; i < r->count[list]; i++)
		if (fits(&r->list[list][i], ask))
			return &r->list[list][i];
	return NULL;
}

/* A denied IPv4 address is denied inside an IPv6 address too. */
static bool fits_either(const struct policy_net *n, const struct rules_ask *ask)
{
	struct address inner;

	if (!fits_port(n, ask->port))
		return false;
	return fits_name(n, ask->name) || fits_address(n, &ask->address) ||
	       (address_inner(&ask->address, &inner) && fits_address(n, &inner));
}

static bool fits_by_name(const struct policy_net *n, const struct rules_ask *ask)
{
	return fits_port(n, ask->port) && fits_name(n, ask->name);
}

static bool fits_by_address(const struct policy_net *n, const struct rules_ask *ask)
{
	return fits_port(n, ask->port) && fits_address(n, &ask->address);
}

/* A rule for addresses whose range lies wholly in the kind of this address. */
static bool means_kind(const struct policy_net *n, const struct rules_ask *ask)
{
	struct address inner;
	unsigned before = address_inner(&ask->address, &inner);

	return fits_by_address(n, ask) && n->prefix >= before + address_kind(&ask->address)->prefix;
}

static bool means_exactly(const struct policy_net *n, const struct rules_ask *ask)
{
	return fits_by_address(n, ask) && n->prefix == (n->kind == NET_V4 ? 32U : 128U);
}

static bool denies_all_ports(const struct policy_net *n, const struct rules_ask *ask)
{
	return n->port_from <= 1 && n->port_to == UINT16_MAX && fits_name(n, ask->name);
}

static bool fits_any_port(const struct policy_net *n, const struct rules_ask *ask)
{
	return fits_name(n, ask->name);
}

static bool say(char ret[EGRESS_RULE_MAX], const char *before, const struct policy_net *n)
{
	char text[POLICY_NET_TEXT_MAX];

	snprintf(ret, EGRESS_RULE_MAX, "%s%s", before, policy_net_format(n, text, sizeof(text)));
	return n && before[0] == '\0';
}

static bool refuse(char ret[EGRESS_RULE_MAX], const char *why)
{
	snprintf(ret, EGRESS_RULE_MAX, "%s", why);
	return false;
}

bool rules_allow_name(const struct rules *r, const char *name, char ret_rule[EGRESS_RULE_MAX])
{
	struct rules_ask ask = {.name = name};
	const struct policy_net *n = find(r, EGRESS_DENIED, denies_all_ports, &ask);

	if (n)
		return say(ret_rule, "denied: ", n);
	n = find(r, EGRESS_ALLOWED, fits_any_port, &ask);
	return n ? say(ret_rule, "", n) : refuse(ret_rule, "no rule allows this name");
}

/* Checks the real address. */
static bool allow_place(const struct rules *r, const struct rules_ask *ask,
			char ret_rule[EGRESS_RULE_MAX])
{
	const struct address_kind *kind = address_kind(&ask->address);
	char where[EGRESS_ADDRESS_TEXT];

	address_format(&ask->address, where, sizeof(where));
	if (kind && !find(r, EGRESS_ALLOWED, means_kind, ask)) {
		snprintf(ret_rule, EGRESS_RULE_MAX, "%s is %s, which no rule names by address",
			 where, kind->what);
		return false;
	}
	if (ask->own && !find(r, EGRESS_ALLOWED, means_exactly, ask)) {
		snprintf(ret_rule, EGRESS_RULE_MAX,
			 "%s is this host's own address, which no rule names", where);
		return false;
	}
	return true;
}

bool rules_allow(const struct rules *r, const struct rules_ask *ask, char ret_rule[EGRESS_RULE_MAX])
{
	const struct policy_net *n = find(r, EGRESS_DENIED, fits_either, ask);

	if (n)
		return say(ret_rule, "denied: ", n);
	n = find(r, EGRESS_ALLOWED, ask->name[0] ? fits_by_name : fits_by_address, ask);
	if (!n)
		return refuse(ret_rule, ask->name[0] ? "no rule allows this port of it"
						     : "no rule allows this address and port");
	return allow_place(r, ask, ret_rule) && say(ret_rule, "", n);
}
