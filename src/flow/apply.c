/* SPDX-License-Identifier: MIT
 *
 * See apply.h. The decision is recorded, and the directory marked if exposed code changes it, before the
 * first byte is written. Nothing is written if the directory has changed since the diff was made.
 */
#include "flow/apply.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/scope.h"
#include "base/utf8.h"
#include "flow/direct.h"
#include "flow/gate_log_private.h"
#include "store/buf.h"

enum {
	LISTING_MAX = APPROVAL_CODE_MAX,
	CURE_PATH_MAX = 200, /* a longer path would not fit into the command */
};

static const char *change_word(enum overlay_change change)
{
	static const char *const words[] = {"create", "change", "delete", "chmod"};

	return words[change];
}

static void put_state(struct buf *out, const struct overlay_state *s)
{
	static const char *const types[] = {"absent", "file", "directory", "link", "other"};

	buf_printf(out, " %s", types[s->type]);
	if (s->type == OVERLAY_ABSENT)
		return;
	buf_printf(out, " %03o %llu ", s->mode, (unsigned long long)s->size);
	for (size_t i = 0; i < sizeof(s->sha256); i++)
		buf_printf(out, "%02x", s->sha256[i]);
}

/* No name ends its line, and no two names are written alike. */
static void put_name(struct buf *out, const char *name)
{
	size_t len = strlen(name);
	struct utf8_char c;

	for (size_t i = 0; i < len; i += c.len) {
		c = utf8_next(name, len, i);
		if (!c.broken && c.value >= 0x20 && c.value != 0x7f && c.value != '\\')
			buf_add(out, name + i, c.len);
		else
			for (size_t k = i; k < i + c.len; k++)
				buf_printf(out, "\\x%02x", (uint8_t)name[k]);
	}
}

/* What a person signs: each path with type, mode, size and hash before and after. */
static void list_waiting(struct buf *out, const struct overlay_diff *d, const enum outcome *outcome)
{
	for (size_t i = 0; i < d->count; i++) {
		const struct overlay_entry *e = &d->entry[i];
		if (outcome[i] != OUTCOME_WAITS)
			continue;
		buf_printf(out, "%s ", change_word(e->change));
		put_name(out, e->path);
		buf_str(out, ":");
		put_state(out, &e->before);
		buf_str(out, " ->");
		put_state(out, &e->after);
		buf_str(out, "\n");
	}
}

/* The pending changes are the conversation's: of earlier runs, and of this one, which may have had answers
 * of the network. That the user typed this run changes nothing about them. */
static bool is_exposed(const struct gate *g)
{
	return g->exposed || g->conversation.exposed_us;
}

static enum outcome decide(struct gate *g, const struct overlay_entry *e, bool asks)
{
	bool named = e->rule == OVERLAY_NAMED;
	struct ticket *ticket = gate_find_ticket(g, CAP_WRITE, e->path, named);
	struct policy_effect ask = {.cap = CAP_WRITE,
				    .exposed = is_exposed(g),
				    .covered = ticket != NULL,
				    .can_ask = asks};

	if (e->rule == OVERLAY_NEVER)
		return OUTCOME_WITHHELD;
	if (ticket)
		ticket->is_due = true;
	enum outcome o = policy_decide_effect(&g->policy, &ask);
	/* No cell of the table writes what is run or obeyed outside the box. */
	return named && o == OUTCOME_POLICY ? (asks ? OUTCOME_WAITS : OUTCOME_WITHHELD) : o;
}

static void report_entry(struct gate *g, const struct overlay_entry *e, enum outcome outcome)
{
	struct report *r = g->report;
	const struct ticket *t =
		outcome == OUTCOME_TICKET
			? gate_find_ticket(g, CAP_WRITE, e->path, e->rule == OVERLAY_NAMED)
			: NULL;
	struct policy_effect given = {.cap = CAP_WRITE, .exposed = is_exposed(g)};
	char hex[ID_HEX];

	if (r->effectc == REPORT_EFFECTS_MAX) {
		r->effect_more++;
		return;
	}
	struct report_effect *to = &r->effect[r->effectc++];
	*to = (struct report_effect){
		.cap = CAP_WRITE, .outcome = outcome, .object = arena_dup(&r->arena, e->path)};
	if (t)
		to->by = arena_printf(&r->arena, "%s:%s", ticket_giver_name(t->giver),
				      t->giver == TICKET_POLICY ? t->by : id_hex(&t->id, hex));
	else if (outcome == OUTCOME_TICKET)
		to->by = arena_printf(&r->arena, "apr:%s", r->approval);
	else if (outcome == OUTCOME_POLICY)
		to->by = policy_giver(&g->policy, &given);
	else if (e->rule == OVERLAY_NEVER)
		to->reason = e->note;
	else if (outcome == OUTCOME_WAITS)
		to->waits = r->approval;
	else
		to->command = gate_command(g, CAP_WRITE, e->path);
}

static int fill(struct gate *g, const struct buf *listing, struct err *err)
{
	struct approval_request *r = &g->asked;
	struct request wanted;

	request_init(&wanted);
	wanted.lang = "diff";
	wanted.file = g->workspace_at.path;
	wanted.workspace = g->workspace_at.path;
	wanted.workspace_mode = WORKSPACE_OVERLAY;
	wanted.apply = true;
	approval_init(r);
	approval_fill_request(r, &wanted, &g->arena);
	approval_fill_policy(r, &g->policy, &wanted, &g->arena);
	r->origin = is_exposed(g) ? ORIGIN_EXPOSED : ORIGIN_AGENT;
	r->conversation = g->report->conversation;
	digest_of(r->code_sha256, listing->data, listing->len);
	r->code_len = listing->len;
	return g->arena.failed ? err_memory(err) : 0;
}

/* 1: a person has agreed to exactly these changes. */
static int ask(struct gate *g, const struct overlay_diff *d, const enum outcome *outcome,
	       struct err *err)
{
	AUTO_BUF struct buf listing = {.most = LISTING_MAX};
	uint64_t now = g->state.keeper.now_us() / 1000;

	list_waiting(&listing, d, outcome);
	if (listing.failed)
		return err_set(err, ERR_LIMIT,
			       "there are more changes than a person can be asked about");
	if (fill(g, &listing, err) < 0)
		return -1;
	approval_done(&g->approval);
	g->approval = (struct approval){0};
	int found = approval_find(g->state.store, &g->asked, now, &g->approval, err);
	g->has_approval = found == 1;
	if (found == 1)
		memcpy(g->report->approval, g->approval.id, sizeof(g->approval.id));
	if (found)
		return found;
	struct approval_code code = {listing.data, listing.len};
	return approval_park(g->state.store, &g->asked, code, g->policy.approval.wait_ms, now,
			     g->report->approval, err) < 0
		       ? -1
		       : 0;
}

/* The decision before the effect. */
static int record(struct gate *g, const uint8_t id[DIGEST_BYTES], size_t count, struct err *err)
{
	AUTO_TX struct store_tx tx = {0};
	AUTO_FREE struct refs *refs = calloc(1, sizeof(*refs));
	AUTO_JCS struct jcs j = {0};
	uint64_t now = g->state.keeper.now_us();
	char run[REF_SIZE];

	if (!refs)
		return err_memory(err);
	snprintf(run, sizeof(run), "run:%s", g->report->run);
	gate_refs(refs, g);
	gate_add_ref(refs, "apr", g->report->approval);
	jcs_init(&j, RECORD_BODY_MAX);
	jcs_int(&j, "count", (int64_t)count);
	jcs_hex(&j, "diff", id, DIGEST_BYTES);
	jcs_str(&j, "directory", g->workspace_at.path);
	gate_put_effects(g->report, &j);
	jcs_bool(&j, "exposed", is_exposed(g));
	gate_append(&tx, RECORD_APPLY, refs, &j);
	if (g->has_approval)
		approval_take(&tx, &g->approval, run, now / 1000);
	if (count && is_exposed(g)) {
		if (directory_mark(&g->directories, &g->workspace_at, run, now, err) < 0)
			return -1;
		directories_put(&g->directories, &tx);
	} else {
		directories_expect(&g->directories, &tx);
	}
	if (g->conversation.version)
		conversation_expect(&g->conversation, &tx);
	gate_spend_tickets(g, &tx);
	if (store_commit(g->state.store, &tx, err) < 0)
		return -1;
	gate_spent_tickets(g, tx.version);
	return 0;
}

/* As they are now: one that is over meanwhile gives nothing any more. */
static int refresh_tickets(struct gate *g, struct err *err)
{
	char hex[ID_HEX];

	for (size_t i = g->ticketc; i-- > 0;) {
		struct ticket *t = &g->ticket[i];
		struct ticket now = {0};
		if (t->giver == TICKET_POLICY)
			continue;
		if (ticket_load(&g->state.keeper, id_hex(&t->id, hex), &now, err) < 0)
			return -1;
		now.is_spent = t->is_spent;
		ticket_done(t);
		*t = now;
		if (!ticket_is_over(t, g->state.keeper.now_us()))
			continue;
		ticket_done(t);
		*t = g->ticket[--g->ticketc];
	}
	return 0;
}

/* What is applied, and that it is on record. ERR_CONFLICT: a fact has changed since it was read. */
static int settle(struct gate *g, const struct overlay_diff *d, bool *chosen, size_t *ret_count,
		  struct err *err)
{
	AUTO_FREE enum outcome *outcome = calloc(d->count + 1, sizeof(*outcome));
	bool asks = gate_can_ask(g), waits = false;
	uint8_t id[DIGEST_BYTES];

	if (!outcome)
		return err_memory(err);
	if (overlay_diff_id(d, id, err) < 0)
		return -1;
	for (size_t i = 0; i < d->count; i++) {
		outcome[i] = decide(g, &d->entry[i], asks);
		waits |= outcome[i] == OUTCOME_WAITS;
	}
	int agreed = waits ? ask(g, d, outcome, err) : 0;
	if (agreed < 0)
		return -1;
	*ret_count = 0;
	for (size_t i = 0; i < d->count; i++) {
		if (agreed && outcome[i] == OUTCOME_WAITS)
			outcome[i] = OUTCOME_TICKET;
		chosen[i] = outcome[i] >= OUTCOME_POLICY;
		*ret_count += chosen[i];
		report_entry(g, &d->entry[i], outcome[i]);
	}
	return record(g, id, *ret_count, err);
}

/* The user's own work is never overwritten. */
static int check_moved(struct gate *g, const struct overlay_diff *d, struct err *err)
{
	for (size_t i = 0; i < d->count; i++) {
		if (!d->entry[i].moved)
			continue;
		err_set(err, ERR_CONFLICT,
			"nothing was applied: the directory changed since the program saw it");
		err_cause(err, "%.200s", d->entry[i].path);
		const char *dir = arena_quote(&g->arena, g->workspace_at.path);
		err_cure(err,
			 "cordon diff --conversation %s %s shows the changes; cordon reset drops "
			 "them",
			 g->report->conversation, strlen(dir) <= CURE_PATH_MAX ? dir : "DIR");
		return -1;
	}
	return 0;
}

int apply_mark_again(struct gate *g, struct err *err)
{
	uint64_t now = g->state.keeper.now_us();
	char run[REF_SIZE];

	snprintf(run, sizeof(run), "run:%s", g->report->run);
	for (int i = 1; is_exposed(g); i++) {
		AUTO_TX struct store_tx tx = {0};
		*err = (struct err){0};
		if (directories_load(&g->state.keeper, &g->directories, err) < 0)
			return -1;
		size_t marks = g->directories.count;
		if (directory_mark(&g->directories, &g->workspace_at, run, now, err) < 0)
			return -1;
		if (g->directories.count == marks)
			return 0;
		directories_put(&g->directories, &tx);
		if (store_commit(g->state.store, &tx, err) == 0)
			return 0;
		if (err->code != ERR_CONFLICT || i == GATE_TRIES_MAX)
			return -1;
		gate_pause(i);
	}
	return 0;
}

/* Decided by the facts of this moment: the run may have taken long. */
static int apply(struct gate *g, struct overlay *o, int workspace, size_t *ret_count,
		 struct err *err)
{
	AUTO_DIFF struct overlay_diff d = {0};
	size_t effects = g->report->effectc;

	*ret_count = 0;
	if (overlay_diff(o, workspace, &d, err) < 0 || check_moved(g, &d, err) < 0)
		return -1;
	AUTO_FREE bool *chosen = calloc(d.count + 1, sizeof(*chosen));
	if (!chosen)
		return err_memory(err);
	for (int i = 1;; i++) {
		*err = (struct err){0};
		if (gate_facts_again(g, err) < 0 || refresh_tickets(g, err) < 0)
			return -1;
		if (!d.count)
			return 0;
		g->report->effectc = effects;
		g->report->effect_more = 0;
		if (settle(g, &d, chosen, ret_count, err) == 0)
			break;
		if (err->code != ERR_CONFLICT || i == GATE_TRIES_MAX)
			return -1;
		gate_pause(i);
	}
	if (!*ret_count)
		return 0;
	if (overlay_apply(o, workspace, &d, chosen, err) < 0)
		return -1;
	for (size_t i = effects; i < g->report->effectc; i++)
		g->report->effect[i].done = g->report->effect[i].outcome >= OUTCOME_POLICY;
	return apply_mark_again(g, err);
}

/* One run at a time: the next one waits for as long as a run may take. */
static int open_overlay(struct gate *g, int workspace, struct overlay *ret, struct err *err)
{
	uint64_t until = io_now_ns() + g->req->limit[LIMIT_TIME] * 1000000U;

	for (int i = 1;; i++) {
		*err = (struct err){0};
		if (overlay_open(ret, g->state.dir, g->conversation.id.byte, workspace, err) == 0)
			return ret->finished ? apply_mark_again(g, err) : 0;
		if (err->sys_errno != EWOULDBLOCK)
			return -1;
		if (io_now_ns() > until) {
			err->code = ERR_LIMIT; /* and not something to be decided again */
			return -1;
		}
		gate_pause(i);
	}
}

int apply_open(struct gate *g, struct blueprint *bp, struct overlay *ret, struct err *err)
{
	if (bp->workspace < 0 || bp->spec.workspace != WORKSPACE_OVERLAY || !g->req->conversation)
		return 0;
	if (ret->dir < 0 && open_overlay(g, bp->workspace, ret, err) < 0)
		return -1;
	scope_close(&bp->saved);
	bp->saved = overlay_open_tree(ret);
	if (bp->saved < 0 && errno != ENOENT)
		return err_errno(err, ERR_SYSTEM, "opening the conversation's changes");
	/* A plan was made for the directory without them, and what the user typed may run them: it is
	 * decided again. */
	if (bp->saved >= 0 && is_exposed(g) && (g->req->plan || !g->exposed) && !g->has_changes) {
		g->has_changes = true;
		return err_set(err, ERR_CONFLICT, "the conversation has changed the directory");
	}
	bp->spec.saved_path =
		bp->saved < 0 ? NULL : arena_printf(&bp->arena, "%s/%s", g->state.path, ret->tree);
	return bp->arena.failed ? err_memory(err) : 0;
}

int apply_pending(struct gate *g, int workspace, size_t *ret_count, struct err *err)
{
	AUTO_OVERLAY struct overlay o = OVERLAY_CLOSED;

	if (open_overlay(g, workspace, &o, err) < 0)
		return -1;
	return apply(g, &o, workspace, ret_count, err);
}

static int keep_taken(struct gate *g, struct overlay *o, int workspace, struct direct_taken *t,
		      struct err *err)
{
	AUTO_DIFF struct overlay_diff d = {0};

	if ((!g->conversation.version &&
	     conversation_begin(&g->state.keeper, &g->conversation, err) < 0) ||
	    (o->dir < 0 && open_overlay(g, workspace, o, err) < 0) ||
	    direct_keep(t, workspace, g->bp->began, o, err) < 0) {
		err_context(err,
			    "paths that are run or obeyed outside the box are in %s of the "
			    "directory now",
			    t->name);
		return -1;
	}
	if (overlay_diff(o, workspace, &d, err) < 0)
		return -1;
	for (size_t i = 0; i < d.count; i++)
		if (d.entry[i].after.type != OVERLAY_DIR)
			report_entry(g, &d.entry[i], OUTCOME_WITHHELD);
	return 0;
}

/* What appeared under a protected name waits, as if the run had an overlay. It is taken away first, whatever
 * fails then. */
static int collect_direct(struct gate *g, struct overlay *o, int workspace, struct err *err)
{
	struct direct_taken t = DIRECT_NOTHING;
	struct err later = {0};
	int r = direct_take(workspace, &g->bp->spec, g->bp->began, &t, err);

	if (t.dir >= 0 && keep_taken(g, o, workspace, &t, r < 0 ? &later : err) < 0)
		r = -1;
	if (apply_mark_again(g, r < 0 ? &later : err) < 0)
		r = -1;
	scope_close(&t.dir);
	return r;
}

/* Adds what the run changed to the pending changes. */
static int save(struct gate *g, struct overlay *o, const struct result *r, struct err *err)
{
	struct overlay_losses losses;
	uint64_t total = 0;

	if (r->changes_cut)
		return err_set(err, ERR_LIMIT, "not all changes could be told: nothing was kept");
	/* Holes and hard links took no room in the box; here they would. */
	bool is_over = false;
	for (size_t i = 0; i < r->changec; i++)
		is_over |= __builtin_add_overflow(total, r->changes[i].size, &total);
	if (is_over || total > g->bp->spec.limit[LIMIT_DISK])
		return err_set(err, ERR_LIMIT,
			       "the changes are larger than --disk: nothing was kept");
	if (memory_is_out())
		return err_memory(err);
	if (!g->conversation.version &&
	    conversation_begin(&g->state.keeper, &g->conversation, err) < 0)
		return -1;
	if (o->dir < 0 && open_overlay(g, g->bp->workspace, o, err) < 0)
		return -1;
	return overlay_save(o, r->upper, g->bp->workspace, g->bp->began, &losses, err);
}

/* An approval is for the program with its inputs, and this run has changed them. */
static void tell_changed(struct report *r)
{
	for (size_t i = 0; i < r->effectc; i++)
		if (r->effect[i].outcome == OUTCOME_WAITS)
			r->effect[i].reason = "its approval is for the inputs of this run, which "
					      "left pending changes: use --wait, or cordon reset "
					      "before it runs again";
}

/* Only a run that ended by itself with 0 is applied; what others changed is kept and waits. */
int apply_result(struct gate *g, struct overlay *o, struct result *r, struct err *err)
{
	struct arena *a = &g->report->arena;
	int workspace = g->bp->workspace;
	size_t count;

	if (workspace >= 0 && g->confined.workspace_mode == WORKSPACE_RW)
		return collect_direct(g, o, workspace, err);
	if (r->upper >= 0 && r->changec) {
		if (save(g, o, r, err) < 0)
			return -1;
		tell_changed(g->report);
	}
	if (o->dir < 0)
		return 0;
	if (g->confined.apply && r->status == STATUS_EXITED && r->exit_code == 0)
		return apply(g, o, workspace, &count, err);
	if (r->changec)
		g->report->pending =
			arena_printf(a, "cordon diff --conversation %s %s", g->report->conversation,
				     arena_quote(a, g->workspace_at.path));
	return a->failed ? err_memory(err) : 0;
}
