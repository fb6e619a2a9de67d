/* SPDX-License-Identifier: MIT
 *
 * The words "decide" and "approve". The policy answers from origin, capabilities and findings; what
 * it confines, the request loses before a box is drawn for it. Where it asks, people are shown
 * exactly what would run, and their word counts for exactly that.
 */
#include <stdio.h>
#include <string.h>

#include "flow/gate.h"

/* Which rule weighs most, for a person who gets one line. */
static const struct report_finding *gravest(const struct report *r)
{
	const struct report_finding *most = NULL;

	for (size_t i = 0; i < r->findingc; i++)
		if (!most || r->finding[i].grade > most->grade)
			most = &r->finding[i];
	return most;
}

static void report_decision(struct gate *g)
{
	const struct decision *d = &g->decision;
	struct report *r = g->report;
	char words[POLICY_REASON_MAX];

	r->has_verdict = true;
	r->verdict = d->verdict;
	r->origin = d->origin;
	r->grade = d->grade;
	r->asked = d->asked;
	r->granted = d->granted;
	r->row = arena_dup(&r->arena, decision_row(d, words, sizeof(words)));
	r->reasonc = 0;
	r->no_plan = g->plan_answer != PLAN_NONE && g->plan_answer != PLAN_GOOD
			     ? arena_dup(&r->arena, g->origin.reason[0])
			     : NULL;
	if (g->req->domain && !g->has_domain)
		report_reason(r, "the domain's handle is not one that Cordon gave to this account, "
				 "or its domain is not in this store");
	if (g->sources.more)
		report_reason(r,
			      "what was read long ago in this domain is not recognised any more");
	if (g->unread_modules)
		report_reason(r, "it imports more from the workspace than was looked at");
	for (size_t i = 0; i < g->origin.count; i++)
		report_reason(r, g->origin.reason[i]);
	report_reason(r,
		      d->refusal ? d->refusal : decision_reason(d, d->cap, words, sizeof(words)));
	memcpy(r->finding, g->look.finding, sizeof(r->finding));
	r->findingc = g->look.listed;
	r->finding_more = g->look.rules - g->look.listed;
}

static int refuse(struct gate *g, struct err *err)
{
	const struct report *r = g->report;
	const struct report_finding *f = gravest(r);

	err_set(err, ERR_REFUSED, "not run: %s", r->reason[r->reasonc - 1]);
	if (r->grade == GRADE_DENIES && f)
		err_cause(err, "rule %s: %s", f->rule, f->title);
	else if (r->tiec)
		err_cause(err, "a part of it stands in %s", r->tie[0].name);
	else if (g->origin.count)
		err_cause(err, "%s", g->origin.reason[g->origin.count - 1]);
	err_cure(err, "cordon audit trace run:%s tells what led to it", r->run);
	return -1;
}

/* A conversation that Cordon knows has seldom read nothing. */
static enum origin likely_origin(const struct gate *g)
{
	const struct request *r = g->req;

	if (r->plan)
		return r->declared == ORIGIN_COUNT ? ORIGIN_PLAN : r->declared;
	if (r->declared == ORIGIN_USER ||
	    (r->declared == ORIGIN_AGENT && !r->domain && !r->conversation))
		return r->declared;
	enum origin said = r->declared == ORIGIN_COUNT ? g->policy.undeclared : r->declared;
	return said < ORIGIN_EXPOSED ? said : ORIGIN_EXPOSED;
}

bool gate_guess(const struct gate *g, const struct blueprint *bp, struct gate_guess *ret)
{
	struct ask ask = {.origin = likely_origin(g),
			  .caps = policy_caps_of(g->req) | g->req->asks,
			  .lang = bp->profile->name};
	struct decision d;
	struct err ignored;

	policy_decide(&g->policy, &ask, &d);
	ret->confined = *g->req;
	ret->planned = d.origin == ORIGIN_PLAN;
	return d.verdict >= VERDICT_CONTAINED &&
	       policy_confine(&d.box, &ret->confined, &ignored) == 0;
}

int gate_decide(struct gate *g, struct err *err)
{
	struct ask ask = {.origin = g->origin.origin,
			  .caps = policy_caps_of(g->req) | g->req->asks,
			  .grade = g->look.grade,
			  .sources = g->domain.kinds,
			  .lang = g->bp->profile->name};

	g->has_approval = false; /* whom an earlier try has asked has no part in this one */
	g->report->approval[0] = '\0';
	policy_decide(&g->policy, &ask, &g->decision);
	g->standing = g->decision.origin;
	report_decision(g);
	if (g->decision.verdict == VERDICT_DENY)
		return refuse(g, err);
	g->confined = *g->req;
	if (policy_confine(&g->decision.box, &g->confined, err) < 0)
		return -1;
	/* Granted, but to nowhere: then there is none. */
	if (g->confined.network && !g->confined.netc && !g->policy.allow.count) {
		g->confined.network = false;
		report_reason(g->report, "net was granted, but no --net HOST names where to");
	}
	return 0;
}

static void fill_evidence(struct gate *g)
{
	const struct report *r = g->report;
	struct approval_evidence *list = arena_alloc(&g->arena, sizeof(*list) * (r->tiec + 1));

	for (size_t i = 0; !g->arena.failed && i < r->tiec; i++)
		list[i] = (struct approval_evidence){.source = r->tie[i].source,
						     .name = r->tie[i].name,
						     .how = r->tie[i].how[0] ? r->tie[i].how
									     : r->tie[i].tie,
						     .kind = r->tie[i].kind,
						     .code_from = r->tie[i].code_from,
						     .code_to = r->tie[i].code_to,
						     .source_from = r->tie[i].source_from,
						     .source_to = r->tie[i].source_to};
	g->asked.evidence = (struct approval_list){.count = r->tiec, .list = list};
	g->asked.evidence_more = r->tie_more;
}

static void fill_findings(struct gate *g)
{
	const struct report *r = g->report;
	struct approval_finding *list = arena_alloc(&g->arena, sizeof(*list) * (r->findingc + 1));

	for (size_t i = 0; !g->arena.failed && i < r->findingc; i++)
		list[i] = (struct approval_finding){.rule = r->finding[i].rule,
						    .title = r->finding[i].title,
						    .severity = r->finding[i].severity};
	g->asked.findings = (struct approval_list){.count = r->findingc, .list = list};
	g->asked.findings_more = r->finding_more;
}

/* Where there are too many, those that reach farthest are the ones that people see. */
static const enum effect_kind by_weight[EFFECT_KINDS] = {
	EFFECT_NETWORK, EFFECT_PROGRAM, EFFECT_DYNAMIC, EFFECT_HOST,  EFFECT_WRITE,
	EFFECT_READ,	EFFECT_ENV,	EFFECT_PATH,	EFFECT_IMPORT};

static void fill_effects(struct gate *g)
{
	const struct look *l = &g->look;
	size_t all = g->modulec + l->effectc, count = 0;
	size_t most = all < APPROVAL_LIST_MAX ? all : APPROVAL_LIST_MAX;
	struct approval_text *list = arena_alloc(&g->arena, sizeof(*list) * (most + 1));

	/* What is shown as code is not all that runs, then. */
	for (size_t i = 0; !g->arena.failed && i < g->modulec; i++)
		list[count++].text = arena_printf(
			&g->arena, "runs a module of the workspace too, not shown here: %s",
			g->module[i]);
	for (int k = 0; !g->arena.failed && k < EFFECT_KINDS; k++)
		for (size_t i = 0; i < l->effectc && count < most; i++)
			if (l->effect[i].kind == by_weight[k])
				list[count++].text = arena_printf(
					&g->arena, "line %u: %s %s", l->effect[i].line,
					effect_name(l->effect[i].kind), l->effect[i].value);
	g->asked.effects = (struct approval_list){.count = count, .list = list};
	g->asked.effects_more = all - count;
}
_Static_assert((size_t)GATE_MODULES_MAX <= APPROVAL_LIST_MAX, "all modules are listed");

/* What is open, or was resolved, for the box: a name could lead to something else for it, and back. */
static int fill_inputs(struct gate *g, struct err *err)
{
	const struct blueprint *bp = g->bp;
	const struct given *library = givens_find(&bp->given, bp->library);
	struct request given = g->confined;

	if (given.workspace)
		given.workspace = arena_printf(&g->arena, "/proc/self/fd/%d", bp->workspace);
	if (given.venv) /* gate_check_given has found them all */
		given.venv = given_name(givens_find(&bp->given, bp->venv), &g->arena);
	for (size_t i = 0; i < given.execc; i++)
		given.exec[i] = given_name(givens_find(&bp->given, bp->program_at[i]), &g->arena);
	return approval_fill_inputs(
		&g->asked, &given, library ? given_name(library, &g->arena) : NULL, &g->arena, err);
}

/* Everything that people are shown and sign. */
static int fill(struct gate *g, struct err *err)
{
	struct approval_request *r = &g->asked;
	char hex[ID_HEX];

	approval_init(r);
	g->confined.lang = g->bp->profile->name;
	approval_fill_request(r, &g->confined, &g->arena);
	approval_fill_decision(r, &g->policy, &g->decision, &g->confined, &g->arena);
	memcpy(r->code_sha256, g->bp->payload.sha256, sizeof(r->code_sha256));
	r->code_len = g->bp->payload.len;
	r->suffix = g->bp->payload.suffix;
	memcpy(r->stdin_sha256, g->bp->input_sha256, sizeof(r->stdin_sha256));
	r->domain = arena_dup(&g->arena, id_hex(&g->domain.id, hex));
	r->single_user = g->policy.single_user;
	fill_evidence(g);
	fill_findings(g);
	fill_effects(g);
	if (fill_inputs(g, err) < 0)
		return -1;
	return g->arena.failed ? err_memory(err) : 0;
}

/* What can still change cannot be agreed to. */
static int check_fixed(const struct gate *g, struct err *err)
{
	if (g->bp->payload.is_program)
		err_set(err, ERR_REFUSED, "a program in a file cannot be approved");
	else if (!g->bp->input_is_fixed)
		err_set(err, ERR_REFUSED, "a run that reads a pipe cannot be approved");
	else
		return approval_check_code(g->bp->payload.len, err);
	err_cause(err, "people approve exact bytes, and these may change until it starts");
	err_cure(err, g->bp->payload.is_program ? "give code, or let the policy allow it"
						: "give standard input as a file");
	return -1;
}

/* Whose words they are. */
static const char *voices(struct gate *g)
{
	const char *names = "";

	for (size_t i = 0; i < g->approval.voicec; i++)
		names = arena_printf(&g->arena, "%s%s%s", names, i ? ", " : "",
				     g->approval.voice[i]);
	return names;
}

/* A word for one run lets it happen. One for longer makes a plan of what it is about: these bytes, in
 * this box, with all they are given. The box stays the one that people were shown, and nothing that
 * is hostile becomes a plan. */
static void stand_by(struct gate *g)
{
	enum scope scope = g->approval.scope;
	struct report *r = g->report;

	r->granted = g->decision.if_approved;
	memcpy(r->approval, g->approval.id, sizeof(g->approval.id));
	if (scope == SCOPE_ONCE || g->decision.origin == ORIGIN_HOSTILE)
		return;
	r->origin = g->standing = ORIGIN_PLAN;
	report_reason(r, arena_printf(&g->arena, "plan: %s approved exactly this, scope %s: apr:%s",
				      voices(g), scope_name(scope), g->approval.id));
}

static int ask_people(struct gate *g, uint64_t now, struct err *err)
{
	struct approval_code code = {g->bp->payload.data, g->bp->payload.len};
	int parked = approval_park(g->state.store, &g->asked, code, g->decision.approval.wait_ms,
				   now, g->report->approval, err);

	if (parked > 0)
		report_reason(g->report, "people are asked about exactly this already");
	return parked < 0 ? -1 : 1;
}

int gate_approve(struct gate *g, struct err *err)
{
	uint64_t now = g->state.keeper.now_us() / 1000;

	if (g->decision.verdict != VERDICT_ASK && g->decision.verdict != VERDICT_ASK_TWO)
		return 0;
	if (check_fixed(g, err) < 0 || fill(g, err) < 0)
		return -1;
	approval_done(&g->approval);
	g->approval = (struct approval){0};
	int found = approval_find(g->state.store, &g->asked, now, &g->approval, err);
	if (found < 0)
		return -1;
	g->has_approval = found == 1;
	if (g->has_approval) {
		stand_by(g);
		return g->arena.failed ? err_memory(err) : 0;
	}
	return ask_people(g, now, err);
}
