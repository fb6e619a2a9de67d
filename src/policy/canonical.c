/* SPDX-License-Identifier: MIT
 *
 * The canonical form of a policy: one line per fact in a fixed order. It has all cells of the table,
 * so that a version of Cordon with another table has another policy, and not the name of the file.
 * Its SHA-256 names the policy in approvals and in the log.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "policy/policy.h"

static void put_rows(FILE *to, const struct policy *p)
{
	for (int i = 0; i < STATE_COUNT; i++)
		for (unsigned c = 0; c < CAP_COUNT; c++)
			fprintf(to, "cell %s %s %s\n", i == STATE_CLEAN ? "clean" : "exposed",
				cap_name(c), policy_cell_name(p->row[i].cell[c]));
}

static void put_net(FILE *to, const char *name, const struct policy_netlist *list)
{
	char text[POLICY_NET_TEXT_MAX];

	for (size_t i = 0; i < list->count; i++)
		fprintf(to, "%s %s\n", name, policy_net_format(&list->list[i], text, sizeof(text)));
}

/* A path or command can contain line feeds, so its length comes first. */
static void put_secrets(FILE *to, const struct policy *p)
{
	for (size_t i = 0; i < p->secretc; i++) {
		const struct policy_secret *s = &p->secret[i];
		const char *sort = s->env ? "env" : s->path ? "file" : "command";
		const char *text = s->env ? s->env : s->path ? s->path : s->command;
		fprintf(to, "secret %s %s %u %s %s %s %s %zu %s\n", s->name, s->host, s->port,
			s->header, s->methods, s->prefix, sort, strlen(text), text);
	}
}

/* The name of a directory can contain any byte, so its length comes first. */
static void put_grants(FILE *to, const struct policy *p)
{
	for (size_t i = 0; i < p->grantc; i++) {
		const struct policy_grant *g = &p->grant[i];
		const struct policy_list *lists[] = {&g->write, &g->net, &g->secret};
		fprintf(to, "grant %zu %s\n", strlen(g->directory), g->directory);
		for (size_t l = 0; l < ARRAY_SIZE(lists); l++)
			for (size_t k = 0; k < lists[l]->count; k++)
				fprintf(to, "gives %zu %zu %s\n", l, strlen(lists[l]->text[k]),
					lists[l]->text[k]);
	}
}

static void put(FILE *to, const struct policy *p)
{
	fprintf(to, "cordon policy 2\nprofile %s\n", policy_profile_name(p->profile));
	put_rows(to, p);
	fprintf(to, "waits %d\nexec %s\n", (int)p->waits, policy_exec_name(p->exec));
	for (unsigned c = 0; c < CAP_COUNT; c++)
		fprintf(to, "confirmation %s %d\n", cap_name(c), (int)p->confirmation[c]);
	put_net(to, "allow", &p->allow);
	put_net(to, "deny", &p->deny);
	put_net(to, "trusted", &p->trusted);
	fprintf(to, "sni %d\n", p->sni);
	put_secrets(to, p);
	put_grants(to, p);
	for (size_t i = 0; i < p->gradec; i++)
		fprintf(to, "rule %s %s\n", p->grade[i].rule, grade_name(p->grade[i].grade));
	fprintf(to, "tier %s\n", tier_row(p->tier)->name);
	for (int i = 0; i < LIMIT_COUNT; i++)
		if (p->limit[i])
			fprintf(to, "limit %s %" PRIu64 "\n", limit_row((enum limit_id)i)->name,
				p->limit[i]);
	fprintf(to, "approval %" PRIu64 " %" PRIu64 " %u\n", p->approval.ttl_ms,
		p->approval.wait_ms, p->approval.approvers);
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
