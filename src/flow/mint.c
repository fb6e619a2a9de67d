/* SPDX-License-Identifier: MIT
 *
 * A plan's code keeps its trust whatever it is given later, so it must not make code of that: the
 * code view says whether it does (flow/makes_code.h). Code that cannot be read whole is no plan, and of a
 * language that nobody reads there are plans only for runs that are given nothing.
 */
#include "flow/mint.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "flow/makes_code.h"
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

/* Of the first line with WORD; 0: it is written otherwise there. */
static unsigned line_of(const char *word, const struct payload *p)
{
	const char *at = memmem(p->data, p->len, word, strlen(word));
	unsigned line = at ? 1 : 0;

	for (const char *c = p->data; at && c < at; c++)
		line += *c == '\n';
	return line;
}

static int refuse(const struct makes_code *m, const struct payload *p, struct err *err)
{
	unsigned line = m->word ? line_of(m->word, p) : 0;

	err_set(err, ERR_REFUSED, "code that may make code of its inputs is no plan");
	if (line)
		err_cause(err, "line %u: %s", line, m->why);
	else
		err_cause(err, "%s", m->why);
	if (m->word && strcmp(m->word, "sed") == 0)
		err_cure(err, "sed --sandbox, or have a person approve each run");
	else
		err_cure(err, "write it without that, or have a person approve each run");
	return -1;
}

/* What nobody can read is a plan only as long as it is given nothing that could be code. */
static int check_unread(const struct profile *profile, unsigned caps, struct err *err)
{
	if (!(caps & ~CAP_BIT(CAP_COMPUTE)))
		return 0;
	err_set(err, ERR_REFUSED, "code of %s is a plan only without --ask", profile->name);
	err_cause(err, "nobody can read whether it makes code of what it is given");
	err_cure(err, "plan it in Python or shell, or have a person approve each run");
	return -1;
}

static int check_code(const struct profile *profile, const struct payload *p, unsigned caps,
		      struct err *err)
{
	struct code_view view = {0};
	struct makes_code made;

	if (!view_has_language(profile->name))
		return check_unread(profile, caps, err);
	int r = view_make(view_of_plan(profile->name), p->data, p->len, &view, err);
	if (r < 0)
		err_context(err, "the code could not be read");
	else
		makes_code_of_plan(profile->name, &view, &made);
	view_done(&view);
	return r < 0 || made.makes != MAKES_CODE ? r : refuse(&made, p, err);
}

/* Interpreters look there for code, or for words that are code. */
static int check_env(const struct request *with, struct err *err)
{
	for (size_t i = 0; i < with->envc; i++)
		if (makes_code_by_variable(with->env[i])) {
			size_t len = strcspn(with->env[i], "=");
			err_set(err, ERR_REFUSED, "the variable %.*s is in no plan",
				(int)(len < 64 ? len : 64), with->env[i]);
			err_cause(err, "it says where code comes from, and that may change");
			err_cure(err, "leave it out, or have a person approve each run");
			return -1;
		}
	return 0;
}

int mint_plan(struct gate_state *state, const struct domain *d, const struct mint_ask *ask,
	      struct plan *ret, char *token, struct err *err)
{
	const struct profile *profile = find_profile(ask, err);
	struct own_paths none = {0}; /* no box is given anything here */
	AUTO_PAYLOAD struct payload payload = {.fd = -1};
	uint64_t now = state->keeper.now_us();
	struct plan plan = {.caps = ask->caps | policy_caps_of(ask->with),
			    .least = ask->least,
			    .most = ask->most,
			    .from_us = now,
			    .to_us = now + ask->ttl_us,
			    .runs = ask->runs};

	if (!profile || payload_open(&payload, profile, ask->file, PIPE_MS, &none, err) < 0 ||
	    payload_know(&payload, err) < 0)
		return -1;
	memcpy(plan.code_sha256, payload.sha256, KEEPER_SHA256);
	memcpy(plan.policy_sha256, ask->policy->sha256, KEEPER_SHA256);
	snprintf(plan.lang, sizeof(plan.lang), "%s", profile->name);
	plan_rest(ask->with, plan.rest_sha256);
	snprintf(plan.suffix, sizeof(plan.suffix), "%s", payload.suffix);
	if (check_env(ask->with, err) < 0 || check_code(profile, &payload, plan.caps, err) < 0 ||
	    plan_mint(&state->keeper, d, &plan, token, err) < 0)
		return -1;
	/* As a run will read it, with its id. */
	struct label any = label_top();
	struct plan_use use = {.code_sha256 = plan.code_sha256,
			       .policy_sha256 = plan.policy_sha256,
			       .lang = plan.lang,
			       .suffix = plan.suffix,
			       .rest_sha256 = plan.rest_sha256,
			       .inputs = &any,
			       .domain = d,
			       .now_us = now};
	enum plan_answer answer = plan_check(state->keeper.key.public, token, &use, ret);
	return answer == PLAN_GOOD ? 0
				   : err_set(err, ERR_SYSTEM, "the plan is no good: %s",
					     plan_answer_words(answer));
}
