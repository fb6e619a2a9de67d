/* SPDX-License-Identifier: MIT
 *
 * The fuzz target for policies: any bytes as a policy file, and as a request to explain. What is
 * refused must be refused with a place and a reason. What is taken must keep every promise of
 * policy.h: above all that hostile code is denied and that less trust never gets more, whatever
 * somebody wrote into the file. A broken promise aborts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "detect/json.h"
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

static enum verdict decide(const struct policy *p, const struct ask *a)
{
	char words[POLICY_REASON_MAX];
	struct decision d;

	policy_decide(p, a, &d);
	must(d.verdict < VERDICT_COUNT && !d.refusal && !(d.granted & ~d.asked));
	must(!d.granted == (d.verdict < VERDICT_CONTAINED));
	must(a->origin != ORIGIN_HOSTILE || d.verdict == VERDICT_DENY);
	must(a->grade != GRADE_DENIES || d.verdict == VERDICT_DENY);
	must(*decision_row(&d, words, sizeof(words)));
	must(*decision_reason(&d, d.cap, words, sizeof(words)));
	return d.verdict;
}

/* Every capability alone and all together, every origin and grade. */
static void check_decisions(const struct policy *p)
{
	static const unsigned sets[] = {0, 2, 4, 8, 16, 32, CAP_ALL};

	for (size_t i = 0; i < ARRAY_SIZE(sets); i++)
		for (unsigned g = 0; g < GRADE_COUNT; g++) {
			enum verdict before = VERDICT_DENY;
			for (unsigned o = 0; o < ORIGIN_COUNT; o++) {
				struct ask a = {.origin = (enum origin)o,
						.grade = (enum grade)g,
						.caps = sets[i],
						.lang = "bash"};
				enum verdict now = decide(p, &a);
				must(now >= before);
				before = now;
			}
		}
}

static void check_policy(const struct policy *p)
{
	must(p->profile < POLICY_PROFILES && p->undeclared <= ORIGIN_EXPOSED);
	must(p->rulec <= POLICY_RULES_MAX && p->contained.tier < TIER_COUNT);
	must(p->approval.scope < SCOPE_COUNT && p->approval.approvers >= 1 &&
	     p->approval.ttl_ms <= POLICY_TTL_MAX_MS);
	for (size_t i = 0; i < p->rulec; i++) {
		const struct policy_rule *r = &p->rule[i];
		must(r->id && *r->id && strlen(r->id) <= POLICY_ID_MAX && r->then < VERDICT_COUNT);
		must(r->match.count <= POLICY_EXAMPLES_MAX && strlen(r->why) <= POLICY_WHY_MAX);
	}
	check_net(&p->allow, true);
	check_net(&p->deny, false);
	check_decisions(p);
	policy_check(p, NULL, NULL);
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

static void as_request(const char *data, size_t len)
{
	struct arena arena = {0};
	const struct node *root;
	struct ask ask;
	unsigned line = 0;
	struct err err = {0};

	if (json_read(data, len, 1, &arena, &root, &err) == 0) {
		if (policy_read_ask(root, &arena, &ask, &line, &err) == 0)
			must(ask.origin < ORIGIN_COUNT && ask.grade < GRADE_COUNT &&
			     !(ask.caps & ~CAP_ALL) && ask.caps);
		else
			must(line >= 1 && err.message[0]);
	}
	arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	/* Of its exact size, so that the sanitizer sees a read past the end. */
	AUTO_FREE char *copy = malloc(len ? len : 1);

	must(copy);
	if (len)
		memcpy(copy, data, len);
	as_policy(copy, len);
	as_request(copy, len);
	return 0;
}
