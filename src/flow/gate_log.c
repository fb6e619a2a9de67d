/* SPDX-License-Identifier: MIT
 *
 * The word "audit", before the effect (gate_result.c: after it). What was asked, found and decided is one
 * transaction with what it uses up (a plan's run, a person's word) and with the domain as it was decided
 * on: if anything of that has changed meanwhile, nothing is written and nothing runs. Names of members
 * come in the order of their letters: see store/jcs.h.
 */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "flow/gate_log_private.h"
#include "store/in_force.h"

void gate_add_ref(struct refs *r, const char *sort, const char *id)
{
	if (r->count == ARRAY_SIZE(r->name) || !*id)
		return;
	snprintf(r->text[r->count], REF_SIZE, "%s:%s", sort, id);
	for (size_t i = 0; i < r->count; i++)
		if (strcmp(r->text[i], r->text[r->count]) == 0)
			return;
	r->name[r->count] = r->text[r->count];
	r->count++;
}

static void add_label(struct refs *r, bool is_known, const struct label *l)
{
	char hex[ID_HEX];

	if (!is_known)
		return;
	for (size_t i = 0; i < l->count; i++)
		gate_add_ref(r, "src", id_hex(&l->source[i], hex));
	r->more = r->more || l->more;
}

void gate_add_bytes(struct refs *r, const uint8_t sha256[KEEPER_SHA256])
{
	char hex[2 * KEEPER_SHA256 + 1];

	gate_add_ref(r, "file", sodium_bin2hex(hex, sizeof(hex), sha256, KEEPER_SHA256));
}

/* What it ties to and what its files came from, which may be of other conversations. */
static void add_sources(struct refs *r, const struct gate *g)
{
	if (g->has_code)
		gate_add_bytes(r, g->bp->payload.sha256);
	if (g->has_known_input)
		gate_add_bytes(r, g->bp->input_sha256);
	for (size_t i = 0; i < g->report->tiec; i++)
		gate_add_ref(r, "src", g->report->tie[i].source);
	add_label(r, g->has_code, &g->code);
	add_label(r, g->programc > 0, &g->programs);
	add_label(r, g->has_inputs, &g->inputs);
}

/* What it was let run by. */
static void add_leave(struct refs *r, const struct gate *g)
{
	char plan[ID_HEX];

	gate_add_ref(r, "apr", g->report->approval);
	if (g->plan_answer == PLAN_GOOD)
		gate_add_ref(r, "plan", id_hex(&g->plan.id, plan));
}

void gate_refs(struct refs *r, const struct gate *g)
{
	char hex[ID_HEX];

	r->count = 0;
	r->more = false;
	gate_add_ref(r, "run", g->report->run);
	if (g->report->domain)
		gate_add_ref(r, "dom", id_hex(&g->domain.id, hex));
}

void gate_append(struct store_tx *tx, enum record_kind kind, const struct refs *refs, struct jcs *j)
{
	struct err err;

	if (jcs_finish(j, &err) < 0)
		tx->failed = err;
	else
		store_append(tx, kind, refs->name, refs->count, j);
	jcs_done(j);
	jcs_init(j, RECORD_BODY_MAX);
}

struct report_record gate_record_of(const struct store_tx *tx, enum record_kind kind)
{
	struct report_record r = {0};

	r.is_there = store_tx_record(tx, kind, &r.seq, r.hash);
	return r;
}

void gate_put_layers(struct jcs *j, const char *name, uint32_t layers)
{
	jcs_list(j, name);
	for (int l = 0; l < LAYER_COUNT; l++)
		if (layers & LAYER_BIT(l))
			jcs_str(j, NULL, layer_row((enum layer)l)->name);
	jcs_end(j);
}

static void put_caps(struct jcs *j, const char *name, unsigned caps)
{
	jcs_list(j, name);
	for (unsigned c = 0; c < CAP_COUNT; c++)
		if (caps & CAP_BIT(c))
			jcs_str(j, NULL, cap_name(c));
	jcs_end(j);
}

static void put_request(struct gate *g, struct jcs *j)
{
	const struct request *r = g->req;
	const struct payload *p = &g->bp->payload;

	jcs_int(j, "args", (int64_t)r->argc);
	put_caps(j, "asks", policy_caps_of(r) | r->asks);
	jcs_int(j, "code_bytes", (int64_t)p->len);
	jcs_hex(j, "code_sha256", p->sha256, sizeof(p->sha256));
	if (r->declared < ORIGIN_COUNT)
		jcs_str(j, "declared", origin_name(r->declared));
	jcs_str(j, "file", p->is_program ? p->path : r->file ? r->file : "");
	jcs_str(j, "lang", g->bp->profile->name);
	if (r->netc) {
		jcs_list(j, "net");
		for (size_t i = 0; i < r->netc; i++)
			jcs_str(j, NULL, r->net[i]);
		jcs_end(j);
	}
	if (g->bp->input_is_fixed)
		jcs_hex(j, "stdin_sha256", g->bp->input_sha256, sizeof(g->bp->input_sha256));
	jcs_str(j, "tier", tier_row(r->tier)->name);
	jcs_str(j, "uid", g->state.principal);
	if (r->workspace)
		jcs_str(j, "workspace", r->workspace);
}

static void put_scan(struct gate *g, struct jcs *j)
{
	const struct look *l = &g->look;

	jcs_list(j, "findings");
	for (size_t i = 0; i < l->listed; i++) {
		jcs_object(j, NULL);
		jcs_str(j, "grade", grade_name(l->finding[i].grade));
		jcs_int(j, "line", (int64_t)l->finding[i].line);
		jcs_str(j, "rule", l->finding[i].rule);
		jcs_bool(j, "undecided", l->finding[i].undecided);
		jcs_str(j, "view", l->finding[i].view);
		jcs_end(j);
	}
	jcs_end(j);
	jcs_str(j, "grade", grade_name(l->grade));
	jcs_int(j, "more", (int64_t)(l->rules - l->listed));
	jcs_hex(j, "pack", g->pack_key, sizeof(g->pack_key));
	jcs_int(j, "rules", (int64_t)g->rules.pack.rulec);
}

static void put_evidence(const struct report *r, struct jcs *j)
{
	jcs_list(j, "evidence");
	for (size_t i = 0; i < r->tiec; i++) {
		const struct report_tie *t = &r->tie[i];
		jcs_object(j, NULL);
		jcs_int(j, "from", (int64_t)t->code_from);
		jcs_str(j, "how", t->how);
		jcs_str(j, "source", t->source);
		jcs_int(j, "source_from", (int64_t)t->source_from);
		jcs_int(j, "source_to", (int64_t)t->source_to);
		jcs_str(j, "tie", t->tie);
		jcs_int(j, "to", (int64_t)t->code_to);
		jcs_end(j);
	}
	jcs_end(j);
}

/* Who let it run, if somebody was asked. */
static void put_voices(const struct report *r, struct jcs *j)
{
	jcs_list(j, "approved_by");
	for (size_t i = 0; i < r->approverc; i++)
		jcs_str(j, NULL, r->approver[i]);
	jcs_end(j);
}

/* What else the verdict's record has and whoever shows the run tells. */
static void report_facts(struct gate *g)
{
	struct report *r = g->report;
	size_t count = g->has_approval ? g->approval.voicec : 0;
	const char **names = arena_alloc(&r->arena, (count + 1) * sizeof(*names));

	for (size_t i = 0; !r->arena.failed && i < count; i++)
		names[i] = arena_dup(&r->arena, g->approval.voice[i]);
	r->approver = names;
	r->approverc = r->arena.failed ? 0 : count;
	memcpy(r->policy_sha256, g->policy.sha256, sizeof(r->policy_sha256));
	memcpy(r->pack, g->pack_key, sizeof(r->pack));
}

/* WHY: what stopped it; or NULL. What was stopped before it was decided on is denied, and has
 * neither an origin nor a row. LAYERS: without them it does not start; 0: it does not. */
static void put_verdict(struct gate *g, const struct err *why, uint32_t layers,
			const struct refs *refs, struct jcs *j)
{
	const struct report *r = g->report;
	char plan[ID_HEX];

	if (r->approval[0])
		jcs_str(j, "approval", r->approval);
	put_voices(r, j);
	jcs_hex(j, "code_sha256", g->bp->payload.sha256, sizeof(g->bp->payload.sha256));
	if (r->has_verdict && r->origin != g->decision.origin)
		jcs_str(j, "decided_as", origin_name(g->decision.origin));
	if (why)
		jcs_str(j, "error", why->message);
	put_evidence(r, j);
	jcs_int(j, "evidence_more", (int64_t)r->tie_more);
	jcs_str(j, "grade", grade_name(r->has_verdict ? r->grade : g->look.grade));
	put_caps(j, "granted", r->has_verdict ? r->granted : 0);
	gate_put_layers(j, "layers_needed", layers);
	if (r->has_verdict)
		jcs_str(j, "origin", origin_name(r->origin));
	jcs_hex(j, "pack", g->pack_key, sizeof(g->pack_key));
	if (g->plan_answer == PLAN_GOOD)
		jcs_str(j, "plan", id_hex(&g->plan.id, plan));
	jcs_hex(j, "policy_sha256", g->policy.sha256, POLICY_SHA256);
	jcs_list(j, "reasons");
	for (size_t i = 0; r->has_verdict && i < r->reasonc; i++)
		jcs_str(j, NULL, r->reason[i]);
	jcs_end(j);
	if (r->has_verdict)
		jcs_str(j, "row", r->row);
	jcs_list(j, "rules");
	for (size_t i = 0; i < g->look.listed; i++)
		jcs_str(j, NULL, g->look.finding[i].rule);
	jcs_end(j);
	jcs_int(j, "rules_more", (int64_t)(g->look.rules - g->look.listed));
	jcs_bool(j, "sources_more", refs->more);
	jcs_str(j, "verdict", verdict_name(r->has_verdict ? r->verdict : VERDICT_DENY));
}

static void put_start(struct gate *g, struct jcs *j)
{
	const struct request *r = &g->confined;

	jcs_bool(j, "commit", r->commit);
	jcs_list(j, "limits");
	for (int i = 0; i < LIMIT_COUNT; i++)
		if (r->limit[i]) {
			jcs_object(j, NULL);
			jcs_str(j, "name", limit_row((enum limit_id)i)->name);
			jcs_int(j, "value",
				(int64_t)(r->limit[i] > JCS_NUMBER_MAX ? JCS_NUMBER_MAX
								       : r->limit[i]));
			jcs_end(j);
		}
	jcs_end(j);
	jcs_str(j, "tier", tier_row(r->tier)->name);
	jcs_bool(j, "writes", gate_writes(r));
}

/* That the policy is another one than the last time comes before what it has decided. */
static void tell_policy(struct gate *g, const struct refs *refs, struct store_tx *tx)
{
	struct in_force policy = {.sha256 = g->policy.sha256,
				  .profile = policy_profile_name(g->policy.profile),
				  .file = g->policy.file};

	in_force_tell(g->state.store, &policy, refs->name, refs->count, tx);
}

/* What was asked, found and decided; and WHY it does not run, or with which LAYERS. */
static void tell_decision(struct gate *g, const struct err *why, uint32_t layers, struct refs *refs,
			  struct store_tx *tx)
{
	AUTO_JCS struct jcs j = {0};

	report_facts(g);
	gate_refs(refs, g);
	tell_policy(g, refs, tx);
	jcs_init(&j, RECORD_BODY_MAX);
	put_request(g, &j);
	gate_append(tx, RECORD_REQUEST, refs, &j);
	if (g->has_look) {
		put_scan(g, &j);
		gate_append(tx, RECORD_SCAN, refs, &j);
	}
	add_leave(refs, g);
	add_sources(refs, g);
	put_verdict(g, why, layers, refs, &j);
	gate_append(tx, RECORD_VERDICT, refs, &j);
}

/* Only the policy can be another one meanwhile. */
int gate_log_refusal(struct gate *g, const struct err *why, struct err *err)
{
	AUTO_FREE struct refs *refs = calloc(1, sizeof(*refs));
	int r = -1;

	if (!refs)
		return err_memory(err);
	for (int i = 0; r < 0 && i < GATE_TRIES_MAX; i++) {
		AUTO_TX struct store_tx tx = {0};
		tell_decision(g, why, 0, refs, &tx);
		r = store_commit(g->state.store, &tx, err);
		g->report->verdict_record = gate_record_of(&tx, RECORD_VERDICT);
		if (r < 0 && err->code != ERR_CONFLICT)
			break;
		if (r < 0)
			gate_pause(i);
	}
	return r;
}

/* What others may have used up or changed since it was read. */
static int take_rights(struct gate *g, struct store_tx *tx, struct err *err)
{
	struct label label = gate_label_of_output(g), files = gate_label_of_files(g);
	char run[REF_SIZE];

	snprintf(run, sizeof(run), "run:%s", g->report->run);
	if (g->has_approval)
		approval_take(tx, &g->approval, run, g->state.keeper.now_us() / 1000);
	if (g->plan_answer == PLAN_GOOD) {
		enum plan_answer left = PLAN_NONE;
		if (plan_spend(&g->state.keeper, &g->plan, tx, &left, err) < 0)
			return -1;
		g->plan_is_spent = left != PLAN_GOOD;
		if (g->plan_is_spent) /* without it, then */
			return err_set(err, ERR_CONFLICT, "the plan: %s", plan_answer_words(left));
	}
	bool adds = false;
	if (gate_mark_files(g, &files, tx, &adds, err) < 0)
		return -1;
	file_marks_expect(g->marks, adds, tx);
	/* What it prints is read in this domain from its first byte on. */
	if (label_is_below(&g->domain.floor, &label))
		domain_expect(&g->domain, tx);
	else
		domain_read(&g->state.keeper, &g->domain, &label, FROM_RUN_OUTPUT, tx);
	return 0;
}

/* The run is a source itself, of whoever reads what it has written: by that name he is led here, and by no
 * other of a source (store/trace.c). */
static void start_refs(struct refs *refs, const struct gate *g)
{
	gate_refs(refs, g);
	add_leave(refs, g);
	gate_add_ref(refs, "src", g->report->run);
}

int gate_log_start(struct gate *g, struct err *err)
{
	AUTO_TX struct store_tx tx = {0};
	AUTO_FREE struct refs *refs = calloc(1, sizeof(*refs));
	AUTO_JCS struct jcs j = {0};

	if (!refs)
		return err_memory(err);
	tell_decision(g, NULL, spec_layers(&g->bp->spec), refs, &tx);
	jcs_init(&j, RECORD_BODY_MAX);
	put_start(g, &j);
	start_refs(refs, g);
	gate_append(&tx, RECORD_START, refs, &j);
	if (take_rights(g, &tx, err) < 0 || store_commit(g->state.store, &tx, err) < 0)
		return -1;
	g->report->verdict_record = gate_record_of(&tx, RECORD_VERDICT);
	return 0;
}
