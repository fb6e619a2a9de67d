/* SPDX-License-Identifier: MIT
 *
 * Every key a policy may have, one row each, and what reads its value. The rows are the schema, the
 * help and the table in docs/POLICY.md. There is no expression language on purpose: what can be
 * written can be checked, and what is decided can be read.
 */
#include <stddef.h>
#include <string.h>

#include "conf/profile.h"
#include "policy/schema.h"

static const char *lang_name(unsigned i)
{
	return profile_at(i) ? profile_at(i)->name : NULL;
}

static const char *tier_name(unsigned i)
{
	return i < TIER_COUNT ? tier_row((enum tier)i)->name : NULL;
}

static int read_examples(struct schema *s, const struct schema_key *k, const struct node *n,
			 void *to)
{
	struct policy_examples *all = to;
	size_t count = node_count(n);

	if (n->kind != NODE_LIST)
		return schema_complain(s, n->line, "%s takes %s", k->key.name, k->key.takes);
	if (count > POLICY_EXAMPLES_MAX)
		return schema_too_many(s, n->line, k->key.name, POLICY_EXAMPLES_MAX);
	all->list = arena_alloc(s->arena, (count + 1) * sizeof(*all->list));
	for (size_t i = 0; i < count && !s->arena->failed; i++) {
		all->list[i] = (struct policy_example){.verdict = VERDICT_COUNT,
						       .ask.caps = CAP_BIT(CAP_COMPUTE),
						       .line = node_item(n, i)->line};
		all->count = i + 1;
		if (schema_read(s, k->inner, node_item(n, i), &all->list[i]) < 0)
			return -1;
	}
	return 0;
}

static int read_rules(struct schema *s, const struct schema_key *k, const struct node *n, void *to)
{
	struct policy *p = to;
	size_t count = node_count(n);

	if (n->kind != NODE_LIST)
		return schema_complain(s, n->line, "%s takes %s", k->key.name, k->key.takes);
	if (count > POLICY_RULES_MAX)
		return schema_too_many(s, n->line, k->key.name, POLICY_RULES_MAX);
	p->rule = arena_alloc(s->arena, (count + 1) * sizeof(*p->rule));
	for (size_t i = 0; i < count && !s->arena->failed; i++) {
		p->rule[i] = (struct policy_rule){
			.why = "", .approval.scope = SCOPE_COUNT, .line = node_item(n, i)->line};
		if (schema_read(s, k->inner, node_item(n, i), &p->rule[i]) < 0)
			return -1;
		p->rulec = i + 1;
	}
	return 0;
}

/* Two of one name would be one variable, and of two for one host only the first would ever go there. */
static int check_secret(struct schema *s, const struct policy *p, const struct policy_secret *one,
			unsigned line)
{
	if (!one->env + !one->path + !one->command != 2)
		return schema_complain(s, line, "a secret comes from one of env, file and command");
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
		*one = (struct policy_secret){.header = "Authorization"};
		if (schema_read(s, k->inner, node_item(n, i), one) < 0 ||
		    check_secret(s, p, one, node_item(n, i)->line) < 0)
			return -1;
		p->secretc = i + 1;
	}
	return 0;
}

#define AT(type, field) offsetof(struct type, field)
#define WHEN(i) ((i) * sizeof(unsigned))

static const struct schema_key keys[] = {
	{{"", "version", "1", "of this format"}, true, 0, schema_version, NULL, NULL},
	{{"", "profile", "a word", "what holds where no rule says otherwise; else balanced"},
	 false,
	 AT(policy, profile),
	 schema_word,
	 policy_profile_name,
	 NULL},
	{{"", "origins", "a map", "where code comes from"}, false, 0, schema_map, NULL, "origins"},
	{{"", "net", "a map", "hosts that the capability net is about"},
	 false,
	 0,
	 schema_map,
	 NULL,
	 "net"},
	{{"", "secrets", "a list of maps", "what runs with secret and net use and never see"},
	 false,
	 0,
	 read_secrets,
	 NULL,
	 "secret"},
	{{"", "contained", "a map", "the box of contained runs and of code that is not trusted"},
	 false,
	 AT(policy, contained),
	 schema_map,
	 NULL,
	 "contained"},
	{{"", "single_user", "true or false",
	  "your own account may approve, at a terminal, with a passphrase"},
	 false,
	 AT(policy, single_user),
	 schema_yes,
	 NULL,
	 NULL},
	{{"", "approval", "a map", "what an approval is good for"},
	 false,
	 AT(policy, approval),
	 schema_map,
	 NULL,
	 "approval"},
	{{"", "rules", "a list of maps", "in any order"}, false, 0, read_rules, NULL, "rule"},

	{{"origins", "undeclared", "a word", "the origin of code that nobody vouches for"},
	 false,
	 AT(policy, undeclared),
	 schema_undeclared,
	 origin_name,
	 NULL},

	{{"net", "allow", "a list of HOST:PORT", "where code with net may connect to"},
	 false,
	 AT(policy, allow),
	 schema_net,
	 NULL,
	 NULL},
	{{"net", "deny", "a list of HOST or HOST:PORT", "where none may, whatever allow says"},
	 false,
	 AT(policy, deny),
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
	{{"secret", "host", "HOST:PORT", "who gets it, by TLS; plain HTTP to it goes there"},
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
	{{"secret", "env", "a name", "it is in this variable of the caller"},
	 false,
	 AT(policy_secret, env),
	 schema_token,
	 NULL,
	 NULL},
	{{"secret", "file", "a path", "it is in this file"},
	 false,
	 AT(policy_secret, path),
	 schema_why,
	 NULL,
	 NULL},
	{{"secret", "command", "a command line", "this prints it"},
	 false,
	 AT(policy_secret, command),
	 schema_why,
	 NULL,
	 NULL},

	{{"contained", "tier", "a word", "the weakest box it may run in"},
	 false,
	 AT(policy_contained, tier),
	 schema_word,
	 tier_name,
	 NULL},
	{{"contained", "limits", "a map of limits", "at most this, by the names of cordon run"},
	 false,
	 AT(policy_contained, limit),
	 schema_limits,
	 NULL,
	 NULL},

	{{"approval", "scope", "a word", "what it is good for"},
	 false,
	 AT(policy_approval, scope),
	 schema_word,
	 scope_name,
	 NULL},
	{{"approval", "ttl", "a duration", "how long, at most 24h"},
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
	{{"approval", "approvers", "a number", "how many people; two or more make ask ask-two"},
	 false,
	 AT(policy_approval, approvers),
	 schema_approvers,
	 NULL,
	 NULL},

	{{"rule", "id", "a name", "a-z, 0-9 and -, once in a policy"},
	 true,
	 AT(policy_rule, id),
	 schema_id,
	 NULL,
	 NULL},
	{{"rule", "why", "a text", "told to who is asked or refused"},
	 false,
	 AT(policy_rule, why),
	 schema_why,
	 NULL,
	 NULL},
	{{"rule", "when", "a map", "all of its conditions must hold"},
	 true,
	 AT(policy_rule, when),
	 schema_map,
	 NULL,
	 "when"},
	{{"rule", "then", "a word", "the verdict"},
	 true,
	 AT(policy_rule, then),
	 schema_word,
	 verdict_name,
	 NULL},
	{{"rule", "approval", "a map", "for what this rule asks"},
	 false,
	 AT(policy_rule, approval),
	 schema_map,
	 NULL,
	 "approval"},
	{{"rule", "match", "a list of maps", "examples that the rule is for"},
	 false,
	 AT(policy_rule, match),
	 read_examples,
	 NULL,
	 "example"},
	{{"rule", "not_match", "a list of maps", "examples that it is not for"},
	 false,
	 AT(policy_rule, not_match),
	 read_examples,
	 NULL,
	 "example"},

	{{"when", "origin", "words", "one of them"},
	 false,
	 WHEN(WHEN_ORIGIN),
	 schema_set,
	 origin_name,
	 NULL},
	{{"when", "caps", "words", "all of them are asked for"},
	 false,
	 WHEN(WHEN_CAPS),
	 schema_set,
	 cap_name,
	 NULL},
	{{"when", "caps_any", "words", "at least one of them is"},
	 false,
	 WHEN(WHEN_CAPS_ANY),
	 schema_set,
	 cap_name,
	 NULL},
	{{"when", "grade", "words", "the worst finding is one of them"},
	 false,
	 WHEN(WHEN_GRADE),
	 schema_set,
	 grade_name,
	 NULL},
	{{"when", "lang", "words", "the code is in one of them"},
	 false,
	 WHEN(WHEN_LANG),
	 schema_set,
	 lang_name,
	 NULL},
	{{"when", "source", "words", "something of one of these kinds was read before"},
	 false,
	 WHEN(WHEN_SOURCE),
	 schema_set,
	 source_kind_name,
	 NULL},

	{{"example", "origin", "a word", "where the code came from"},
	 true,
	 AT(policy_example, ask.origin),
	 schema_word,
	 origin_name,
	 NULL},
	{{"example", "caps", "words", "what it asks for; else compute"},
	 false,
	 AT(policy_example, ask.caps),
	 schema_set,
	 cap_name,
	 NULL},
	{{"example", "grade", "a word", "the worst finding; else none"},
	 false,
	 AT(policy_example, ask.grade),
	 schema_word,
	 grade_name,
	 NULL},
	{{"example", "lang", "a word", "its language; else unknown"},
	 false,
	 AT(policy_example, ask.lang),
	 schema_lang,
	 lang_name,
	 NULL},
	{{"example", "source", "words", "what was read before; else nothing"},
	 false,
	 AT(policy_example, ask.sources),
	 schema_set,
	 source_kind_name,
	 NULL},
	{{"example", "verdict", "a word", "what the whole policy must decide"},
	 false,
	 AT(policy_example, verdict),
	 schema_word,
	 verdict_name,
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

const char *policy_when_name(enum policy_when when, unsigned i)
{
	static const char *(*const words[WHEN_COUNT])(unsigned i) = {
		[WHEN_ORIGIN] = origin_name, [WHEN_CAPS] = cap_name,
		[WHEN_CAPS_ANY] = cap_name,  [WHEN_GRADE] = grade_name,
		[WHEN_LANG] = lang_name,     [WHEN_SOURCE] = source_kind_name,
	};

	return words[when](i);
}
