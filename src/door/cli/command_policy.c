/* SPDX-License-Identifier: MIT
 *
 * cordon policy: checks a policy file, and shows the policy in force.
 */
#include "policy/policy.h"

#include <limits.h>
#include <sodium.h>
#include <stdarg.h>
#include <string.h>

#include "base/scope.h"
#include "conf/units.h"
#include "door/cli/open_state.h"
#include "door/cli/rules_command.h"
#include "show/jsonval.h"
#include "show/terminal.h"

enum { LABEL_WIDTH = 12, LINE_BYTES = 2048 };
#define HEX_ROOM (2 * POLICY_SHA256 + 1)

/* Prints a name and its text in columns; the text is escaped. */
__attribute__((format(printf, 2, 3))) static void line(const char *label, const char *fmt, ...)
{
	char text[LINE_BYTES];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	printf("  %-*s", LABEL_WIDTH, label);
	terminal_print_text(stdout, text);
	putchar('\n');
}

static json_t *net_json(const struct policy_netlist *list)
{
	json_t *all = json_array();
	char text[POLICY_NET_TEXT_MAX];

	for (size_t i = 0; i < list->count; i++)
		json_array_append_new(
			all, json_string(policy_net_format(&list->list[i], text, sizeof(text))));
	return all;
}

/* The origin of a secret. A command is not shown: it may contain the secret. */
static const char *source_of(const struct policy_secret *s, char *ret, size_t size)
{
	snprintf(ret, size, "%s%s",
		 s->env	   ? "env "
		 : s->path ? "file "
			   : "command",
		 s->env	   ? s->env
		 : s->path ? s->path
			   : "");
	return ret;
}

static json_t *secrets_json(const struct policy *p)
{
	json_t *all = json_array();
	char host[POLICY_NET_TEXT_MAX], source[PATH_MAX + 8];

	for (size_t i = 0; i < p->secretc; i++) {
		const struct policy_secret *s = &p->secret[i];
		snprintf(host, sizeof(host), "%s:%u", s->host, s->port);
		json_array_append_new(
			all, json_pack("{s:s, s:s, s:s, s:s?, s:s, s:o}", "name", s->name, "host",
				       host, "header", s->header, "methods",
				       *s->methods ? s->methods : NULL, "path", s->prefix, "from",
				       jsonval_readable(source_of(s, source, sizeof(source)))));
	}
	return all;
}

static json_t *texts_json(const struct policy_list *l)
{
	json_t *all = json_array();

	for (size_t i = 0; i < l->count; i++)
		json_array_append_new(all, jsonval_readable(l->text[i]));
	return all;
}

static json_t *grants_json(const struct policy *p)
{
	json_t *all = json_array();

	for (size_t i = 0; i < p->grantc; i++) {
		const struct policy_grant *g = &p->grant[i];
		json_array_append_new(all,
				      json_pack("{s:o, s:o, s:o, s:o}", "directory",
						jsonval_readable(g->directory), "write",
						texts_json(&g->write), "net", texts_json(&g->net),
						"secret", texts_json(&g->secret)));
	}
	return all;
}

static json_t *row_json(const struct policy_row *row)
{
	json_t *o = json_object();

	for (unsigned c = 0; c < CAP_COUNT; c++)
		json_object_set_new(o, cap_name(c), json_string(policy_cell_name(row->cell[c])));
	return o;
}

static json_t *rules_json(const struct policy *p)
{
	json_t *o = json_object();

	for (size_t i = 0; i < p->gradec; i++)
		json_object_set_new(o, p->grade[i].rule,
				    json_string(grade_name(p->grade[i].grade)));
	return o;
}

static json_t *limits_json(const struct policy *p)
{
	json_t *o = json_object();

	for (int i = 0; i < LIMIT_COUNT; i++)
		if (p->limit[i])
			json_object_set_new(o, limit_row((enum limit_id)i)->name,
					    jsonval_number(p->limit[i]));
	return o;
}

static const char *waits_words(const struct policy *p)
{
	static const char *const words[] = {
		[WAITS_NEVER] = "never",
		[WAITS_FINDING] = "derived code with a finding",
		[WAITS_DERIVED] = "all derived code",
	};

	return words[p->waits];
}

static json_t *confirmation_json(const struct policy *p)
{
	json_t *o = json_object();

	for (unsigned c = 0; c < CAP_COUNT; c++)
		json_object_set_new(o, cap_name(c), json_boolean(p->confirmation[c]));
	return o;
}

static void show_json(const struct policy *p, const char *sha256)
{
	json_t *o = json_pack("{s:s, s:o, s:s, s:o, s:o, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:b, "
			      "s:o, s:o, s:o, s:o}",
			      "profile", policy_profile_name(p->profile), "file",
			      p->file ? rules_name_json(p->file) : json_null(), "sha256", sha256,
			      "clean", row_json(&p->row[STATE_CLEAN]), "exposed",
			      row_json(&p->row[STATE_EXPOSED]), "waits", waits_words(p), "exec",
			      policy_exec_name(p->exec), "tier", tier_row(p->tier)->name, "limits",
			      limits_json(p), "net_allow", net_json(&p->allow), "net_deny",
			      net_json(&p->deny), "net_trusted", net_json(&p->trusted), "net_sni",
			      p->sni, "secrets", secrets_json(p), "grants", grants_json(p), "rules",
			      rules_json(p), "confirmation", confirmation_json(p));
	json_t *approval =
		json_pack("{s:o, s:o, s:o}", "ttl_ms", jsonval_number(p->approval.ttl_ms),
			  "wait_ms", jsonval_number(p->approval.wait_ms), "approvers",
			  jsonval_number(p->approval.approvers));

	json_object_set_new(o, "approval", approval);
	jsonval_print(o);
}

static void show_net(const char *name, const struct policy_netlist *list)
{
	char text[POLICY_NET_TEXT_MAX];

	for (size_t i = 0; i < list->count; i++)
		line(name, "%s", policy_net_format(&list->list[i], text, sizeof(text)));
}

static void show_row(const char *name, const struct policy_row *row)
{
	line(name, "write %s, net %s, secret %s", policy_cell_name(row->cell[CAP_WRITE]),
	     policy_cell_name(row->cell[CAP_NET]), policy_cell_name(row->cell[CAP_SECRET]));
}

static void show_list(const char *name, const struct policy_list *l)
{
	for (size_t i = 0; i < l->count; i++)
		line("", "%s %s", name, l->text[i]);
}

static void show_text(const struct policy *p, const char *sha256)
{
	char value[32], wait[32], source[PATH_MAX + 8];

	printf("profile %s: %s\n", policy_profile_name(p->profile),
	       policy_profile_help(p->profile));
	line("file", "%s", p->file ? p->file : "built in");
	line("sha256", "%s", sha256);
	line("exec", "%s", policy_exec_name(p->exec));
	show_row("clean", &p->row[STATE_CLEAN]);
	show_row("exposed", &p->row[STATE_EXPOSED]);
	line("waits", "%s", waits_words(p));
	line("box", "of exposed code: tier %s or stronger", tier_row(p->tier)->name);
	for (int i = 0; i < LIMIT_COUNT; i++)
		if (p->limit[i])
			line("", "%s at most %s", limit_row((enum limit_id)i)->name,
			     units_format(limit_row((enum limit_id)i)->unit, p->limit[i], value,
					  sizeof(value)));
	line("approval", "holds %s, asked for %s, approvers: %u",
	     units_format(UNIT_DURATION_MS, p->approval.ttl_ms, value, sizeof(value)),
	     units_format(UNIT_DURATION_MS, p->approval.wait_ms, wait, sizeof(wait)),
	     p->approval.approvers);
	line("confirmed", "write %s, net %s, secret %s, by the account that asks",
	     policy_confirms(p, CAP_BIT(CAP_WRITE)) ? "yes" : "no",
	     policy_confirms(p, CAP_BIT(CAP_NET)) ? "yes" : "no",
	     policy_confirms(p, CAP_BIT(CAP_SECRET)) ? "yes" : "no");
	show_net("net allow", &p->allow);
	show_net("net deny", &p->deny);
	show_net("net trusted", &p->trusted);
	line("net sni", "%s", p->sni ? "true" : "false");
	for (size_t i = 0; i < p->secretc; i++)
		line("secret", "%s, in %s of %s requests to %s:%u%s, from %s", p->secret[i].name,
		     p->secret[i].header, *p->secret[i].methods ? p->secret[i].methods : "all",
		     p->secret[i].host, p->secret[i].port, p->secret[i].prefix,
		     source_of(&p->secret[i], source, sizeof(source)));
	for (size_t i = 0; i < p->grantc; i++) {
		line("grant", "%s", p->grant[i].directory);
		show_list("write", &p->grant[i].write);
		show_list("net", &p->grant[i].net);
		show_list("secret", &p->grant[i].secret);
	}
	for (size_t i = 0; i < p->gradec; i++)
		line("rule", "%s %s", p->grade[i].rule, grade_name(p->grade[i].grade));
}

static int show(struct cli_call *call, const struct policy *p)
{
	char sha256[HEX_ROOM];

	sodium_bin2hex(sha256, sizeof(sha256), p->sha256, POLICY_SHA256);
	(call->json ? show_json : show_text)(p, sha256);
	return 0;
}

static const struct cli_option policy_options[] = {
	{"policy", "FILE", "the policy; default: the configured one", .set = cli_set_policy},
	{"json", NULL, "print JSON", .set = cli_set_json},
	{0}};

static const struct verb {
	struct cli_verb verb;
	bool is_file; /* the operand is the policy */
} verbs[] = {{{"check", NULL, 1, 1}, true}, {{"show", NULL, 0, 0}, false}};

static int run_policy(struct cli_call *call)
{
	struct policy p;
	struct err err;
	const struct verb *verb =
		cli_find_verb(call, verbs, ARRAY_SIZE(verbs), sizeof(verbs[0]), &err);

	if (!verb)
		return cli_fail_with(call, CLI_STATUS_USAGE, &err);
	int result = policy_open(&p, verb->is_file ? call->argv[1] : call->policy, &err);
	/* For check, a wrong file is a finding and not a failure. */
	int status = result == 0
			     ? show(call, &p)
			     : cli_fail_with(call,
					     verb->is_file && !err.sys_errno ? CLI_STATUS_BAD
									     : CLI_STATUS_FAILED,
					     &err);
	policy_done(&p);
	return status;
}

static const struct cli_exit policy_exits[] = {{"0", "no errors"},
					       {"1", "check: the policy is wrong"},
					       {"2", "wrong usage"},
					       {"125", "the policy could not be read"},
					       {"", ""}};

static const struct cli_combination policy_combinations[] = {{"policy", ONLY_FOR, "show"}, {0}};

COMMAND(policy) = {
	.name = "policy",
	.order = 50,
	.synopsis = "check FILE|show [options]",
	.help = "check a policy file; show the policy in force",
	.example = "cordon policy show --policy policy.yaml",
	.options = policy_options,
	.combinations = policy_combinations,
	.exits = policy_exits,
	.usage_status = 2,
	.takes_operands = true,
	.run = run_policy,
};
