/* SPDX-License-Identifier: MIT
 *
 * The word "audit". What was asked, found and decided is one transaction with what it uses up (a
 * plan's run, a person's word) and with the domain as it was decided on: if anything of that has
 * changed meanwhile, nothing is written and nothing runs. Names of members come in the order of
 * their letters: see store/jcs.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "flow/gate.h"
#include "store/in_force.h"

enum { REF_SIZE = 64 };

/* The names under which the records of a run are found again. */
struct refs {
	size_t count;
	const char *name[GATE_REFS_MAX + 4];
	char text[GATE_REFS_MAX + 4][REF_SIZE];
};

static void add_ref(struct refs *r, const char *sort, const char *id)
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

/* First the sources that it ties to, then the newest that were read before it. */
static void add_sources(struct refs *r, const struct gate *g)
{
	char hex[ID_HEX];

	for (size_t i = 0; i < g->report->tiec; i++)
		add_ref(r, "src", g->report->tie[i].source);
	for (size_t i = 0; g->has_code && i < g->code.count; i++)
		add_ref(r, "src", id_hex(&g->code.source[i], hex));
	for (size_t i = 0; g->programc && i < g->programs.count; i++)
		add_ref(r, "src", id_hex(&g->programs.source[i], hex));
	for (size_t i = 0; g->has_inputs && i < g->inputs.count; i++)
		add_ref(r, "src", id_hex(&g->inputs.source[i], hex));
	for (size_t i = g->sources.count; i-- > 0;)
		add_ref(r, "src", id_hex(&g->sources.id[i], hex));
}

static void begin_refs(struct refs *r, const struct gate *g)
{
	char hex[ID_HEX];

	r->count = 0;
	add_ref(r, "run", g->report->run);
	if (g->report->domain)
		add_ref(r, "dom", id_hex(&g->domain.id, hex));
}

static void append(struct store_tx *tx, enum record_kind kind, const struct refs *refs,
		   struct jcs *j)
{
	struct err err;

	if (jcs_finish(j, &err) < 0)
		tx->failed = err;
	else
		store_append(tx, kind, refs->name, refs->count, j);
	jcs_done(j);
	jcs_init(j, RECORD_BODY_MAX);
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
		jcs_str(j, "tie", t->tie);
		jcs_int(j, "to", (int64_t)t->code_to);
		jcs_end(j);
	}
	jcs_end(j);
}

/* Who let it run, if somebody was asked. */
static void put_voices(const struct gate *g, struct jcs *j)
{
	if (!g->has_approval)
		return;
	jcs_list(j, "approved_by");
	for (size_t i = 0; i < g->approval.voicec; i++)
		jcs_str(j, NULL, g->approval.voice[i]);
	jcs_end(j);
}

/* WHY: what stopped it; or NULL. What was stopped before it was decided on is denied, and has
 * neither an origin nor a row. */
static void put_verdict(struct gate *g, const struct err *why, struct jcs *j)
{
	const struct report *r = g->report;

	if (r->approval[0])
		jcs_str(j, "approval", r->approval);
	put_voices(g, j);
	jcs_hex(j, "code_sha256", g->bp->payload.sha256, sizeof(g->bp->payload.sha256));
	if (r->has_verdict && r->origin != g->decision.origin)
		jcs_str(j, "decided_as", origin_name(g->decision.origin));
	if (why)
		jcs_str(j, "error", why->message);
	put_evidence(r, j);
	jcs_str(j, "grade", grade_name(r->has_verdict ? r->grade : g->look.grade));
	put_caps(j, "granted", r->has_verdict ? r->granted : 0);
	if (r->has_verdict)
		jcs_str(j, "origin", origin_name(r->origin));
	jcs_hex(j, "pack", g->pack_key, sizeof(g->pack_key));
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

/* What was asked, found and decided; and WHY it does not run. */
static void tell_decision(struct gate *g, const struct err *why, struct refs *refs,
			  struct store_tx *tx)
{
	AUTO_JCS struct jcs j = {0};

	begin_refs(refs, g);
	tell_policy(g, refs, tx);
	jcs_init(&j, RECORD_BODY_MAX);
	put_request(g, &j);
	append(tx, RECORD_REQUEST, refs, &j);
	if (g->has_look) {
		put_scan(g, &j);
		append(tx, RECORD_SCAN, refs, &j);
	}
	add_ref(refs, "apr", g->report->approval);
	add_sources(refs, g);
	put_verdict(g, why, &j);
	append(tx, RECORD_VERDICT, refs, &j);
}

/* Only the policy can be another one meanwhile. */
int gate_log_refusal(struct gate *g, const struct err *why, struct err *err)
{
	AUTO_FREE struct refs *refs = calloc(1, sizeof(*refs));
	int r = -1;

	if (!refs)
		return err_set(err, ERR_SYSTEM, "out of memory");
	for (int i = 0; r < 0 && i < GATE_TRIES_MAX; i++) {
		AUTO_TX struct store_tx tx = {0};
		tell_decision(g, why, refs, &tx);
		r = store_commit(g->state.store, &tx, err);
		if (r < 0 && err->code != ERR_CONFLICT)
			break;
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
	if (gate_mark_files(g, &files, tx, err) < 0)
		return -1;
	/* What it prints is read in this domain from its first byte on. */
	if (label.integrity < g->domain.floor.integrity)
		domain_read(&g->state.keeper, &g->domain, &label, FROM_RUN_OUTPUT, tx);
	else
		domain_expect(&g->domain, tx);
	return 0;
}

int gate_log_start(struct gate *g, struct err *err)
{
	AUTO_TX struct store_tx tx = {0};
	AUTO_FREE struct refs *refs = calloc(1, sizeof(*refs));
	AUTO_JCS struct jcs j = {0};

	if (!refs)
		return err_set(err, ERR_SYSTEM, "out of memory");
	tell_decision(g, NULL, refs, &tx);
	jcs_init(&j, RECORD_BODY_MAX);
	put_start(g, &j);
	append(&tx, RECORD_START, refs, &j);
	if (take_rights(g, &tx, err) < 0)
		return -1;
	return store_commit(g->state.store, &tx, err);
}

static void put_denials(const struct result *r, struct jcs *j)
{
	jcs_bool(j, "cut", r->wire.denials_cut);
	jcs_list(j, "denials");
	for (size_t i = 0; i < r->denialc; i++) {
		const struct wire_denial *d = &r->denials[i];
		jcs_object(j, NULL);
		jcs_text(j, "call", d->call, strnlen(d->call, sizeof(d->call)));
		jcs_int(j, "count", (int64_t)d->count);
		jcs_text(j, "rule", d->rule, strnlen(d->rule, sizeof(d->rule)));
		jcs_text(j, "target", d->target, strnlen(d->target, sizeof(d->target)));
		jcs_end(j);
	}
	jcs_end(j);
}

/* The hash is of all that came, also of what was not kept. */
static void put_stream(const struct capture *c, const char *bytes, const char *sha, struct jcs *j)
{
	uint8_t sha256[32];

	jcs_int(j, bytes, (int64_t)c->total);
	if (capture_sha256(c, sha256))
		jcs_hex(j, sha, sha256, sizeof(sha256));
}

static void put_result(const struct gate *g, const struct result *r, struct jcs *j)
{
	const struct payload *p = &g->bp->payload;

	jcs_int(j, "changes", (int64_t)r->changec);
	/* A program that was changed meanwhile may have run as something else. */
	if (!p->is_program || payload_is_same(p->fd, &p->from))
		jcs_hex(j, "code_sha256", p->sha256, sizeof(p->sha256));
	jcs_bool(j, "committed", r->committed);
	jcs_int(j, "cpu_ms", (int64_t)r->wire.cpu_ms);
	if (r->err.code)
		jcs_str(j, "error", r->err.message);
	jcs_int(j, "exit_code", r->exit_code);
	jcs_list(j, "layers");
	for (int l = 0; l < LAYER_COUNT; l++)
		if (r->wire.layers & LAYER_BIT(l))
			jcs_str(j, NULL, layer_row((enum layer)l)->name);
	jcs_end(j);
	jcs_int(j, "memory_peak", (int64_t)r->wire.memory_peak);
	jcs_int(j, "signal", r->signal);
	jcs_str(j, "status", status_name(r->status));
	put_stream(&r->out[1], "stderr_bytes", "stderr_sha256", j);
	put_stream(&r->out[0], "stdout_bytes", "stdout_sha256", j);
	jcs_int(j, "wall_ms", (int64_t)r->wire.wall_ms);
}

/* Words that the code had are no news when it prints them, and who reads them has learned nothing.
 * But for code that is itself somebody else's: to print it is to tell it. */
static size_t own_words(const struct gate *g)
{
	bool is_own = g->standing > ORIGIN_DERIVED && !g->has_code && !g->is_marked;

	return is_own ? g->look.ownc : 0;
}

/* What it printed, for whoever builds on it later. Only in a conversation that somebody names: the
 * shared domain is exposed anyway, and would fill up. */
static int ingest_output(struct gate *g, const struct result *r, int stream,
			 const struct label *label, struct err *err)
{
	static const char *const names[] = {"stdout", "stderr"};
	size_t len = 0, gap;
	AUTO_FREE char *all = capture_join(&r->out[stream], &len, &gap);
	char name[REF_SIZE], run[REF_SIZE];
	const char *refs[] = {run};
	struct source_released released;

	if (!all || len < INDEX_PIECE_MIN || !g->has_domain)
		return 0;
	snprintf(run, sizeof(run), "run:%s", g->report->run);
	snprintf(name, sizeof(name), "%s of run:%.16s", names[stream], g->report->run);
	struct origin_text text = {.data = all, .len = len};
	struct source_in in = {.kind = FROM_RUN_OUTPUT,
			       .name = name,
			       .name_len = strlen(name),
			       .text = &text,
			       .count = 1,
			       .own = g->look.text,
			       .ownc = own_words(g),
			       .label = *label,
			       .vouched = true,
			       .refs = refs,
			       .refc = 1};
	return source_commit(&g->state.keeper, &g->domain, &in, &released, err);
}

static void tell_result(const struct gate *g, const struct result *r, const struct refs *refs,
			struct store_tx *tx)
{
	AUTO_JCS struct jcs j = {0};

	jcs_init(&j, RECORD_BODY_MAX);
	if (r->denialc) {
		put_denials(r, &j);
		append(tx, RECORD_DENIAL, refs, &j);
	}
	put_result(g, r, &j);
	append(tx, RECORD_RESULT, refs, &j);
}

/* The floor went down when it started; the user may have begun anew meanwhile, and then it has ended
 * in an epoch that knows nothing of it. However little it has told: it is told there. */
static int lower_floor(struct gate *g, const struct label *label, struct store_tx *tx,
		       struct err *err)
{
	struct id id = g->domain.id;

	if (!g->has_domain)
		return 0; /* the shared one has no epochs */
	if (domain_load(&g->state.keeper, &id, &g->domain, err) < 0)
		return -1;
	if (label->integrity < g->domain.floor.integrity)
		domain_read(&g->state.keeper, &g->domain, label, FROM_RUN_OUTPUT, tx);
	return 0;
}

int gate_log_result(struct gate *g, const struct result *r, struct err *err)
{
	AUTO_FREE struct refs *refs = calloc(1, sizeof(*refs));
	struct label label = gate_label_of_output(g), files = gate_label_of_files(g);
	int done = -1;

	if (!refs)
		return err_set(err, ERR_SYSTEM, "out of memory");
	begin_refs(refs, g);
	for (int i = 0; done < 0 && i < GATE_TRIES_MAX; i++) {
		AUTO_TX struct store_tx tx = {0};
		tell_result(g, r, refs, &tx);
		if (lower_floor(g, &label, &tx, err) < 0)
			return -1;
		done = store_commit(g->state.store, &tx, err);
		if (done < 0 && err->code != ERR_CONFLICT)
			return -1;
	}
	if (done < 0 || gate_label_files(g, r, &files, err) < 0)
		return -1;
	return ingest_output(g, r, 0, &label, err) < 0 ? -1 : ingest_output(g, r, 1, &label, err);
}
