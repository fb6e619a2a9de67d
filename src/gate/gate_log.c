/* SPDX-License-Identifier: MIT
 *
 * The records before a run; gate_result.c has those after it. One transaction has the request, the
 * findings and the decision, uses up the tickets and the approval, and checks that the
 * conversation and the directories have not changed since. If any of them has changed, nothing is
 * written and nothing runs. Members of an object are written in alphabetical order, see
 * store/jcs.h.
 */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "gate/gate_log.h"
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

void gate_refs(struct refs *r, const struct gate *g)
{
	r->count = 0;
	gate_add_ref(r, "run", g->report->run);
	gate_add_ref(r, "conv", g->report->conversation);
}

/* The sources that the code ties to, and the tickets and the approval in use. */
static void add_leave(struct refs *r, const struct gate *g)
{
	char hex[ID_HEX];

	for (size_t i = 0; i < g->report->tiec; i++)
		gate_add_ref(r, "src", g->report->tie[i].source);
	gate_add_ref(r, "apr", g->report->approval);
	for (size_t i = 0; i < g->facts.ticketc; i++)
		if (g->facts.ticket[i].giver != TICKET_POLICY)
			gate_add_ref(r, "ticket", id_hex(&g->facts.ticket[i].id, hex));
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
			jcs_word(j, NULL, layer_row((enum layer)l)->name);
	jcs_end(j);
}

typedef void put_fn(struct jcs *j, const char *name, const char *text);

static void put_list(struct jcs *j, const char *name, put_fn *put, const char *const *text,
		     size_t count)
{
	jcs_list(j, name);
	for (size_t i = 0; i < count; i++)
		put(j, NULL, text[i]);
	jcs_end(j);
}

static void put_request(struct gate *g, struct jcs *j)
{
	const struct request *r = g->req;
	const struct payload *p = &g->bp->payload;

	jcs_int(j, "args", (int64_t)r->argc);
	jcs_int(j, "code_bytes", (int64_t)p->len);
	jcs_hex(j, "code_sha256", p->sha256, sizeof(p->sha256));
	if (r->cwd)
		jcs_str(j, "cwd", r->cwd);
	jcs_str(j, "file", p->is_program ? p->path : r->file ? r->file : "");
	if (r->keep)
		jcs_str(j, "keep", r->keep);
	jcs_word(j, "lang", g->bp->profile->name);
	put_list(j, "net", jcs_word, r->net, r->netc);
	if (r->rwc)
		put_list(j, "rw", jcs_str, r->rw, r->rwc);
	put_list(j, "secrets", jcs_str, r->secret, r->secretc);
	if (g->bp->input_is_fixed)
		jcs_hex(j, "stdin_sha256", g->bp->input_sha256, sizeof(g->bp->input_sha256));
	jcs_word(j, "tier", tier_row(r->tier)->name);
	jcs_word(j, "uid", g->state.principal);
	jcs_bool(j, "users", r->is_users);
	if (r->workspace)
		jcs_str(j, "workspace", r->workspace);
}

static void put_scan(struct gate *g, struct jcs *j)
{
	const struct inspection *l = &g->inspection;

	jcs_list(j, "findings");
	for (size_t i = 0; i < l->listed; i++) {
		jcs_object(j, NULL);
		jcs_word(j, "grade", grade_name(l->finding[i].grade));
		jcs_int(j, "line", (int64_t)l->finding[i].line);
		jcs_word(j, "rule", l->finding[i].rule);
		jcs_bool(j, "undecided", l->finding[i].undecided);
		jcs_word(j, "view", l->finding[i].view);
		jcs_end(j);
	}
	jcs_end(j);
	jcs_word(j, "grade", grade_name(l->grade));
	jcs_int(j, "more", (int64_t)(l->rules - l->listed));
	jcs_hex(j, "pack", g->pack_key, sizeof(g->pack_key));
	jcs_int(j, "rules", (int64_t)(g->rules ? g->rules->pack.rulec : 0));
}

static void put_evidence(const struct report *r, struct jcs *j)
{
	jcs_list(j, "evidence");
	for (size_t i = 0; i < r->tiec; i++) {
		const struct report_tie *t = &r->tie[i];
		jcs_object(j, NULL);
		jcs_int(j, "from", (int64_t)t->code_from);
		jcs_word(j, "how", t->how);
		jcs_word(j, "source", t->source);
		jcs_int(j, "source_from", (int64_t)t->source_from);
		jcs_int(j, "source_to", (int64_t)t->source_to);
		jcs_word(j, "tie", t->tie);
		jcs_int(j, "to", (int64_t)t->code_to);
		jcs_end(j);
	}
	jcs_end(j);
}

/* Fills in what the verdict's record has and the report does not have yet. */
static void report_facts(struct gate *g)
{
	struct report *r = g->report;
	size_t count = g->question.has_approval ? g->question.approval.voicec : 0;
	const char **names = arena_alloc(&r->arena, (count + 1) * sizeof(*names));

	for (size_t i = 0; !r->arena.failed && i < count; i++)
		names[i] = arena_dup(&r->arena, g->question.approval.voice[i].name);
	r->approver = names;
	r->approverc = r->arena.failed ? 0 : count;
	memcpy(r->policy_sha256, g->policy.sha256, sizeof(r->policy_sha256));
	memcpy(r->pack, g->pack_key, sizeof(r->pack));
}

void gate_put_effects(const struct report *r, struct jcs *j)
{
	size_t bytes = 0, i;

	jcs_list(j, "effects");
	for (i = 0; i < r->effectc; i++) {
		const struct report_effect *e = &r->effect[i];
		bytes += 6 * strlen(e->object) + GATE_EFFECT_BYTES; /* if every byte is escaped */
		if (bytes > GATE_EFFECTS_BYTES_MAX)
			break;
		jcs_object(j, NULL);
		if (e->by)
			jcs_word(j, "by", e->by);
		jcs_bool(j, "done", e->done);
		jcs_word(j, "effect", cap_name(e->cap));
		(e->cap == CAP_NET ? jcs_word : jcs_str)(j, "object", e->object);
		jcs_word(j, "outcome", outcome_name(e->outcome));
		if (e->waits)
			jcs_word(j, "waits", e->waits);
		jcs_end(j);
	}
	jcs_end(j);
	jcs_int(j, "effects_more", (int64_t)(r->effectc - i + r->effect_more));
}

/* WHY is the error that stopped the run, or NULL. A run that stopped before its decision is
 * recorded as denied. LAYERS are required for the start; 0: the run does not start. */
static void put_verdict(struct gate *g, const struct err *why, uint32_t layers, struct jcs *j)
{
	const struct report *r = g->report;

	if (r->approval[0])
		jcs_word(j, "approval", r->approval);
	put_list(j, "approved_by", jcs_word, r->approver, r->approverc);
	if (r->cause)
		jcs_str(j, "cause", r->cause);
	jcs_hex(j, "code_sha256", g->bp->payload.sha256, sizeof(g->bp->payload.sha256));
	gate_put_effects(r, j);
	if (why)
		jcs_str(j, "error", why->message);
	put_evidence(r, j);
	jcs_int(j, "evidence_more", (int64_t)r->tie_more);
	jcs_bool(j, "exposed", r->exposed);
	jcs_word(j, "grade", grade_name(r->has_verdict ? r->grade : g->inspection.grade));
	gate_put_layers(j, "layers_needed", layers);
	if (r->has_verdict)
		jcs_word(j, "origin", origin_name(r->origin));
	jcs_hex(j, "pack", g->pack_key, sizeof(g->pack_key));
	jcs_hex(j, "policy_sha256", g->policy.sha256, POLICY_SHA256);
	put_list(j, "reasons", jcs_str, r->reason, r->has_verdict ? r->reasonc : 0);
	jcs_list(j, "rules");
	for (size_t i = 0; i < g->inspection.listed; i++)
		jcs_word(j, NULL, g->inspection.finding[i].rule);
	jcs_end(j);
	jcs_int(j, "rules_more", (int64_t)(g->inspection.rules - g->inspection.listed));
	jcs_word(j, "verdict", verdict_name(r->has_verdict ? r->verdict : VERDICT_DENY));
}

static const char *mode_name(const struct request *r)
{
	static const char *const names[] = {"none", "ro", "overlay", "rw"};

	return names[r->workspace ? r->workspace_mode : WORKSPACE_NONE];
}

static void put_start(struct gate *g, struct jcs *j)
{
	const struct request *r = &g->decision.confined;

	if (r->home)
		jcs_str(j, "home", r->home);
	jcs_list(j, "limits");
	for (int i = 0; i < LIMIT_COUNT; i++)
		if (r->limit[i]) {
			jcs_object(j, NULL);
			jcs_word(j, "name", limit_row((enum limit_id)i)->name);
			jcs_int(j, "value",
				(int64_t)(r->limit[i] > JCS_NUMBER_MAX ? JCS_NUMBER_MAX
								       : r->limit[i]));
			jcs_end(j);
		}
	jcs_end(j);
	jcs_word(j, "tier", tier_row(r->tier)->name);
	jcs_word(j, "workspace", mode_name(r));
}

/* A change of the policy is recorded before the first decision by the new one. */
static void append_policy(struct gate *g, const struct refs *refs, struct store_tx *tx)
{
	struct in_force policy = {.sha256 = g->policy.sha256,
				  .profile = policy_profile_name(g->policy.profile),
				  .file = g->policy.file};

	in_force_record(g->state.store, &policy, refs->name, refs->count, tx);
}

/* Appends the request, the scan and the verdict. */
static void append_decision(struct gate *g, const struct err *why, uint32_t layers,
			    struct refs *refs, struct store_tx *tx)
{
	AUTO_JCS struct jcs j = {0};

	report_facts(g);
	gate_refs(refs, g);
	append_policy(g, refs, tx);
	jcs_init(&j, RECORD_BODY_MAX);
	put_request(g, &j);
	gate_append(tx, RECORD_REQUEST, refs, &j);
	if (g->is_inspected) {
		put_scan(g, &j);
		gate_append(tx, RECORD_SCAN, refs, &j);
	}
	add_leave(refs, g);
	put_verdict(g, why, layers, &j);
	gate_append(tx, RECORD_VERDICT, refs, &j);
}

/* If the host says that the conversation is exposed, that is kept even if the code does not run. */
static void keep_exposure(struct gate *g, struct store_tx *tx)
{
	struct conversation c = g->facts.conversation;

	if (!g->req->is_exposed || !c.version || c.exposed_us)
		return;
	conversation_expose(&c, g->facts.cause, g->state.keeper.now_us());
	conversation_record(&c, "exposed", tx);
	conversation_put(&c, tx);
}

/* Tries again after a conflict: another process may have changed the policy or the conversation. */
int gate_log_refusal(struct gate *g, const struct err *why, struct err *err)
{
	AUTO_FREE struct refs *refs = calloc(1, sizeof(*refs));
	int r = -1;

	if (!refs)
		return err_memory(err);
	for (int i = 0; r < 0 && i < GATE_TRIES_MAX; i++) {
		AUTO_TX struct store_tx tx = {0};
		append_decision(g, why, 0, refs, &tx);
		keep_exposure(g, &tx);
		r = store_commit(g->state.store, &tx, err);
		g->report->verdict_record = gate_record_of(&tx, RECORD_VERDICT);
		if (r == 0 || err->code != ERR_CONFLICT)
			break;
		gate_pause(i);
		if (g->facts.conversation.version &&
		    conversation_load(&g->state.keeper, &g->facts.conversation.id,
				      &g->facts.conversation, err) < 0)
			break;
	}
	return r;
}

/* Uses up tickets and the approval, and fails if another process has used or changed them since.
 * Exposes the conversation and marks the directory if this run does. An exposed conversation stays
 * exposed, also when the user typed this run. */
static int take_rights(struct gate *g, struct store_tx *tx, bool *ret_put, struct err *err)
{
	struct conversation *c = &g->facts.conversation;
	uint64_t now = g->state.keeper.now_us();
	const char *cause = gate_exposure(g);
	char run[REF_SIZE];

	snprintf(run, sizeof(run), "run:%s", g->report->run);
	if (g->question.has_approval)
		approval_take(tx, &g->question.approval, run, now / 1000);
	if (gate_give_grant(g, tx, err) < 0)
		return -1;
	gate_spend_tickets(g, tx);
	if (cause && gate_mark(g, tx, err) < 0)
		return -1;
	if (!cause)
		directories_expect(&g->facts.directories, tx);
	if (cause && !c->exposed_us) {
		conversation_expose(c, cause, now);
		conversation_record(c, "exposed", tx);
		conversation_put(c, tx);
		*ret_put = true;
	} else if (c->version) {
		conversation_expect(c, tx);
	}
	if (cause) /* the program's later writes are exposed writes */
		gate_expose(g, cause);
	return 0;
}

int gate_log_start(struct gate *g, struct err *err)
{
	AUTO_TX struct store_tx tx = {0};
	AUTO_FREE struct refs *refs = calloc(1, sizeof(*refs));
	AUTO_JCS struct jcs j = {0};

	if (!refs)
		return err_memory(err);
	append_decision(g, NULL, spec_layers(&g->bp->spec), refs, &tx);
	jcs_init(&j, RECORD_BODY_MAX);
	put_start(g, &j);
	gate_refs(refs, g);
	add_leave(refs, g);
	gate_append(&tx, RECORD_START, refs, &j);
	bool is_put = false;
	uint64_t exposed_us = g->facts.conversation.exposed_us;
	if (take_rights(g, &tx, &is_put, err) < 0 || store_commit(g->state.store, &tx, err) < 0) {
		/* The next attempt writes it again. */
		g->facts.conversation.exposed_us = exposed_us;
		return -1;
	}
	if (is_put)
		g->facts.conversation.version = tx.version;
	gate_spent_tickets(g, tx.version);
	g->report->verdict_record = gate_record_of(&tx, RECORD_VERDICT);
	return 0;
}

void gate_carry_out(struct gate *g, struct err *err)
{
	struct err why = {0};
	char words[96];

	snprintf(words, sizeof(words), "rule %.64s",
		 g->inspection.denied_by ? g->inspection.denied_by : "");
	if (actions_carry_out(&g->state, &g->facts.conversation, g->inspection.actions, words,
			      &why) < 0)
		err_cause(err, "and the action of its rule failed: %.200s", why.message);
}
