/* SPDX-License-Identifier: MIT
 *
 * cordon policy show: the policy that is in force, its table of cells included.
 */
#include <limits.h>
#include <sodium.h>
#include <stdarg.h>
#include <string.h>

#include "base/scope.h"
#include "cli/jsonval.h"
#include "cli/policy.h"
#include "cli/rules.h"
#include "conf/units.h"

enum { LABEL_WIDTH = 12, CELL_WIDTH = 16 };

void policy_line(const char *label, const char *fmt, ...)
{
	char text[2 * POLICY_REASON_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	printf("  %-*s", LABEL_WIDTH, label);
	cli_print_text(stdout, text);
	putchar('\n');
}

json_t *policy_set_json(unsigned set, const char *(*name)(unsigned i))
{
	json_t *all = json_array();

	for (unsigned i = 0; name(i); i++)
		if (set & (1U << i))
			json_array_append_new(all, json_string(name(i)));
	return all;
}

json_t *policy_approval_json(const struct policy_approval *a)
{
	json_t *o = json_object();

	if (a->scope < SCOPE_COUNT)
		json_object_set_new(o, "scope", json_string(scope_name(a->scope)));
	if (a->ttl_ms)
		json_object_set_new(o, "ttl_ms", jsonval_number(a->ttl_ms));
	if (a->wait_ms)
		json_object_set_new(o, "wait_ms", jsonval_number(a->wait_ms));
	if (a->approvers)
		json_object_set_new(o, "approvers", jsonval_number(a->approvers));
	return o;
}

/* {ORIGIN: {GRADE: {CAP: VERDICT}}}, of cells or of ceilings. */
static json_t *cells_json(const struct policy *p,
			  enum verdict (*at)(enum policy_profile, enum origin, enum grade,
					     enum cap))
{
	json_t *origins = json_object();

	for (unsigned o = 0; o < ORIGIN_COUNT; o++) {
		json_t *grades = json_object();
		for (unsigned g = 0; g < GRADE_COUNT; g++) {
			json_t *caps = json_object();
			for (unsigned c = 0; c < CAP_COUNT; c++)
				json_object_set_new(
					caps, cap_name(c),
					json_string(verdict_name(at(p->profile, (enum origin)o,
								    (enum grade)g, (enum cap)c))));
			json_object_set_new(grades, grade_name(g), caps);
		}
		json_object_set_new(origins, origin_name(o), grades);
	}
	return origins;
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

json_t *policy_net_json(const struct policy *p)
{
	return json_pack("{s:o, s:o, s:b}", "allow", net_json(&p->allow), "deny",
			 net_json(&p->deny), "sni", p->sni);
}

/* Where it comes from. A command is not shown: there are some that have the secret in them. */
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
			all, json_pack("{s:s, s:s, s:s, s:o}", "name", s->name, "host", host,
				       "header", s->header, "from",
				       jsonval_readable(source_of(s, source, sizeof(source)))));
	}
	return all;
}

static const char *when_key(unsigned when)
{
	for (unsigned i = 0, n = 0; policy_key_at(i); i++)
		if (strcmp(policy_key_at(i)->map, "when") == 0 && n++ == when)
			return policy_key_at(i)->name;
	return "";
}

static json_t *rules_json(const struct policy *p)
{
	json_t *all = json_array();

	for (size_t i = 0; i < p->rulec; i++) {
		const struct policy_rule *r = &p->rule[i];
		json_t *when = json_object();
		for (unsigned w = 0; w < WHEN_COUNT; w++) {
			json_t *words = json_array();
			for (unsigned n = 0; policy_when_name((enum policy_when)w, n); n++)
				if (r->when[w] & (1U << n))
					json_array_append_new(words,
							      json_string(policy_when_name(
								      (enum policy_when)w, n)));
			if (r->when[w])
				json_object_set(when, when_key(w), words);
			json_decref(words);
		}
		json_array_append_new(all, json_pack("{s:s, s:i, s:o, s:o, s:s, s:o}", "id", r->id,
						     "line", (int)r->line, "why",
						     jsonval_readable(r->why), "when", when, "then",
						     verdict_name(r->then), "approval",
						     policy_approval_json(&r->approval)));
	}
	return all;
}

static json_t *limits_json(const uint64_t *limit)
{
	json_t *o = json_object();

	for (int i = 0; i < LIMIT_COUNT; i++)
		if (limit[i])
			json_object_set_new(o, limit_row((enum limit_id)i)->name,
					    jsonval_number(limit[i]));
	return o;
}

static void show_json(const struct policy *p, const char *sha256)
{
	jsonval_print(json_pack(
		"{s:o, s:s, s:s, s:s, s:o, s:o, s:{s:s, s:o}, s:o, s:o, s:o, s:o}", "file",
		p->file ? rules_name_json(p->file) : json_null(), "sha256", sha256, "profile",
		policy_profile_name(p->profile), "undeclared", origin_name(p->undeclared), "net",
		policy_net_json(p), "secrets", secrets_json(p), "contained", "tier",
		tier_row(p->contained.tier)->name, "limits", limits_json(p->contained.limit),
		"approval", policy_approval_json(&p->approval), "rules", rules_json(p), "cells",
		cells_json(p, policy_cell), "ceilings", cells_json(p, policy_ceiling)));
}

static void show_cells(const struct policy *p)
{
	printf("\n%-9s%-9s", "origin", "findings");
	for (unsigned c = 0; c < CAP_COUNT; c++)
		printf("%-*s", CELL_WIDTH, cap_name(c));
	putchar('\n');
	for (unsigned o = ORIGIN_COUNT; o-- > 0;)
		for (unsigned g = 0; g < GRADE_COUNT; g++) {
			printf("%-9s%-9s", origin_name(o), grade_name(g));
			for (unsigned c = 0; c < CAP_COUNT; c++)
				printf("%-*s", CELL_WIDTH,
				       verdict_name(policy_cell(p->profile, (enum origin)o,
								(enum grade)g, (enum cap)c)));
			putchar('\n');
		}
}

static void show_rule(const struct policy_rule *r)
{
	printf("\nrule %s: %s\n", r->id, verdict_name(r->then));
	if (*r->why)
		policy_line("why", "%s", r->why);
	for (unsigned w = 0; w < WHEN_COUNT; w++)
		for (unsigned n = 0; policy_when_name((enum policy_when)w, n); n++)
			if (r->when[w] & (1U << n))
				policy_line(when_key(w), "%s",
					    policy_when_name((enum policy_when)w, n));
}

static void show_net(const char *name, const struct policy_netlist *list)
{
	char text[POLICY_NET_TEXT_MAX];

	for (size_t i = 0; i < list->count; i++)
		policy_line(name, "%s", policy_net_format(&list->list[i], text, sizeof(text)));
}

void policy_net_lines(const struct policy *p)
{
	show_net("net allow", &p->allow);
	show_net("net deny", &p->deny);
	if (p->sni)
		policy_line("net sni", "TLS must ask for the name that was dialled");
}

void policy_secret_lines(const struct policy *p)
{
	char source[PATH_MAX + 8];

	for (size_t i = 0; i < p->secretc; i++) {
		const struct policy_secret *s = &p->secret[i];
		policy_line("secret", "%s, in %s to %s:%u, from %s", s->name, s->header, s->host,
			    s->port, source_of(s, source, sizeof(source)));
	}
}

static void show_text(const struct policy *p, const char *sha256)
{
	char value[32], wait[32];

	printf("profile %s: %s\n", policy_profile_name(p->profile),
	       policy_profile_help(p->profile));
	policy_line("file", "%s", p->file ? p->file : "built in");
	policy_line("sha256", "%s", sha256);
	policy_line("undeclared", "%s", origin_name(p->undeclared));
	policy_line("approval", "%s, %s, asked for %s, approvers: %u",
		    scope_name(p->approval.scope),
		    units_format(UNIT_DURATION_MS, p->approval.ttl_ms, value, sizeof(value)),
		    units_format(UNIT_DURATION_MS, p->approval.wait_ms, wait, sizeof(wait)),
		    p->approval.approvers);
	policy_line("contained", "tier %s or stronger", tier_row(p->contained.tier)->name);
	for (int i = 0; i < LIMIT_COUNT; i++)
		if (p->contained.limit[i])
			policy_line("", "%s at most %s", limit_row((enum limit_id)i)->name,
				    units_format(limit_row((enum limit_id)i)->unit,
						 p->contained.limit[i], value, sizeof(value)));
	policy_net_lines(p);
	policy_secret_lines(p);
	show_cells(p);
	for (size_t i = 0; i < p->rulec; i++)
		show_rule(&p->rule[i]);
}

void policy_hex(const uint8_t sha256[POLICY_SHA256], char ret[POLICY_HEX_ROOM])
{
	sodium_bin2hex(ret, POLICY_HEX_ROOM, sha256, POLICY_SHA256);
}

int policy_show(struct cli_call *call, const struct policy *p)
{
	char sha256[POLICY_HEX_ROOM];

	policy_hex(p->sha256, sha256);
	(call->json ? show_json : show_text)(p, sha256);
	return 0;
}
