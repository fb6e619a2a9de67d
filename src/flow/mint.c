/* SPDX-License-Identifier: MIT
 *
 * A plan's code keeps its trust whatever it is given later, so it must not make code of that: the
 * code view says whether it does (eval, exec, pickle, sh -c ...). Code that cannot be read is no plan.
 * Languages without a view are taken at their word: that is what docs/GATE.md says of them.
 */
#include "flow/mint.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "flow/payload.h"
#include "flow/view.h"

enum { PIPE_MS = 60000 };

static const struct profile *find_profile(const struct mint_ask *ask, struct err *err)
{
	const struct profile *p = ask->lang ? profile_find(ask->lang) : profile_guess(ask->file);

	if (p)
		return p;
	err_set(err, ERR_USAGE, "which language is %.200s?", ask->file);
	err_cure(err, "--lang L, or a name that says it");
	return NULL;
}

static int judge(const struct code_view *v, struct err *err)
{
	for (size_t i = 0; i < v->effectc; i++)
		if (v->effect[i].kind == EFFECT_DYNAMIC) {
			err_set(err, ERR_REFUSED, "code that makes code of its inputs is no plan");
			err_cause(err, "line %u: %.200s", v->effect[i].line, v->effect[i].value);
			err_cure(err, "write it without that, or have a person approve each run");
			return -1;
		}
	if (v->state == CODE_VIEW_WHOLE)
		return 0;
	err_set(err, ERR_REFUSED, "code that cannot be read whole is no plan");
	err_cause(err, "%.300s", v->reason);
	return -1;
}

static int check_code(const struct profile *profile, const struct payload *p, struct err *err)
{
	struct code_view view = {0};

	if (!view_has_language(profile->name))
		return 0;
	int r = view_make(profile->name, p->data, p->len, &view, err);
	if (r < 0)
		err_context(err, "the code could not be read");
	else
		r = judge(&view, err);
	view_done(&view);
	return r;
}

int mint_plan(struct gate_state *state, const struct domain *d, const struct mint_ask *ask,
	      struct plan *ret, char *token, struct err *err)
{
	const struct profile *profile = find_profile(ask, err);
	AUTO_PAYLOAD struct payload payload = {.fd = -1};
	uint64_t now = state->keeper.now_us();
	struct plan plan = {.caps = ask->caps | CAP_BIT(CAP_COMPUTE),
			    .least = ask->least,
			    .most = ask->most,
			    .from_us = now,
			    .to_us = now + ask->ttl_us,
			    .runs = ask->runs};

	if (!profile || payload_open(&payload, profile, ask->file, PIPE_MS, err) < 0 ||
	    payload_know(&payload, err) < 0)
		return -1;
	memcpy(plan.code_sha256, payload.sha256, KEEPER_SHA256);
	memcpy(plan.policy_sha256, ask->policy->sha256, KEEPER_SHA256);
	snprintf(plan.lang, sizeof(plan.lang), "%s", profile->name);
	snprintf(plan.suffix, sizeof(plan.suffix), "%s", payload.suffix);
	if (check_code(profile, &payload, err) < 0 ||
	    plan_mint(&state->keeper, d, &plan, token, err) < 0)
		return -1;
	/* As a run will read it, with its id. */
	struct label any = label_top();
	struct plan_use use = {.code_sha256 = plan.code_sha256,
			       .policy_sha256 = plan.policy_sha256,
			       .lang = plan.lang,
			       .suffix = plan.suffix,
			       .inputs = &any,
			       .domain = d,
			       .now_us = now};
	enum plan_answer answer = plan_check(state->keeper.key.public, token, &use, ret);
	return answer == PLAN_GOOD ? 0
				   : err_set(err, ERR_SYSTEM, "the plan is no good: %s",
					     plan_answer_words(answer));
}
