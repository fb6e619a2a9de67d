/* SPDX-License-Identifier: MIT
 *
 * The step "approve": what a person is asked and everything that they can read about it. Looks for
 * an approval of exactly that before it asks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "approval/summary.h"
#include "base/scope.h"
#include "gate/gate.h"

enum { VOID_WORDS_MAX = 128 << 10 };

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
	g->question.asked.evidence = (struct approval_list){.count = r->tiec, .list = list};
	g->question.asked.evidence_more = r->tie_more;
}

static void fill_findings(struct gate *g)
{
	const struct report *r = g->report;
	struct approval_finding *list = arena_alloc(&g->arena, sizeof(*list) * (r->findingc + 1));

	for (size_t i = 0; !g->arena.failed && i < r->findingc; i++)
		list[i] = (struct approval_finding){.rule = r->finding[i].rule,
						    .title = r->finding[i].title,
						    .severity = r->finding[i].severity};
	g->question.asked.findings = (struct approval_list){.count = r->findingc, .list = list};
	g->question.asked.findings_more = r->finding_more;
}

/* If the list is too long, people see the effects that reach farthest. */
static const enum effect_kind by_weight[EFFECT_KINDS] = {
	EFFECT_NETWORK, EFFECT_PROGRAM, EFFECT_DYNAMIC, EFFECT_HOST,  EFFECT_WRITE,
	EFFECT_READ,	EFFECT_ENV,	EFFECT_PATH,	EFFECT_IMPORT};

static void fill_effects(struct gate *g)
{
	const struct inspection *l = &g->inspection;
	size_t most = l->effectc < APPROVAL_LIST_MAX ? l->effectc : APPROVAL_LIST_MAX, count = 0;
	struct approval_text *list = arena_alloc(&g->arena, sizeof(*list) * (most + 1));

	for (int k = 0; !g->arena.failed && k < EFFECT_KINDS; k++)
		for (size_t i = 0; i < l->effectc && count < most; i++)
			if (l->effect[i].kind == by_weight[k])
				list[count++].text = arena_printf(
					&g->arena, "line %u: %s %s", l->effect[i].line,
					effect_name(l->effect[i].kind), l->effect[i].value);
	g->question.asked.effects = (struct approval_list){.count = count, .list = list};
	g->question.asked.effects_more = l->effectc - count;
}

static void fill_reasons(struct gate *g)
{
	struct report *r = g->report;
	struct approval_text *list = arena_alloc(&g->arena, sizeof(*list) * (r->reasonc + 2));
	size_t count = 0;

	if (!list)
		return;
	if (g->facts.cause)
		list[count++].text = arena_printf(&g->arena, EXPOSED_BY "%s", g->facts.cause);
	for (size_t i = 0; !g->arena.failed && i < r->reasonc; i++)
		list[count++].text = r->reason[i];
	g->question.asked.reasons = (struct approval_list){.count = count, .list = list};
}

/* Reads the inputs through the descriptors that the box gets. A path could be replaced for the
 * time of this check. */
static int fill_inputs(struct gate *g, const struct request *wanted, struct err *err)
{
	const struct blueprint *bp = g->bp;
	const struct host_path *library = host_paths_find(&bp->host_paths, bp->library);
	struct request given = *wanted;

	if (given.workspace)
		given.workspace = arena_printf(&g->arena, "/proc/self/fd/%d", bp->workspace);
	if (given.venv) /* gate_check_inputs has checked that it exists */
		given.venv = host_path_proc(host_paths_find(&bp->host_paths, bp->venv), &g->arena);
	for (size_t i = 0; i < given.execc; i++)
		given.exec[i] = host_path_proc(host_paths_find(&bp->host_paths, bp->program_at[i]),
					       &g->arena);
	if (given.home)
		given.home =
			host_path_proc(host_paths_find(&bp->host_paths, given.home), &g->arena);
	for (size_t i = 0; i < given.roc; i++)
		given.ro[i] =
			host_path_proc(host_paths_find(&bp->host_paths, bp->ro_at[i]), &g->arena);
	for (size_t i = 0; i < given.rwc; i++)
		given.rw[i] =
			host_path_proc(host_paths_find(&bp->host_paths, bp->rw_at[i]), &g->arena);
	const char *changes =
		bp->saved < 0 ? NULL : arena_printf(&g->arena, "/proc/self/fd/%d", bp->saved);
	return approval_fill_inputs(&g->question.asked, &given, changes,
				    library ? host_path_proc(library, &g->arena) : NULL,
				    &g->question.attachments, &g->arena, err);
}

void gate_drop_attachments(struct gate *g)
{
	buf_done(&g->question.attachments.bytes);
	g->question.attachments.bytes = (struct buf){0};
	g->question.attachments.count = 0;
}

/* Standard input may be code, so people are shown its bytes. */
static int attach_input(struct gate *g, struct err *err)
{
	AUTO_FREE char *data = malloc(APPROVAL_STDIN_MAX + 1);
	struct stat st;

	if (!data)
		return err_memory(err);
	bool is_file = fstat(g->bp->input, &st) == 0 && S_ISREG(st.st_mode);
	ssize_t n = is_file ? pread(g->bp->input, data, APPROVAL_STDIN_MAX, 0) : 0;
	if (n < 0 || (is_file && n != st.st_size))
		return err_errno(err, ERR_SYSTEM, "reading standard input again");
	approval_attach(&g->question.attachments, "stdin", data, (size_t)n);
	return 0;
}

/* The effects that wait. A confirmation must be enough for all of them. */
static unsigned waiting_caps(const struct report *r)
{
	unsigned caps = 0;

	for (size_t i = 0; i < r->effectc; i++)
		if (r->effect[i].outcome == OUTCOME_WAITS)
			caps |= CAP_BIT(r->effect[i].cap);
	return caps;
}

/* Fills in everything that a person is shown and signs: the program with all the effects that it
 * wants. */
static int fill(struct gate *g, struct err *err)
{
	struct approval_request *r = &g->question.asked;
	struct request wanted = g->decision.confined;

	wanted.lang = g->bp->profile->name;
	wanted.netc = g->req->netc;
	wanted.secretc = g->req->secretc;
	memcpy(wanted.net, g->req->net, sizeof(wanted.net));
	memcpy(wanted.secret, g->req->secret, sizeof(wanted.secret));
	approval_init(r);
	approval_fill_request(r, &wanted, &g->arena);
	approval_fill_policy(r, &g->policy, &wanted, &g->arena);
	r->confirmation = policy_confirms(&g->policy, waiting_caps(g->report));
	r->origin = g->report->origin;
	r->grade = g->inspection.grade;
	memcpy(r->code_sha256, g->bp->payload.sha256, sizeof(r->code_sha256));
	r->code_len = g->bp->payload.len;
	r->suffix = g->bp->payload.suffix;
	memcpy(r->stdin_sha256, g->bp->input_sha256, sizeof(r->stdin_sha256));
	r->conversation = g->report->conversation;
	r->nameless = !g->req->conversation;
	gate_drop_attachments(g);
	approval_attach_code(&g->question.attachments, g->bp->payload.data, g->bp->payload.len);
	if (attach_input(g, err) < 0)
		return -1;
	fill_evidence(g);
	fill_findings(g);
	fill_effects(g);
	fill_reasons(g);
	if (fill_inputs(g, &wanted, err) < 0)
		return -1;
	return g->arena.failed ? err_memory(err) : 0;
}

/* Input may be code, so people must be able to read all of it. */
static int refuse_input(struct err *err)
{
	err_set(err, ERR_REFUSED,
		"approval request too large: more than %d bytes of standard input",
		APPROVAL_STDIN_MAX);
	err_cause(err, "people must read all of it, because it may be code");
	err_cure(err, "pass data as a file in --workspace DIR");
	return -1;
}

/* Bytes that can still change cannot be approved. */
static int check_fixed(const struct gate *g, struct err *err)
{
	struct stat st;

	if (g->bp->payload.is_program)
		err_set(err, ERR_REFUSED, "a program in a file cannot be approved");
	else if (!g->bp->input_is_fixed)
		err_set(err, ERR_REFUSED, "a run that reads a pipe cannot be approved");
	else if (fstat(g->bp->input, &st) == 0 && st.st_size > APPROVAL_STDIN_MAX)
		return refuse_input(err);
	else
		return approval_check_code(g->bp->payload.len, err);
	err_cause(err, "people approve exact bytes, and these can change before the run starts");
	err_cure(err, g->bp->payload.is_program ? "pass it as code, or get a grant"
						: "pass standard input as a file: --stdin FILE");
	return -1;
}

static bool has_waiting(const struct report *r)
{
	for (size_t i = 0; i < r->effectc; i++)
		if (r->effect[i].outcome == OUTCOME_WAITS)
			return true;
	return false;
}

static void explain_waiting(struct report *r, const char *words)
{
	report_reason(r, words);
	for (size_t i = 0; i < r->effectc; i++)
		if (r->effect[i].outcome == OUTCOME_WAITS && !r->effect[i].reason)
			r->effect[i].reason = words;
}

/* If people approved an earlier version of this, report what has changed since. */
static void explain_void(struct gate *g, const struct approval_code *code, uint64_t now)
{
	const struct approval want = {.request = g->question.asked};
	AUTO_APPROVAL struct approval last = {0};
	AUTO_BUF struct buf words = {.most = VOID_WORDS_MAX};
	struct approval_code old = {0};
	struct err ignored;

	if (approval_load_last(g->state.store, &want, &last, &ignored) == 1 &&
	    approval_state_at(&last, now) == APPROVAL_APPROVED &&
	    approval_load_code(g->state.store, &last, &old, &ignored) == 0 &&
	    approval_changed(&last.request, &old, &g->question.asked, code, &words))
		explain_waiting(
			g->report,
			arena_printf(&g->report->arena,
				     "approval %s no longer covers this, because it changed: %.*s",
				     last.id, (int)words.len, (const char *)words.data));
	free((void *)old.data);
}

/* A failed notification does not stop the run. */
void gate_notify(struct gate *g)
{
	const struct request_notice *n = &g->req->notice;
	struct report *r = g->report;
	struct err why = {0};

	if (n->send && n->send(n->ctx, g->state.store, r->approval, &why) < 0)
		report_reason(r, arena_printf(&r->arena, "%s", why.message));
}

int gate_ask_people(struct gate *g, struct err *err)
{
	uint64_t now = g->state.keeper.now_us() / 1000;

	if (g->question.attachments.bytes.failed)
		return err_memory(err);
	g->question.asked.scope = gate_widest_scope(g);
	g->question.asked.attachments = (struct approval_list){
		.count = g->question.attachments.count, .list = g->question.attachments.row};
	approval_done(&g->question.approval);
	g->question.approval = (struct approval){0};
	int found =
		approval_find(g->state.store, &g->question.asked, now, &g->question.approval, err);
	g->question.has_approval = found == 1;
	if (found == 1)
		memcpy(g->report->approval, g->question.approval.id,
		       sizeof(g->question.approval.id));
	if (found)
		return found;
	struct approval_code code = {g->question.attachments.bytes.data,
				     g->question.attachments.bytes.len};
	explain_void(g, &code, now);
	int parked = approval_park(g->state.store, &g->question.asked, code,
				   g->policy.approval.wait_ms, now, g->report->approval, err);
	if (parked == 0)
		gate_notify(g);
	return parked < 0 ? -1 : 0;
}

/* A person cannot be asked about this. The run starts without these effects; the report has the
 * reason and the commands that would allow them. */
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

int gate_approve(struct gate *g, bool can_ask, struct err *err)
{
	bool must_wait = g->decision.verdict == VERDICT_ASK;

	if (!must_wait && !has_waiting(g->report))
		return 0;
	if (!can_ask) {
		err_set(err, ERR_REFUSED,
			"not run: people are not asked about a program of a live box");
		err_cure(err, "cordon exec --wait -- COMMAND asks; or grant what it needs");
		if (must_wait)
			g->report->instead = INSTEAD_OWN_BOX;
		return must_wait ? -1 : withhold(g->report, err);
	}
	if (check_fixed(g, err) < 0)
		return must_wait ? -1 : withhold(g->report, err);
	if (fill(g, err) < 0)
		return must_wait || err->code != ERR_REFUSED ? -1 : withhold(g->report, err);
	int found = gate_ask_people(g, err);
	if (found < 0)
		return must_wait || err->code != ERR_LIMIT ? -1 : withhold(g->report, err);
	if (found) {
		gate_take_approval(g);
		return g->report->arena.failed ? err_memory(err) : 0;
	}
	for (size_t i = 0; i < g->report->effectc; i++)
		if (g->report->effect[i].outcome == OUTCOME_WAITS)
			g->report->effect[i].waits = g->report->approval;
	return must_wait || g->req->wait;
}
