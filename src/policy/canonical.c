/* SPDX-License-Identifier: MIT
 *
 * The canonical form of a policy: one line per fact, in a fixed order, the profile's cells and
 * ceilings among them, so that a new version of Cordon with another table is another policy. What
 * decides nothing is left out: names of files, reasons, examples. Its SHA-256 is the policy's name
 * in every approval and in the log.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"

static void put_cells(FILE *to, enum policy_profile profile)
{
	for (unsigned o = 0; o < ORIGIN_COUNT; o++)
		for (unsigned g = 0; g < GRADE_COUNT; g++)
			for (unsigned c = 0; c < CAP_COUNT; c++)
				fprintf(to, "cell %s %s %s %s %s\n", origin_name(o), grade_name(g),
					cap_name(c),
					verdict_name(policy_cell(profile, (enum origin)o,
								 (enum grade)g, (enum cap)c)),
					verdict_name(policy_ceiling(profile, (enum origin)o,
								    (enum grade)g, (enum cap)c)));
}

static void put_net(FILE *to, const char *name, const struct policy_netlist *list)
{
	char text[POLICY_NET_TEXT_MAX];

	for (size_t i = 0; i < list->count; i++)
		fprintf(to, "%s %s\n", name, policy_net_format(&list->list[i], text, sizeof(text)));
}

/* A path and a command may be any text, with ends of lines in it: it stands behind its length. */
static void put_secrets(FILE *to, const struct policy *p)
{
	for (size_t i = 0; i < p->secretc; i++) {
		const struct policy_secret *s = &p->secret[i];
		const char *sort = s->env ? "env" : s->path ? "file" : "command";
		const char *text = s->env ? s->env : s->path ? s->path : s->command;
		fprintf(to, "secret %s %s %u %s %s %zu %s\n", s->name, s->host, s->port, s->header,
			sort, strlen(text), text);
	}
}

static void put_approval(FILE *to, const struct policy_approval *a)
{
	const char *scope = scope_name(a->scope);

	fprintf(to, "approval %s %" PRIu64 " %" PRIu64 " %u\n", scope ? scope : "-", a->ttl_ms,
		a->wait_ms, a->approvers);
}

static void put_rule(FILE *to, const struct policy_rule *r)
{
	fprintf(to, "rule %s %s\n", r->id, verdict_name(r->then));
	for (unsigned w = 0; w < WHEN_COUNT; w++)
		for (unsigned i = 0; policy_when_name((enum policy_when)w, i); i++)
			if (r->when[w] & (1U << i))
				fprintf(to, "when %u %s\n", w,
					policy_when_name((enum policy_when)w, i));
	put_approval(to, &r->approval);
}

/* The rule that comes after LAST by its id; NULL: none. The file's order means nothing. */
static const struct policy_rule *next_rule(const struct policy *p, const struct policy_rule *last)
{
	const struct policy_rule *next = NULL;

	for (size_t i = 0; i < p->rulec; i++) {
		const struct policy_rule *r = &p->rule[i];
		if ((!last || strcmp(r->id, last->id) > 0) &&
		    (!next || strcmp(r->id, next->id) < 0))
			next = r;
	}
	return next;
}

static void put(FILE *to, const struct policy *p)
{
	fprintf(to, "cordon policy 1\nprofile %s\n", policy_profile_name(p->profile));
	put_cells(to, p->profile);
	for (unsigned c = 0; c < CAP_COUNT; c++)
		if (POLICY_CONTAINED_CAPS & CAP_BIT(c))
			fprintf(to, "contained %s\n", cap_name(c));
	fprintf(to, "undeclared %s\n", origin_name(p->undeclared));
	fprintf(to, "single_user %d\n", p->single_user);
	put_net(to, "allow", &p->allow);
	put_net(to, "deny", &p->deny);
	fprintf(to, "sni %d\n", p->sni);
	put_secrets(to, p);
	fprintf(to, "tier %s\n", tier_row(p->contained.tier)->name);
	for (int i = 0; i < LIMIT_COUNT; i++)
		if (p->contained.limit[i])
			fprintf(to, "limit %s %" PRIu64 "\n", limit_row((enum limit_id)i)->name,
				p->contained.limit[i]);
	put_approval(to, &p->approval);
	for (const struct policy_rule *r = next_rule(p, NULL); r; r = next_rule(p, r))
		put_rule(to, r);
}

char *policy_canonical(const struct policy *p, size_t *ret_len)
{
	char *text = NULL;
	FILE *to = open_memstream(&text, ret_len);

	if (!to)
		return NULL;
	put(to, p);
	if (fclose(to) == 0)
		return text;
	free(text);
	return NULL;
}
