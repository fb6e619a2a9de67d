/* SPDX-License-Identifier: MIT
 *
 * The word "audit", before the run (gate_result.c: after it). What was asked, found and decided is one
 * transaction with what the run uses up (tickets, an approval) and with the conversation and the directories
 * as they were decided on: if any of that has changed meanwhile, nothing is written and nothing runs. Names
 * of members come in the order of their letters: see store/jcs.h.
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

void gate_refs(struct refs *r, const struct gate *g)
{
	r->count = 0;
	gate_add_ref(r, "run", g->report->run);
	gate_add_ref(r, "conv", g->report->conversation);
}

/* The sources that it ties to, and the tickets and the approval that it uses. */
static void add_leave(struct refs *r, const struct gate *g)
{
	char hex[ID_HEX];

	for (size_t i = 0; i < g->report->tiec; i++)
		gate_add_ref(r, "src", g->report->tie[i].source);
	gate_add_ref(r, "apr", g->report->approval);
	for (size_t i = 0; i < g->ticketc; i++)
		if (g->ticket[i].giver != TICKET_POLICY)
			gate_add_ref(r, "ticket", id_hex(&g->ticket[i].id, hex));
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

static void put_texts(struct jcs *j, const char *name, const char *const *text, size_t count)
{
	jcs_list(j, name);
	for (size_t i = 0; i < count; i++)
		jcs_str(j, NULL, text[i]);
	jcs_end(j);
}

static void put_request(struct gate *g, struct jcs *j)
{
	const struct request *r = g->req;
	const struct payload *p = &g->bp->payload;

	jcs_int(j, "args", (int64_t)r->argc);
	jcs_int(j, "code_bytes", (int64_t)p->len);
	jcs_hex(j, "code_sha256", p->sha256, sizeof(p->sha256));
	jcs_str(j, "file", p->is_program ? p->path : r->file ? r->file : "");
	jcs_str(j, "lang", g->bp->profile->name);
	put_texts(j, "net", r->net, r->netc);
	put_texts(j, "secrets", r->secret, r->secretc);
	if (g->bp->input_is_fixed)
		jcs_hex(j, "stdin_sha256", g->bp->input_sha256, sizeof(g->bp->input_sha256));
	jcs_str(j, "tier", tier_row(r->tier)->name);
	jcs_str(j, "uid", g->state.principal);
	jcs_bool(j, "users", r->is_users);
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

void gate_put_effects(const struct report *r, struct jcs *j)
{
	size_t bytes = 0, i;

	jcs_list(j, "effects");
	for (i = 0; i < r->effectc; i++) {
		const struct report_effect *e = &r->effect[i];
		bytes += 6 * strlen(e->object) + GATE_EFFECT_BYTES; /* all of it escaped */
		if (bytes > GATE_EFFECTS_BYTES_MAX)
			break;
		jcs_object(j, NULL);
		if (e->by)
			jcs_str(j, "by", e->by);
		jcs_bool(j, "done", e->done);
		jcs_str(j, "effect", cap_name(e->cap));
		jcs_str(j, "object", e->object);
		jcs_str(j, "outcome", outcome_name(e->outcome));
		if (e->waits)
			jcs_str(j, "waits", e->waits);
		jcs_end(j);
	}
	jcs_end(j);
	jcs_int(j, "effects_more", (int64_t)(r->effectc - i + r->effect_more));
}

/* WHY: what stopped it; or NULL. A run that was stopped before it was decided on is denied. LAYERS: it does
 * not start without them; 0: it does not start. */
static void put_verdict(struct gate *g, const struct err *why, uint32_t layers, struct jcs *j)
{
	const struct report *r = g->report;

	if (r->approval[0])
		jcs_str(j, "approval", r->approval);
	put_texts(j, "approved_by", r->approver, r->approverc);
	if (r->cause)
		jcs_str(j, "cause", r->cause);
	jcs_hex(j, "code_sha256", g->bp->payload.sha256, sizeof(g->bp->payload.sha256));
	gate_put_effects(r, j);
	if (why)
		jcs_str(j, "error", why->message);
	put_evidence(r, j);
	jcs_int(j, "evidence_more", (int64_t)r->tie_more);
	jcs_bool(j, "exposed", r->exposed);
	jcs_str(j, "grade", grade_name(r->has_verdict ? r->grade : g->look.grade));
	gate_put_layers(j, "layers_needed", layers);
	if (r->has_verdict)
		jcs_str(j, "origin", origin_name(r->origin));
	jcs_hex(j, "pack", g->pack_key, sizeof(g->pack_key));
	jcs_hex(j, "policy_sha256", g->policy.sha256, POLICY_SHA256);
	put_texts(j, "reasons", r->reason, r->has_verdict ? r->reasonc : 0);
	jcs_list(j, "rules");
	for (size_t i = 0; i < g->look.listed; i++)
		jcs_str(j, NULL, g->look.finding[i].rule);
	jcs_end(j);
	jcs_int(j, "rules_more", (int64_t)(g->look.rules - g->look.listed));
	jcs_str(j, "verdict", verdict_name(r->has_verdict ? r->verdict : VERDICT_DENY));
}

static const char *mode_name(const struct request *r)
{
	static const char *const names[] = {"none", "ro", "overlay", "rw"};

	return names[r->workspace ? r->workspace_mode : WORKSPACE_NONE];
}

static void put_start(struct gate *g, struct jcs *j)
{
	const struct request *r = &g->confined;

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
	jcs_str(j, "workspace", mode_name(r));
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
	put_verdict(g, why, layers, &j);
	gate_append(tx, RECORD_VERDICT, refs, &j);
}

/* What the host says of a conversation holds, whether the code runs or not. */
static void keep_exposure(struct gate *g, struct store_tx *tx)
{
	struct conversation c = g->conversation;

	if (!g->req->is_exposed || !c.version || c.exposed_us)
		return;
	conversation_expose(&c, g->cause, g->state.keeper.now_us());
	conversation_record(&c, "exposed", tx);
	conversation_put(&c, tx);
}

/* The policy or the conversation can be another one meanwhile. */
int gate_log_refusal(struct gate *g, const struct err *why, struct err *err)
{
	AUTO_FREE struct refs *refs = calloc(1, sizeof(*refs));
	int r = -1;

	if (!refs)
		return err_memory(err);
	for (int i = 0; r < 0 && i < GATE_TRIES_MAX; i++) {
		AUTO_TX struct store_tx tx = {0};
		tell_decision(g, why, 0, refs, &tx);
		keep_exposure(g, &tx);
		r = store_commit(g->state.store, &tx, err);
		g->report->verdict_record = gate_record_of(&tx, RECORD_VERDICT);
		if (r == 0 || err->code != ERR_CONFLICT)
			break;
		gate_pause(i);
		if (g->conversation.version &&
		    conversation_load(&g->state.keeper, &g->conversation.id, &g->conversation,
				      err) < 0)
			break;
	}
	return r;
}

const char *gate_exposure(struct gate *g)
{
	if (g->exposed)
		return g->cause;
	for (size_t i = 0; i < g->confined.netc; i++)
		if (!policy_net_lists(&g->policy.trusted, g->confined.net[i]))
			return arena_printf(&g->arena, "answers of %.200s", g->confined.net[i]);
	if (g->confined.secretc)
		return arena_printf(&g->arena, "answers of the host of secret %.*s",
				    (int)strcspn(g->confined.secret[0], "="),
				    g->confined.secret[0]);
	return NULL;
}

/* What other processes may have used up or changed since it was read; and what the run itself changes by
 * starting. A run that the user typed in an exposed conversation does not make it clean. */
static int take_rights(struct gate *g, struct store_tx *tx, bool *ret_put, struct err *err)
{
	struct conversation *c = &g->conversation;
	uint64_t now = g->state.keeper.now_us();
	const char *cause = gate_exposure(g);
	char run[REF_SIZE];

	snprintf(run, sizeof(run), "run:%s", g->report->run);
	if (g->has_approval)
		approval_take(tx, &g->approval, run, now / 1000);
	gate_spend_tickets(g, tx);
	int marked = 0;
	if (cause && g->confined.workspace && g->confined.workspace_mode == WORKSPACE_RW)
		marked = directory_mark(&g->directories, &g->workspace_at, run, now, err);
	if (marked < 0)
		return -1;
	if (marked)
		directories_put(&g->directories, tx);
	else
		directories_expect(&g->directories, tx);
	if (cause && !c->exposed_us) {
		conversation_expose(c, cause, now);
		conversation_record(c, "exposed", tx);
		conversation_put(c, tx);
		*ret_put = true;
	} else if (c->version) {
		conversation_expect(c, tx);
	}
	if (cause) { /* what it writes afterwards is an exposed write */
		g->exposed = true;
		g->cause = cause;
	}
	return 0;
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
	gate_refs(refs, g);
	add_leave(refs, g);
	gate_append(&tx, RECORD_START, refs, &j);
	bool is_put = false;
	if (take_rights(g, &tx, &is_put, err) < 0 || store_commit(g->state.store, &tx, err) < 0)
		return -1;
	if (is_put)
		g->conversation.version = tx.version;
	gate_spent_tickets(g, tx.version);
	g->report->verdict_record = gate_record_of(&tx, RECORD_VERDICT);
	return 0;
}

void gate_carry_out(struct gate *g, struct err *err)
{
	struct err why = {0};
	char words[96];

	snprintf(words, sizeof(words), "rule %.64s", g->look.denied_by ? g->look.denied_by : "");
	if (actions_carry_out(&g->state, &g->conversation, g->look.actions, words, &why) < 0)
		err_cause(err, "and its rule's action failed: %.200s", why.message);
}
