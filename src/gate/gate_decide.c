/* SPDX-License-Identifier: MIT
 *
 * The step "decide". The policy decides whether the code runs, and then about each host and each
 * secret that it wants. An effect that is not given is absent: the run starts without it, and the
 * report has the command that would allow it. Writes are decided when changes are applied
 * (flow/apply.c).
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/account.h"
#include "gate/gate.h"

/* The finding of the highest grade, for messages of one line. */
static const struct report_finding *gravest(const struct report *r)
{
	const struct report_finding *most = NULL;

	for (size_t i = 0; i < r->findingc; i++)
		if (!most || r->finding[i].grade > most->grade)
			most = &r->finding[i];
	return most;
}

static int refuse(struct gate *g, struct err *err)
{
	const struct report *r = g->report;
	const struct report_finding *f = gravest(r);

	err_set(err, ERR_REFUSED, "not run: %s", r->reason[r->reasonc - 1]);
	if (f)
		err_cause(err, "rule %s: %s", f->rule, f->title);
	err_cure(err,
		 "cordon audit trace run:%s shows what led to it; rules: {%s: shown} in the policy "
		 "lowers the rule",
		 r->run, f ? f->rule : "ID");
	return -1;
}

/* Without the state, a run counts as exposed unless the user typed it. */
bool gate_guess(const struct gate *g, struct request *ret)
{
	struct err ignored;

	*ret = *g->req;
	if (policy_limit_execution(&g->policy, ret, &ignored) < 0)
		return false;
	return g->req->is_users || policy_confine(&g->policy, ret, &ignored) == 0;
}

bool gate_can_ask(struct gate *g, enum cap cap)
{
	bool confirms =
		account_here() != ACCOUNT_UNKNOWN && policy_confirms(&g->policy, CAP_BIT(cap));

	return confirms || approval_has_people(g->state.store);
}

static const struct policy_secret *find_secret(const struct policy *p, const char *name)
{
	for (size_t i = 0; i < p->secretc; i++)
		if (strcmp(p->secret[i].name, name) == 0)
			return &p->secret[i];
	return NULL;
}

const char *gate_secret_use(struct gate *g, const char *name, struct arena *a)
{
	const struct policy_secret *s = find_secret(&g->policy, name);

	return s ? arena_printf(a, "%s=%s:%s:%u%s", s->name, *s->methods ? s->methods : "GET",
				s->host, s->port, s->prefix)
		 : NULL;
}

const char *gate_command(struct gate *g, enum cap cap, const char *directory, const char *object)
{
	struct arena *a = &g->report->arena;
	const char *use = cap == CAP_SECRET ? gate_secret_use(g, object, a) : NULL;

	object = use ? use : object;
	return arena_printf(a, "cordon grant --conversation %s%s%s --%s %s",
			    g->report->conversation, directory ? " --directory " : "",
			    directory ? arena_quote(a, directory) : "", cap_name(cap),
			    arena_quote(a, object));
}

static struct report_effect *add_effect(struct gate *g, enum cap cap, const char *object)
{
	struct report *r = g->report;

	if (r->effectc == REPORT_EFFECTS_MAX)
		return NULL;
	struct report_effect *e = &r->effect[r->effectc++];
	*e = (struct report_effect){.cap = cap, .object = arena_dup(&r->arena, object)};
	return e;
}

/* For an effect that no ticket can give. */
static void refuse_effect(struct gate *g, enum cap cap, const char *object, const char *reason)
{
	struct report_effect *e = add_effect(g, cap, object);

	if (e)
		e->reason = reason;
}

/* Lowers the limit of bytes sent to what the ticket allows. */
static void bound_sent(struct gate *g, const struct ticket *t)
{
	uint64_t *most = &g->decision.confined.limit[LIMIT_NET_OUT];

	if (!*most || t->sent_max < *most)
		*most = t->sent_max;
}

/* True if the run gets the effect. */
static bool decide_effect(struct gate *g, struct policy_effect ask, const char *object,
			  struct ticket *ticket)
{
	enum cap cap = ask.cap;
	struct report_effect *e = add_effect(g, cap, object);
	bool is_rw = cap == CAP_WRITE && *object == '/';
	char hex[ID_HEX];

	if (!e)
		return false;
	ask.covered = ticket != NULL;
	e->outcome = policy_decide_effect(&g->policy, &ask);
	if (e->outcome == OUTCOME_TICKET && ticket && cap != CAP_WRITE)
		bound_sent(g, ticket);
	if (ticket)
		ticket->is_due = true;
	if (e->outcome == OUTCOME_TICKET && ticket)
		e->by = arena_printf(&g->report->arena, "%s:%s", ticket_giver_name(ticket->giver),
				     ticket->giver == TICKET_POLICY ? ticket->by
								    : id_hex(&ticket->id, hex));
	else if (e->outcome == OUTCOME_POLICY)
		e->by = policy_giver(&g->policy, &ask);
	else if (policy_denies(&g->policy, &ask))
		e->reason = POLICY_DENIES;
	else
		e->command = gate_command(g, cap, is_rw ? object : NULL, is_rw ? "." : object);
	return e->outcome >= OUTCOME_POLICY;
}

static int no_such_secret(const char *name, struct err *err)
{
	err_set(err, ERR_USAGE, "--secret %.64s: the policy has no such secret", name);
	err_cure(err,
		 "secrets: [{name: %.64s, host: HOST:PORT, ...}] in the policy; see POLICY in "
		 "cordon man",
		 name);
	return -1;
}

static void keep_secret(struct gate *g, const char *text)
{
	if (g->decision.confined.secretc < REQUEST_LIST_MAX)
		g->decision.confined.secret[g->decision.confined.secretc++] = text;
}

/* Grants bound how a secret may be used, and the run gets the uses of all of them. Returns the
 * first such ticket, or NULL. */
static struct ticket *keep_uses(struct gate *g, const struct policy_secret *s)
{
	struct ticket *first = NULL;
	struct policy_use use;

	for (size_t t = 0; t < g->facts.ticketc; t++)
		for (size_t i = 0; gate_ticket_is_for_run(&g->facts.ticket[t]) &&
				   i < g->facts.ticket[t].count[CAP_SECRET];
		     i++) {
			const char *text = g->facts.ticket[t].list[CAP_SECRET][i];
			if (!policy_use_is_of(text, s, &use))
				continue;
			keep_secret(g, text);
			bound_sent(g, &g->facts.ticket[t]);
			g->facts.ticket[t].is_due = true;
			first = first ? first : &g->facts.ticket[t];
		}
	return first;
}

/* A policy, a plan or an approval gives every use of the secret that its row in the policy
 * allows. */
static int decide_secret(struct gate *g, const char *name, struct err *err)
{
	const struct policy_secret *s = find_secret(&g->policy, name);
	struct ticket *plan = gate_find_ticket(g, CAP_SECRET, name, false);
	struct policy_effect ask = {.cap = CAP_SECRET,
				    .exposed = g->facts.exposed,
				    .listed = true,
				    .can_ask = gate_can_ask(g, CAP_SECRET)};
	bool whole = plan || policy_decide_effect(&g->policy, &ask) == OUTCOME_POLICY;

	if (!s)
		return no_such_secret(name, err);
	struct ticket *ticket = whole ? plan : keep_uses(g, s);
	if (decide_effect(g, ask, name, ticket) && whole)
		keep_secret(g, name);
	return 0;
}

/* As root, a program would create files of root in such a directory, with any mode. */
static bool is_roots(const struct stat *st)
{
	return geteuid() == 0 && (st->st_uid == 0 || st->st_gid == 0);
}

static void write_later(struct gate *g)
{
	g->decision.confined.workspace_mode = WORKSPACE_OVERLAY;
	g->decision.confined.apply = true;
	report_reason(g->report,
		      "root owns the directory: changes are applied when the program has ended");
}

static void decide_net(struct gate *g, const char *host)
{
	struct policy_effect ask = {.cap = CAP_NET,
				    .exposed = g->facts.exposed,
				    .listed = policy_net_lists(&g->policy.allow, host),
				    .can_ask = gate_can_ask(g, CAP_NET)};

	if (policy_net_denies(&g->policy.deny, host))
		refuse_effect(g, CAP_NET, host, "the policy denies this host");
	else if (decide_effect(g, ask, host, gate_find_ticket(g, CAP_NET, host, false)))
		g->decision.confined.net[g->decision.confined.netc++] = host;
}

const char *gate_exposure(struct gate *g)
{
	if (g->facts.exposed)
		return g->facts.cause;
	for (size_t i = 0; i < g->decision.confined.netc; i++)
		if (!policy_net_lists(&g->policy.trusted, g->decision.confined.net[i]))
			return arena_printf(&g->arena, "answers of %.200s",
					    g->decision.confined.net[i]);
	if (g->decision.confined.secretc)
		return arena_printf(&g->arena, "answers of the host of secret %.*s",
				    (int)strcspn(g->decision.confined.secret[0], "="),
				    g->decision.confined.secret[0]);
	return NULL;
}

/* The ticket by which the run may write to the directory --rw number I, or NULL. A plan names the
 * directory itself, because its "." is the workspace. */
static struct ticket *find_rw_ticket(struct gate *g, size_t i)
{
	for (size_t k = 0; k < g->facts.ticketc; k++) {
		struct ticket *t = &g->facts.ticket[k];
		const char *object = t->giver == TICKET_PLAN ? g->facts.rw_at[i]->path : ".";
		if (t->holds_for & FOR_RW(i) && ticket_covers(t, CAP_WRITE, object, false))
			return t;
	}
	return NULL;
}

/* Decides direct writes. This comes after hosts and secrets, because the program may write what
 * they answer. Other writes go to the overlay and are decided when they are applied. */
static void decide_writes(struct gate *g)
{
	struct policy_effect ask = {.cap = CAP_WRITE, .exposed = g->facts.exposed};

	if (!g->decision.plans && gate_exposure(g))
		ask.exposed = true;
	g->decision.confined.rw_withheld = 0;
	for (size_t i = 0; i < g->req->rwc; i++)
		if (!decide_effect(g, ask, g->facts.rw_at[i]->path, find_rw_ticket(g, i)))
			g->decision.confined.rw_withheld |= 1U << i;
	if (!g->req->workspace || g->req->workspace_mode != WORKSPACE_RW)
		return;
	if (!decide_effect(g, ask, ".", gate_find_ticket(g, CAP_WRITE, ".", false)))
		g->decision.confined.workspace_mode = WORKSPACE_OVERLAY;
	else if (is_roots(&g->facts.workspace))
		write_later(g);
}

/* Fills the confined request with the effects that are given. */
static int decide_effects(struct gate *g, struct err *err)
{
	const struct request *r = g->req;

	g->report->effectc = 0;
	g->decision.confined.netc = g->decision.confined.secretc = 0;
	for (size_t i = 0; i < r->netc; i++)
		decide_net(g, r->net[i]);
	for (size_t i = 0; i < r->secretc; i++)
		if (decide_secret(g, r->secret[i], err) < 0)
			return -1;
	decide_writes(g);
	return 0;
}

static void report_decision(struct gate *g, const struct policy_run *run)
{
	struct report *r = g->report;

	r->has_verdict = true;
	r->verdict = g->decision.verdict;
	r->grade = g->inspection.grade;
	if (g->facts.plan_words)
		report_reason(r, arena_printf(&r->arena, "the plan gives nothing: %s",
					      g->facts.plan_words));
	report_reason(r, policy_run_reason(&g->policy, run));
	memcpy(r->finding, g->inspection.finding, sizeof(r->finding));
	r->findingc = g->inspection.listed;
	r->finding_more = g->inspection.rules - g->inspection.listed;
}

static bool has_grant(const struct gate *g)
{
	for (size_t i = 0; i < g->facts.ticketc; i++)
		if (g->facts.ticket[i].giver != TICKET_PLAN &&
		    gate_ticket_is_for_run(&g->facts.ticket[i]))
			return true;
	return false;
}

int gate_decide(struct gate *g, struct err *err)
{
	struct policy_run run = {.exposed = g->facts.exposed,
				 .derived = g->origin.derived,
				 .bounded = has_grant(g),
				 .review = g->inspection.review,
				 .grade = g->inspection.grade};

	g->question.has_approval = false; /* left from an earlier attempt */
	g->report->approval[0] = '\0';
	g->decision.verdict = policy_decide_run(&g->policy, &run);
	report_decision(g, &run);
	if (g->decision.verdict == VERDICT_DENY)
		return refuse(g, err);
	g->decision.confined = *g->req;
	g->decision.confined.home = g->facts.has_home ? g->facts.home_at.path : NULL;
	if (policy_limit_execution(&g->policy, &g->decision.confined, err) < 0)
		return -1;
	if (g->facts.exposed && policy_confine(&g->policy, &g->decision.confined, err) < 0)
		return -1;
	return decide_effects(g, err);
}

void gate_take_approval(struct gate *g)
{
	struct report *r = g->report;

	g->decision.verdict = r->verdict = VERDICT_ALLOW;
	for (size_t i = 0; i < r->effectc; i++) {
		struct report_effect *e = &r->effect[i];
		if (e->outcome != OUTCOME_WAITS)
			continue;
		e->outcome = OUTCOME_TICKET;
		e->by = arena_printf(&r->arena, "apr:%s", g->question.approval.id);
		e->command = NULL;
		if (e->cap == CAP_NET)
			g->decision.confined.net[g->decision.confined.netc++] = e->object;
		else
			keep_secret(g, e->object);
	}
	/* The approved hosts may expose the run, so decide the direct writes again. They are the
	 * last effects. */
	size_t others = r->effectc;
	while (others && r->effect[others - 1].cap == CAP_WRITE)
		others--;
	if (others < r->effectc && !g->facts.exposed && gate_exposure(g)) {
		r->effectc = others;
		decide_writes(g);
	}
}
