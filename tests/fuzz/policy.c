/* SPDX-License-Identifier: MIT
 *
 * The fuzz target for policies: any bytes as a policy file. What is refused must be refused with a
 * place and a reason. What is taken must keep every promise of policy.h: above all that hostile code is
 * denied and that exposed code never gets more than clean code, whatever the file says. A broken promise
 * aborts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "policy/policy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool promise)
{
	if (!promise)
		abort();
}

static void check_net(const struct policy_netlist *list, bool allows)
{
	struct arena arena = {0};

	must(list->count <= POLICY_NET_MAX);
	for (size_t i = 0; i < list->count; i++) {
		char text[POLICY_NET_TEXT_MAX], again[POLICY_NET_TEXT_MAX];
		struct policy_net n;
		struct err err;
		policy_net_format(&list->list[i], text, sizeof(text));
		must(strlen(text) + 1 < sizeof(text));
		must(policy_net_parse(text, allows, &arena, &n, &err) == 0);
		must(strcmp(policy_net_format(&n, again, sizeof(again)), text) == 0);
	}
	arena_done(&arena);
}

static enum outcome decide(const struct policy *p, struct policy_effect e, unsigned bits)
{
	e.listed = bits & 1;
	e.can_ask = bits & 2;
	e.covered = bits & 4;
	enum outcome o = policy_decide_effect(p, &e);
	must(o < OUTCOME_COUNT && (o == OUTCOME_TICKET) == (e.covered && !policy_denies(p, &e)));
	must(o != OUTCOME_WAITS || e.can_ask);
	return o;
}

/* Every effect and every run: exposed code gets no more, and only in observe something without a ticket. */
static void check_decisions(const struct policy *p)
{
	for (unsigned c = 0; c < CAP_COUNT; c++)
		for (unsigned bits = 0; bits < 8; bits++) {
			struct policy_effect e = {.cap = (enum cap)c};
			enum outcome clean = decide(p, e, bits);
			e.exposed = true;
			enum outcome exposed = decide(p, e, bits);
			must(exposed <= clean);
			must(exposed != OUTCOME_POLICY || p->profile == POLICY_OBSERVE);
		}
	for (unsigned i = 0; i < GRADE_COUNT * 8; i++) {
		struct policy_run run = {.grade = (enum grade)(i / 8),
					 .exposed = i & 1,
					 .derived = i & 2,
					 .bounded = i & 4};
		enum verdict v = policy_decide_run(p, &run);
		must(v < VERDICT_COUNT && *policy_run_reason(p, &run));
		must((v == VERDICT_DENY) == (run.grade == GRADE_DENIES));
	}
}

static void check_grants(const struct policy *p)
{
	must(p->grantc <= POLICY_GRANTS_MAX);
	for (size_t i = 0; i < p->grantc; i++) {
		const struct policy_grant *g = &p->grant[i];
		must(g->directory[0] == '/' && g->write.count <= POLICY_LIST_MAX &&
		     g->net.count <= POLICY_LIST_MAX && g->secret.count <= POLICY_LIST_MAX);
		for (size_t k = 0; k < g->net.count; k++)
			must(strchr(g->net.text[k], ':') && !strchr(g->net.text[k], '*'));
		for (size_t k = 0; k < g->secret.count; k++) {
			struct policy_use use;
			struct err err;
			must(policy_use_parse(g->secret.text[k], &use, &err) == 0);
		}
	}
}

static void check_policy(const struct policy *p)
{
	must(p->profile < POLICY_PROFILES && p->tier < TIER_COUNT);
	must(p->gradec <= POLICY_RULES_MAX && p->secretc <= POLICY_SECRETS_MAX);
	must(p->approval.approvers >= 1 && p->approval.approvers <= POLICY_APPROVERS_MAX &&
	     p->approval.ttl_ms <= POLICY_TTL_MAX_MS);
	for (size_t i = 0; i < p->gradec; i++)
		must(strlen(p->grade[i].rule) <= POLICY_ID_MAX && p->grade[i].grade < GRADE_COUNT);
	check_net(&p->allow, true);
	check_net(&p->deny, false);
	check_net(&p->trusted, true);
	check_grants(p);
	check_decisions(p);
}

static void as_policy(const char *data, size_t len)
{
	struct policy p;
	struct err err = {0};

	if (policy_parse(&p, "f", data, len, &err) == 0)
		check_policy(&p);
	else
		must((err.code == ERR_INPUT || err.code == ERR_LIMIT) &&
		     strncmp(err.message, "f:", 2) == 0 && strlen(err.message) > 4);
	policy_done(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	/* Of its exact size, so that the sanitizer sees a read past the end. */
	AUTO_FREE char *copy = malloc(len ? len : 1);

	must(copy);
	if (len)
		memcpy(copy, data, len);
	as_policy(copy, len);
	return 0;
}
