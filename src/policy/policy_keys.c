/* SPDX-License-Identifier: MIT
 *
 * The keys of a policy, one row each, with the reader of the value. The rows are the schema, the help
 * and the table in docs/reference/policy.md. A policy has no expression language, so that every
 * policy can be checked and its decisions can be read from it.
 */
#include <stddef.h>
#include <string.h>

#include "policy/schema.h"

static const char *tier_name(unsigned i)
{
	return i < TIER_COUNT ? tier_row((enum tier)i)->name : NULL;
}

/* Exposed code gets effects from tickets and not from the table. A grant of the policy is a ticket. */
static int read_exposed(struct schema *s, const struct schema_key *k, const struct node *n,
			void *to)
{
	enum policy_cell *cell = to;

	if (schema_word(s, k, n, cell) < 0)
		return -1;
	if (*cell > CELL_ASK)
		return schema_complain(s, n->line,
				       "exposed: %s: %s: only ask and deny; write a grant instead",
				       k->key.name, policy_cell_name(*cell));
	return 0;
}

/* {ATR-2026-00297: shown}. */
static int read_grades(struct schema *s, const struct schema_key *k, const struct node *n, void *to)
{
	struct policy *p = to;

	if (n->kind != NODE_MAP)
		return schema_complain(s, n->line, "%s takes %s", k->key.name, k->key.takes);
	if (n->map.count > POLICY_RULES_MAX)
		return schema_too_many(s, n->line, k->key.name, POLICY_RULES_MAX);
	p->grade = arena_alloc(s->arena, (n->map.count + 1) * sizeof(*p->grade));
	for (size_t i = 0; i < n->map.count && !s->arena->failed; i++) {
		const struct node_pair *pair = &n->map.pair[i];
		if (pair->key.len > POLICY_ID_MAX)
			return schema_too_many(s, pair->line, "bytes of a rule's id",
					       POLICY_ID_MAX);
		p->grade[i].rule = arena_dup(s->arena, pair->key.s);
		if (schema_word(s, k, pair->value, &p->grade[i].grade) < 0)
			return -1;
		p->gradec = i + 1;
	}
	return 0;
}

static int read_grants(struct schema *s, const struct schema_key *k, const struct node *n, void *to)
{
	struct policy *p = to;
	size_t count = node_count(n);

	if (n->kind != NODE_LIST)
		return schema_complain(s, n->line, "%s takes %s", k->key.name, k->key.takes);
	if (count > POLICY_GRANTS_MAX)
		return schema_too_many(s, n->line, k->key.name, POLICY_GRANTS_MAX);
	p->grant = arena_alloc(s->arena, (count + 1) * sizeof(*p->grant));
	for (size_t i = 0; i < count && !s->arena->failed; i++) {
		p->grant[i] = (struct policy_grant){0};
		if (schema_read(s, k->inner, node_item(n, i), &p->grant[i]) < 0)
			return -1;
		if (p->grant[i].directory[0] != '/')
			return schema_complain(s, node_item(n, i)->line,
					       "directory: \"%.64s\" is not an absolute path",
					       p->grant[i].directory);
		p->grantc = i + 1;
	}
	return 0;
}

/* Two secrets of one name would share a variable; of two for one host only the first would be used. */
static int check_secret(struct schema *s, const struct policy *p, const struct policy_secret *one,
			unsigned line)
{
	struct policy_use use;

	if (!one->env + !one->path + !one->command != 2)
		return schema_complain(s, line,
				       "a secret needs exactly one of env, file and command");
	/* The rules are those of a grant. */
	const char *grant = arena_printf(s->arena, "%s=%s:%s:%u%s", one->name,
					 *one->methods ? one->methods : "GET", one->host, one->port,
					 one->prefix);
	if (!policy_use_is_of(grant, one, &use) || strcmp(use.in.path, one->prefix) != 0)
		return schema_complain(s, line, "write methods like [GET, POST] and path like /v1");
	for (size_t i = 0; i < p->secretc; i++) {
		if (strcmp(p->secret[i].name, one->name) == 0)
			return schema_complain(s, line, "there are two secrets %s", one->name);
		if (strcmp(p->secret[i].host, one->host) == 0)
			return schema_complain(s, line, "there are two secrets for %s", one->host);
	}
	return 0;
}

static int read_secrets(struct schema *s, const struct schema_key *k, const struct node *n,
			void *to)
{
	struct policy *p = to;
	size_t count = node_count(n);

	if (n->kind != NODE_LIST)
		return schema_complain(s, n->line, "%s takes %s", k->key.name, k->key.takes);
	if (count > POLICY_SECRETS_MAX)
		return schema_too_many(s, n->line, k->key.name, POLICY_SECRETS_MAX);
	p->secret = arena_alloc(s->arena, (count + 1) * sizeof(*p->secret));
	for (size_t i = 0; i < count && !s->arena->failed; i++) {
		struct policy_secret *one = &p->secret[i];
		*one = (struct policy_secret){
			.header = "Authorization", .methods = "", .prefix = "/"};
		if (schema_read(s, k->inner, node_item(n, i), one) < 0 ||
		    check_secret(s, p, one, node_item(n, i)->line) < 0)
			return -1;
		p->secretc = i + 1;
	}
	return 0;
}

#define AT(type, field) offsetof(struct type, field)
#define CELL(state, cap) AT(policy, row[state].cell[cap])
#define CONFIRM(name, cap, help)                                                                   \
	{                                                                                          \
		{"confirmation", name, "yes or no", help}, false, AT(policy, confirmation[cap]),   \
			schema_word, confirmation_name, NULL                                       \
	}

static const char *confirmation_name(unsigned i)
{
	static const char *const names[] = {[CONFIRM_NO] = "no", [CONFIRM_YES] = "yes"};

	return i < sizeof(names) / sizeof(names[0]) ? names[i] : NULL;
}

static const struct schema_key keys[] = {
	{{"", "version", "2", "of this format"}, true, 0, schema_version, NULL, NULL},
	{{"", "profile", "a word", "what holds where this file says nothing; else balanced"},
	 false,
	 AT(policy, profile),
	 schema_word,
	 policy_profile_name,
	 NULL},
	{{"", "exec", "listed or any",
	  "what scripts and commands may execute; else as the profile"},
	 false,
	 AT(policy, exec),
	 schema_word,
	 policy_exec_name,
	 NULL},
	{{"", "clean", "a map", "effects of clean code"}, false, 0, schema_map, NULL, "clean"},
	{{"", "exposed", "a map", "effects and the box of exposed code"},
	 false,
	 0,
	 schema_map,
	 NULL,
	 "exposed"},
	{{"", "net", "a map", "hosts that code may reach"}, false, 0, schema_map, NULL, "net"},
	{{"", "secrets", "a list of maps", "what runs use at a host and never see"},
	 false,
	 0,
	 read_secrets,
	 NULL,
	 "secret"},
	{{"", "grants", "a list of maps", "effects of exposed code in a directory"},
	 false,
	 0,
	 read_grants,
	 NULL,
	 "grant"},
	{{"", "rules", "a map of rule ids to grades", "raises or lowers single rules"},
	 false,
	 0,
	 read_grades,
	 grade_name,
	 NULL},
	{{"", "confirmation", "a map",
	  "where the account that asks may answer itself, at a terminal, without a key"},
	 false,
	 0,
	 schema_map,
	 NULL,
	 "confirmation"},
	{{"", "approval", "a map",
	  "how long people are asked, how long an approval holds, how many must agree"},
	 false,
	 AT(policy, approval),
	 schema_map,
	 NULL,
	 "approval"},

	{{"clean", "write", "a word", "apply changes to the directory"},
	 false,
	 CELL(STATE_CLEAN, CAP_WRITE),
	 schema_word,
	 policy_cell_name,
	 NULL},
	{{"clean", "net", "a word", "connect"},
	 false,
	 CELL(STATE_CLEAN, CAP_NET),
	 schema_word,
	 policy_cell_name,
	 NULL},
	{{"clean", "secret", "a word", "use a secret"},
	 false,
	 CELL(STATE_CLEAN, CAP_SECRET),
	 schema_word,
	 policy_cell_name,
	 NULL},
	CONFIRM("write", CAP_WRITE, "apply changes; cordon trust"),
	CONFIRM("net", CAP_NET, "connect"),
	CONFIRM("secret", CAP_SECRET, "use a secret"),

	{{"exposed", "write", "ask or deny", "apply changes to the directory"},
	 false,
	 CELL(STATE_EXPOSED, CAP_WRITE),
	 read_exposed,
	 policy_cell_name,
	 NULL},
	{{"exposed", "net", "ask or deny", "connect"},
	 false,
	 CELL(STATE_EXPOSED, CAP_NET),
	 read_exposed,
	 policy_cell_name,
	 NULL},
	{{"exposed", "secret", "ask or deny", "use a secret"},
	 false,
	 CELL(STATE_EXPOSED, CAP_SECRET),
	 read_exposed,
	 policy_cell_name,
	 NULL},
	{{"exposed", "tier", "a word", "the weakest box it may run in"},
	 false,
	 AT(policy, tier),
	 schema_word,
	 tier_name,
	 NULL},
	{{"exposed", "limits", "a map of limits", "at most this, by the names of cordon run"},
	 false,
	 AT(policy, limit),
	 schema_limits,
	 NULL,
	 NULL},

	{{"net", "allow", "a list of HOST:PORT", "where clean code may connect to"},
	 false,
	 AT(policy, allow),
	 schema_net,
	 NULL,
	 NULL},
	{{"net", "deny", "a list of HOST or HOST:PORT",
	  "hosts that no code may reach, even with a ticket"},
	 false,
	 AT(policy, deny),
	 schema_net,
	 NULL,
	 NULL},
	{{"net", "trusted", "a list of HOST:PORT", "hosts whose answers expose nothing"},
	 false,
	 AT(policy, trusted),
	 schema_net,
	 NULL,
	 NULL},
	{{"net", "sni", "true or false", "TLS to a host must ask for the name that was dialled"},
	 false,
	 AT(policy, sni),
	 schema_yes,
	 NULL,
	 NULL},

	{{"secret", "name", "a name", "the variable that stands for it in the box"},
	 true,
	 AT(policy_secret, name),
	 schema_token,
	 NULL,
	 NULL},
	{{"secret", "host", "HOST:PORT",
	  "the host that gets it. Requests to it by plain HTTP are sent by TLS"},
	 true,
	 AT(policy_secret, host),
	 schema_host,
	 NULL,
	 NULL},
	{{"secret", "header", "a name", "the header it stands in; else Authorization"},
	 false,
	 AT(policy_secret, header),
	 schema_token,
	 NULL,
	 NULL},
	{{"secret", "methods", "a list of words", "only in requests of these methods"},
	 false,
	 AT(policy_secret, methods),
	 schema_methods,
	 NULL,
	 NULL},
	{{"secret", "path", "a path", "only in requests for it or below it"},
	 false,
	 AT(policy_secret, prefix),
	 schema_text,
	 NULL,
	 NULL},
	{{"secret", "env", "a name", "it is in this variable of the caller"},
	 false,
	 AT(policy_secret, env),
	 schema_token,
	 NULL,
	 NULL},
	{{"secret", "file", "a path", "it is in this file"},
	 false,
	 AT(policy_secret, path),
	 schema_text,
	 NULL,
	 NULL},
	{{"secret", "command", "a command line", "this prints it"},
	 false,
	 AT(policy_secret, command),
	 schema_text,
	 NULL,
	 NULL},

	{{"grant", "directory", "a path", "the directory that the run is given"},
	 true,
	 AT(policy_grant, directory),
	 schema_text,
	 NULL,
	 NULL},
	{{"grant", "write", "a list of paths", "below the directory; . is all of it"},
	 false,
	 AT(policy_grant, write),
	 schema_paths,
	 NULL,
	 NULL},
	{{"grant", "net", "a list of HOST:PORT", "exact names or addresses"},
	 false,
	 AT(policy_grant, net),
	 schema_hosts,
	 NULL,
	 NULL},
	{{"grant", "secret", "a list of NAME=METHODS:HOST:PORT/PATH",
	  "secrets of this policy, and the requests for them"},
	 false,
	 AT(policy_grant, secret),
	 schema_uses,
	 NULL,
	 NULL},

	{{"approval", "ttl", "a duration", "how long it holds, at most 24h"},
	 false,
	 AT(policy_approval, ttl_ms),
	 schema_ttl,
	 NULL,
	 NULL},
	{{"approval", "wait", "a duration", "how long people are asked, at most 24h"},
	 false,
	 AT(policy_approval, wait_ms),
	 schema_ttl,
	 NULL,
	 NULL},
	{{"approval", "approvers", "a number", "the number of people who must agree"},
	 false,
	 AT(policy_approval, approvers),
	 schema_approvers,
	 NULL,
	 NULL},
};

const struct schema_key *schema_key_at(unsigned i)
{
	return i < sizeof(keys) / sizeof(keys[0]) ? &keys[i] : NULL;
}

const struct policy_key *policy_key_at(unsigned i)
{
	return schema_key_at(i) ? &schema_key_at(i)->key : NULL;
}
