/* SPDX-License-Identifier: MIT
 *
 * The words "decide" and "approve". The policy decides whether the code runs; then each host and each secret
 * that it wants, one by one. What is not given is absent: the run goes ahead without it, and the report says
 * which command would allow it. Writing is decided when changes are applied (flow/apply.c).
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "flow/gate.h"

/* The rule that weighs most, for a person who gets one line. */
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
		 "cordon audit trace run:%s tells what led to it; rules: {%s: shown} in the policy "
		 "lowers the rule",
		 r->run, f ? f->rule : "ID");
	return -1;
}

/* Without the state: a run that no conversation is named for and that the user did not type is exposed. */
bool gate_guess(const struct gate *g, struct request *ret)
{
	struct err ignored;

	*ret = *g->req;
	return g->req->is_users || policy_confine(&g->policy, ret, &ignored) == 0;
}

static int count_person(void *context, const struct approval_person *p, struct err *err)
{
	(void)p, (void)err;
	*(bool *)context = true;
	return 1;
}

bool gate_can_ask(struct gate *g)
{
	bool any = false;
	struct err ignored;

	approval_person_each(g->state.store, count_person, &any, &ignored);
	return any;
}

static const struct policy_secret *find_secret(const struct policy *p, const char *name)
{
	for (size_t i = 0; i < p->secretc; i++)
		if (strcmp(p->secret[i].name, name) == 0)
			return &p->secret[i];
	return NULL;
}

const char *gate_command(struct gate *g, enum cap cap, const char *object)
{
	const struct policy_secret *s = cap == CAP_SECRET ? find_secret(&g->policy, object) : NULL;
	struct arena *a = &g->report->arena;

	if (s)
		object = arena_printf(a, "%s=%s:%s:%u%s", s->name, *s->methods ? s->methods : "GET",
				      s->host, s->port, s->prefix);
	return arena_printf(a, "cordon grant --conversation %s --%s %s", g->report->conversation,
			    cap_name(cap), arena_quote(a, object));
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

/* No ticket helps. */
static void refuse_effect(struct gate *g, enum cap cap, const char *object, const char *reason)
{
	struct report_effect *e = add_effect(g, cap, object);

	if (e)
		e->reason = reason;
}

/* A ticket says how much may leave. */
static void bound_sent(struct gate *g, const struct ticket *t)
{
	uint64_t *most = &g->confined.limit[LIMIT_NET_OUT];

	if (!*most || t->sent_max < *most)
		*most = t->sent_max;
}

/* True: the run gets it. */
static bool decide_effect(struct gate *g, struct policy_effect ask, const char *object,
			  struct ticket *ticket)
{
	enum cap cap = ask.cap;
	struct report_effect *e = add_effect(g, cap, object);
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
	else
		e->command = gate_command(g, cap, object);
	return e->outcome >= OUTCOME_POLICY;
}

static int no_such_secret(const char *name, struct err *err)
{
	err_set(err, ERR_USAGE, "--secret %.64s: the policy has no such secret", name);
	err_cure(err,
		 "secrets: [{name: %.64s, host: HOST:PORT, ...}] in the policy; see docs/POLICY.md",
		 name);
	return -1;
}

static void keep_secret(struct gate *g, const char *text)
{
	if (g->confined.secretc < REQUEST_LIST_MAX)
		g->confined.secret[g->confined.secretc++] = text;
}

/* Grants say how a secret may be used. All that are for this one count; the first is returned, or NULL. */
static struct ticket *keep_uses(struct gate *g, const struct policy_secret *s)
{
	struct ticket *first = NULL;
	struct policy_use use;

	for (size_t t = 0; t < g->ticketc; t++)
		for (size_t i = 0; i < g->ticket[t].count[CAP_SECRET]; i++) {
			const char *text = g->ticket[t].list[CAP_SECRET][i];
			if (!policy_use_is_of(text, s, &use))
				continue;
			keep_secret(g, text);
			bound_sent(g, &g->ticket[t]);
			g->ticket[t].is_due = true;
			first = first ? first : &g->ticket[t];
		}
	return first;
}

/* By the policy, a plan or an approval the run gets all of the secret that the policy's row allows. */
static int decide_secret(struct gate *g, const char *name, bool asks, struct err *err)
{
	const struct policy_secret *s = find_secret(&g->policy, name);
	struct ticket *plan = gate_find_ticket(g, CAP_SECRET, name, false);
	struct policy_effect ask = {
		.cap = CAP_SECRET, .exposed = g->exposed, .listed = true, .can_ask = asks};
	bool whole = plan || policy_decide_effect(&g->policy, &ask) == OUTCOME_POLICY;

	if (!s)
		return no_such_secret(name, err);
	struct ticket *ticket = whole ? plan : keep_uses(g, s);
	if (decide_effect(g, ask, name, ticket) && whole)
		keep_secret(g, name);
	return 0;
}

/* Files that a program makes in such a directory would be root's, with any mode. */
static bool is_roots(const struct stat *st)
{
	return geteuid() == 0 && (st->st_uid == 0 || st->st_gid == 0);
}

static void write_later(struct gate *g)
{
	g->confined.workspace_mode = WORKSPACE_OVERLAY;
	g->confined.apply = true;
	report_reason(g->report,
		      "the directory is root's: changes are applied when the program has ended");
}

static void decide_net(struct gate *g, const char *host, bool asks)
{
	struct policy_effect ask = {.cap = CAP_NET,
				    .exposed = g->exposed,
				    .listed = policy_net_lists(&g->policy.allow, host),
				    .can_ask = asks};

	if (policy_net_lists(&g->policy.deny, host))
		refuse_effect(g, CAP_NET, host, "the policy denies this host");
	else if (decide_effect(g, ask, host, gate_find_ticket(g, CAP_NET, host, false)))
		g->confined.net[g->confined.netc++] = host;
}

/* To write directly. After hosts and secrets: the program may write what they answer. What is not written
 * directly goes to the overlay, and a person is asked when it is applied. */
static void decide_write(struct gate *g)
{
	struct policy_effect ask = {.cap = CAP_WRITE, .exposed = g->exposed};

	if (!g->req->workspace || g->req->workspace_mode != WORKSPACE_RW)
		return;
	if (!g->plans && gate_exposure(g))
		ask.exposed = true;
	if (!decide_effect(g, ask, ".", gate_find_ticket(g, CAP_WRITE, ".", false)))
		g->confined.workspace_mode = WORKSPACE_OVERLAY;
	else if (is_roots(&g->workspace))
		write_later(g);
}

/* The confined request keeps what is given. */
static int decide_effects(struct gate *g, struct err *err)
{
	const struct request *r = g->req;
	bool asks = policy_caps_of(r) && gate_can_ask(g);

	g->report->effectc = 0;
	g->confined.netc = g->confined.secretc = 0;
	for (size_t i = 0; i < r->netc; i++)
		decide_net(g, r->net[i], asks);
	for (size_t i = 0; i < r->secretc; i++)
		if (decide_secret(g, r->secret[i], asks, err) < 0)
			return -1;
	decide_write(g);
	return 0;
}

static void report_decision(struct gate *g, const struct policy_run *run)
{
	struct report *r = g->report;

	r->has_verdict = true;
	r->verdict = g->verdict;
	r->grade = g->look.grade;
	if (g->plan_words)
		report_reason(r,
			      arena_printf(&r->arena, "the plan gives nothing: %s", g->plan_words));
	report_reason(r, policy_run_reason(&g->policy, run));
	memcpy(r->finding, g->look.finding, sizeof(r->finding));
	r->findingc = g->look.listed;
	r->finding_more = g->look.rules - g->look.listed;
}

static bool has_grant(const struct gate *g)
{
	for (size_t i = 0; i < g->ticketc; i++)
		if (g->ticket[i].giver != TICKET_PLAN)
			return true;
	return false;
}

int gate_decide(struct gate *g, struct err *err)
{
	struct policy_run run = {.exposed = g->exposed,
				 .derived = g->derived,
				 .bounded = has_grant(g),
				 .review = g->look.review,
				 .grade = g->look.grade};

	g->has_approval = false; /* an earlier try's */
	g->report->approval[0] = '\0';
	g->verdict = policy_decide_run(&g->policy, &run);
	report_decision(g, &run);
	if (g->verdict == VERDICT_DENY)
		return refuse(g, err);
	g->confined = *g->req;
	if (g->exposed && policy_confine(&g->policy, &g->confined, err) < 0)
		return -1;
	return decide_effects(g, err);
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
	size_t most = l->effectc < APPROVAL_LIST_MAX ? l->effectc : APPROVAL_LIST_MAX, count = 0;
	struct approval_text *list = arena_alloc(&g->arena, sizeof(*list) * (most + 1));

	for (int k = 0; !g->arena.failed && k < EFFECT_KINDS; k++)
		for (size_t i = 0; i < l->effectc && count < most; i++)
			if (l->effect[i].kind == by_weight[k])
				list[count++].text = arena_printf(
					&g->arena, "line %u: %s %s", l->effect[i].line,
					effect_name(l->effect[i].kind), l->effect[i].value);
	g->asked.effects = (struct approval_list){.count = count, .list = list};
	g->asked.effects_more = l->effectc - count;
}

static void fill_reasons(struct gate *g)
{
	struct report *r = g->report;
	struct approval_text *list = arena_alloc(&g->arena, sizeof(*list) * (r->reasonc + 2));
	size_t count = 0;

	if (!list)
		return;
	if (g->cause)
		list[count++].text = arena_printf(&g->arena, "exposed by: %s", g->cause);
	for (size_t i = 0; !g->arena.failed && i < r->reasonc; i++)
		list[count++].text = r->reason[i];
	g->asked.reasons = (struct approval_list){.count = count, .list = list};
}

/* What is open, or was resolved, for the box: a name could lead to something else for it, and back. */
static int fill_inputs(struct gate *g, const struct request *wanted, struct err *err)
{
	const struct blueprint *bp = g->bp;
	const struct given *library = givens_find(&bp->given, bp->library);
	struct request given = *wanted;

	if (given.workspace)
		given.workspace = arena_printf(&g->arena, "/proc/self/fd/%d", bp->workspace);
	if (given.venv) /* gate_check_given has found them all */
		given.venv = given_name(givens_find(&bp->given, bp->venv), &g->arena);
	for (size_t i = 0; i < given.execc; i++)
		given.exec[i] = given_name(givens_find(&bp->given, bp->program_at[i]), &g->arena);
	const char *changes =
		bp->saved < 0 ? NULL : arena_printf(&g->arena, "/proc/self/fd/%d", bp->saved);
	return approval_fill_inputs(&g->asked, &given, changes,
				    library ? given_name(library, &g->arena) : NULL, &g->arena,
				    err);
}

/* Everything that a person is shown and signs: the program with all the effects that it wants. */
static int fill(struct gate *g, struct err *err)
{
	struct approval_request *r = &g->asked;
	struct request wanted = g->confined;

	wanted.lang = g->bp->profile->name;
	wanted.netc = g->req->netc;
	wanted.secretc = g->req->secretc;
	memcpy(wanted.net, g->req->net, sizeof(wanted.net));
	memcpy(wanted.secret, g->req->secret, sizeof(wanted.secret));
	approval_init(r);
	approval_fill_request(r, &wanted, &g->arena);
	approval_fill_policy(r, &g->policy, &wanted, &g->arena);
	r->origin = g->report->origin;
	r->grade = g->look.grade;
	memcpy(r->code_sha256, g->bp->payload.sha256, sizeof(r->code_sha256));
	r->code_len = g->bp->payload.len;
	r->suffix = g->bp->payload.suffix;
	memcpy(r->stdin_sha256, g->bp->input_sha256, sizeof(r->stdin_sha256));
	r->conversation = g->report->conversation;
	fill_evidence(g);
	fill_findings(g);
	fill_effects(g);
	fill_reasons(g);
	if (fill_inputs(g, &wanted, err) < 0)
		return -1;
	return g->arena.failed ? err_memory(err) : 0;
}

static int refuse_recoded(struct err *err)
{
	err_set(err, ERR_REFUSED, "code in another encoding than UTF-8 cannot be approved");
	err_cause(err, "its first lines name an encoding: what runs is not the text that is shown");
	err_cure(err, "write it in UTF-8, without such a line");
	return -1;
}

/* What can still change cannot be agreed to. */
static int check_fixed(const struct gate *g, struct err *err)
{
	if (g->bp->payload.is_program)
		err_set(err, ERR_REFUSED, "a program in a file cannot be approved");
	else if (!g->bp->input_is_fixed)
		err_set(err, ERR_REFUSED, "a run that reads a pipe cannot be approved");
	else if (payload_is_recoded(&g->bp->payload))
		return refuse_recoded(err);
	else
		return approval_check_code(g->bp->payload.len, err);
	err_cause(err, "people approve exact bytes, and these may change until it starts");
	err_cure(err, g->bp->payload.is_program ? "give code, or a grant"
						: "give standard input as a file");
	return -1;
}

static bool has_waiting(const struct report *r)
{
	for (size_t i = 0; i < r->effectc; i++)
		if (r->effect[i].outcome == OUTCOME_WAITS)
			return true;
	return false;
}

/* A person has agreed to exactly this: it gets all that it wanted. */
static void take_approval(struct gate *g)
{
	struct report *r = g->report;

	memcpy(r->approval, g->approval.id, sizeof(g->approval.id));
	g->verdict = r->verdict = VERDICT_ALLOW;
	for (size_t i = 0; i < r->effectc; i++) {
		struct report_effect *e = &r->effect[i];
		if (e->outcome != OUTCOME_WAITS)
			continue;
		e->outcome = OUTCOME_TICKET;
		e->by = arena_printf(&r->arena, "apr:%s", g->approval.id);
		e->command = NULL;
		if (e->cap == CAP_NET)
			g->confined.net[g->confined.netc++] = e->object;
		else
			keep_secret(g, e->object);
	}
	/* With what was agreed to, a direct write may be exposed code's. It is the last effect. */
	if (r->effectc && r->effect[r->effectc - 1].cap == CAP_WRITE && !g->exposed &&
	    gate_exposure(g)) {
		r->effectc--;
		decide_write(g);
	}
}

static int park(struct gate *g, uint64_t now, struct err *err)
{
	struct approval_code code = {g->bp->payload.data, g->bp->payload.len};
	struct report *r = g->report;

	if (approval_park(g->state.store, &g->asked, code, g->policy.approval.wait_ms, now,
			  r->approval, err) < 0)
		return -1;
	for (size_t i = 0; i < r->effectc; i++)
		if (r->effect[i].outcome == OUTCOME_WAITS)
			r->effect[i].waits = r->approval;
	return 0;
}

/* A person cannot be asked about this: the run goes ahead without it, and why and the commands are told. */
static int withhold(struct report *r, const struct err *why)
{
	const char *words = arena_dup(&r->arena, why->message);

	report_reason(r, words);
	for (size_t i = 0; i < r->effectc; i++)
		if (r->effect[i].outcome == OUTCOME_WAITS) {
			r->effect[i].outcome = OUTCOME_WITHHELD;
			r->effect[i].reason = words;
		}
	return 0;
}

int gate_approve(struct gate *g, struct err *err)
{
	uint64_t now = g->state.keeper.now_us() / 1000;
	bool must_wait = g->verdict == VERDICT_ASK;

	if (!must_wait && !has_waiting(g->report))
		return 0;
	if (check_fixed(g, err) < 0)
		return must_wait ? -1 : withhold(g->report, err);
	if (fill(g, err) < 0)
		return must_wait || err->code != ERR_REFUSED ? -1 : withhold(g->report, err);
	approval_done(&g->approval);
	g->approval = (struct approval){0};
	int found = approval_find(g->state.store, &g->asked, now, &g->approval, err);
	if (found < 0)
		return -1;
	g->has_approval = found == 1;
	if (g->has_approval) {
		take_approval(g);
		return g->report->arena.failed ? err_memory(err) : 0;
	}
	if (park(g, now, err) < 0)
		return must_wait || err->code != ERR_LIMIT ? -1 : withhold(g->report, err);
	return must_wait || g->req->wait;
}
