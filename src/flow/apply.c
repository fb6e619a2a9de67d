/* SPDX-License-Identifier: MIT
 *
 * See apply.h. Before the first byte is written, the decision is recorded and, if exposed code
 * made the changes, the directory is marked. If the directory has changed since the diff was made,
 * nothing is written.
 */
#include "flow/apply.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>

#include "base/digest.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/scope.h"
#include "gate/apply_ask.h"
#include "gate/gate_log.h"
#include "live/direct.h"

#define DIRECT_LOCK "direct.lock"

enum {
	CURE_PATH_MAX = 200, /* a longer path would not fit into the command */
	STAMP_MS = 11,	     /* the clock of file timestamps advances every 10 ms or faster */
};

/* Pending changes belong to the conversation: earlier runs made some of them, and this run may
 * have had answers from the network. They stay exposed even if the user typed this run. */
static bool is_exposed(const struct gate *g)
{
	return g->facts.exposed || g->facts.conversation.exposed_us;
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
	/* The policy alone never writes a path that is run or obeyed outside the box. */
	return named && o == OUTCOME_POLICY ? (asks ? OUTCOME_WAITS : OUTCOME_WITHHELD) : o;
}

/* DIRECTORY is one of --rw; or NULL: the workspace. WHY is the reason why people could not be asked,
 * or NULL. */
static void report_entry(struct gate *g, const char *directory, const struct overlay_entry *e,
			 enum outcome outcome, const char *why)
{
	struct report *r = g->report;
	const char *object = directory ? arena_printf(&r->arena, "%s/%s", directory, e->path)
				       : arena_dup(&r->arena, e->path);
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
	*to = (struct report_effect){.cap = CAP_WRITE, .outcome = outcome, .object = object};
	if (outcome == OUTCOME_WAITS)
		to->waits = r->approval;
	if (t)
		to->by = arena_printf(&r->arena, "%s:%s", ticket_giver_name(t->giver),
				      t->giver == TICKET_POLICY ? t->by : id_hex(&t->id, hex));
	else if (outcome == OUTCOME_TICKET)
		to->by = arena_printf(&r->arena, "apr:%s", r->approval);
	else if (outcome == OUTCOME_POLICY)
		to->by = policy_giver(&g->policy, &given);
	else if (e->rule == OVERLAY_NEVER)
		to->reason = e->note;
	else if (policy_denies(&g->policy, &given))
		to->reason = POLICY_DENIES;
	else
		to->command = gate_command(g, CAP_WRITE, directory, e->path);
	if (why && outcome == OUTCOME_WITHHELD && e->rule != OVERLAY_NEVER)
		to->reason = why;
}

/* Records the decision before the effect. */
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
	jcs_str(&j, "directory", g->facts.workspace_at.path);
	gate_put_effects(g->report, &j);
	jcs_bool(&j, "exposed", is_exposed(g));
	gate_append(&tx, RECORD_APPLY, refs, &j);
	if (g->question.has_approval)
		approval_take(&tx, &g->question.approval, run, now / 1000);
	if (gate_give_grant(g, &tx, err) < 0)
		return -1;
	if (count && is_exposed(g)) {
		if (directory_mark(&g->facts.directories, &g->facts.workspace_at, run, now, err) <
		    0)
			return -1;
		directories_put(&g->facts.directories, &tx);
	} else {
		directories_expect(&g->facts.directories, &tx);
	}
	if (g->facts.conversation.version)
		conversation_expect(&g->facts.conversation, &tx);
	gate_spend_tickets(g, &tx);
	if (store_commit(g->state.store, &tx, err) < 0)
		return -1;
	gate_spent_tickets(g, tx.version);
	return 0;
}

/* Loads the tickets again. A ticket that has ended meanwhile is dropped. */
static int refresh_tickets(struct gate *g, struct err *err)
{
	char hex[ID_HEX];

	for (size_t i = g->facts.ticketc; i-- > 0;) {
		struct ticket *t = &g->facts.ticket[i];
		struct ticket now = {0};
		if (t->giver == TICKET_POLICY)
			continue;
		if (ticket_load(&g->state.keeper, id_hex(&t->id, hex), &now, err) < 0)
			return -1;
		gate_bound_ticket(g, &now);
		now.is_spent = t->is_spent;
		now.holds_for = t->holds_for;
		ticket_done(t);
		*t = now;
		if (!ticket_is_over(t, g->state.keeper.now_us()))
			continue;
		ticket_done(t);
		*t = g->facts.ticket[--g->facts.ticketc];
	}
	return 0;
}

/* If people cannot be asked about this much, the changes stay pending and the report has the
 * reason, which is returned. NULL: ERR is another failure. */
static const char *cannot_ask(struct gate *g, struct err *err)
{
	struct arena *a = &g->report->arena;

	if (err->code != ERR_LIMIT && err->code != ERR_REFUSED)
		return NULL;
	const char *why =
		arena_printf(a, "%s%s%s", err->message, err->cure[0] ? "; " : "", err->cure);
	if (why)
		report_reason(g->report, why);
	*err = (struct err){0};
	return why ? why : err->message;
}

/* Chooses the changes to apply and records that. ERR_CONFLICT: a fact has changed since it was
 * read. */
static int settle(struct gate *g, const struct overlay *o, int workspace,
		  const struct overlay_diff *d, bool *chosen, size_t *ret_count, struct err *err)
{
	AUTO_FREE enum outcome *outcome = calloc(d->count + 1, sizeof(*outcome));
	bool asks = gate_can_ask(g, CAP_WRITE), waits = false;
	const char *why = NULL;
	uint8_t id[DIGEST_BYTES];

	if (!outcome)
		return err_memory(err);
	if (overlay_diff_id(d, id, err) < 0)
		return -1;
	for (size_t i = 0; i < d->count; i++) {
		outcome[i] = decide(g, &d->entry[i], asks);
		waits |= outcome[i] == OUTCOME_WAITS;
	}
	g->question.has_approval = false; /* the run's own is not for its changes */
	int agreed = waits ? apply_ask(g, o, workspace, d, outcome, is_exposed(g), err) : 0;
	if (agreed < 0 && (why = cannot_ask(g, err)) == NULL)
		return -1;
	*ret_count = 0;
	for (size_t i = 0; i < d->count; i++) {
		if (agreed && outcome[i] == OUTCOME_WAITS)
			outcome[i] = why ? OUTCOME_WITHHELD : OUTCOME_TICKET;
		chosen[i] = outcome[i] >= OUTCOME_POLICY;
		*ret_count += chosen[i];
		report_entry(g, NULL, &d->entry[i], outcome[i], why);
	}
	return record(g, id, *ret_count, err);
}

/* Never overwrites the user's own work. */
static int check_moved(struct gate *g, const struct overlay_diff *d, struct err *err)
{
	for (size_t i = 0; i < d->count; i++) {
		if (!d->entry[i].moved)
			continue;
		err_set(err, ERR_CONFLICT,
			"nothing was applied: the directory changed since the program saw it");
		err_cause(err, "%.200s", d->entry[i].path);
		const char *dir = arena_quote(&g->arena, g->facts.workspace_at.path);
		err_cure(err,
			 "cordon diff --conversation %s %s shows the changes; cordon reset drops "
			 "them",
			 g->report->conversation, strlen(dir) <= CURE_PATH_MAX ? dir : "DIR");
		return -1;
	}
	return 0;
}

int apply_mark_again(struct gate *g, const struct directory_place *at, struct err *err)
{
	uint64_t now = g->state.keeper.now_us();
	char run[REF_SIZE];

	snprintf(run, sizeof(run), "run:%s", g->report->run);
	for (int i = 1; is_exposed(g); i++) {
		AUTO_TX struct store_tx tx = {0};
		*err = (struct err){0};
		if (directories_load(&g->state.keeper, &g->facts.directories, err) < 0)
			return -1;
		size_t marks = g->facts.directories.count;
		if (directory_mark(&g->facts.directories, at, run, now, err) < 0)
			return -1;
		if (g->facts.directories.count == marks)
			return 0;
		directories_put(&g->facts.directories, &tx);
		if (store_commit(g->state.store, &tx, err) == 0)
			return 0;
		if (err->code != ERR_CONFLICT || i == GATE_TRIES_MAX)
			return -1;
		gate_pause(i);
	}
	return 0;
}

/* Loads the facts again, because the run may have taken long, and decides by them. */
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
		if (settle(g, o, workspace, &d, chosen, ret_count, err) == 0)
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
	return apply_mark_again(g, &g->facts.workspace_at, err);
}

/* Only one run of a conversation at a time has the directory; the next one waits as long as a run
 * may take. 1: the directory may have been written meanwhile, by the previous run or by an apply
 * that was finished here. */
static int open_overlay(struct gate *g, int dir, const struct directory_place *at,
			struct overlay *ret, struct err *err)
{
	uint64_t until = io_now_ns() + g->req->limit[LIMIT_TIME] * 1000000U;

	for (int i = 1;; i++) {
		*err = (struct err){0};
		if (overlay_open(ret, g->state.dir, g->facts.conversation.id.byte, dir, err) == 0)
			return ret->finished && apply_mark_again(g, at, err) < 0
				       ? -1
				       : ret->finished || i > 1;
		if (err->sys_errno != EWOULDBLOCK)
			return -1;
		if (io_now_ns() > until) {
			err->code = ERR_LIMIT; /* ERR_CONFLICT would make the caller decide again */
			return -1;
		}
		gate_pause(i);
	}
}

int apply_open(struct gate *g, struct blueprint *bp, struct overlay *ret, struct err *err)
{
	if (bp->workspace < 0 || bp->spec.workspace != WORKSPACE_OVERLAY || !g->req->conversation)
		return 0;
	int opened =
		ret->dir < 0 ? open_overlay(g, bp->workspace, &g->facts.workspace_at, ret, err) : 0;
	if (opened < 0)
		return -1;
	/* A write since this run began to read the directory would count as the user's own work.
	 * So the run starts again, after a pause that gives later writes a newer timestamp. */
	if (opened) {
		nanosleep(&(struct timespec){.tv_nsec = STAMP_MS * 1000000L}, NULL);
		return err_set(err, ERR_CONFLICT, "the directory was written to");
	}
	scope_close(&bp->saved);
	bp->saved = overlay_open_tree(ret);
	if (bp->saved < 0 && errno != ENOENT)
		return err_errno(err, ERR_SYSTEM, "opening the conversation's changes");
	/* A plan does not cover these changes, and code that the user typed may run them: decide
	 * again. */
	if (bp->saved >= 0 && is_exposed(g) && (g->req->plan || !g->facts.exposed) &&
	    !g->facts.has_changes)
		return gate_add_changes(g, "the conversation has changed the directory", err);
	bp->spec.saved_path =
		bp->saved < 0 ? NULL : arena_printf(&bp->arena, "%s/%s", g->state.path, ret->tree);
	return bp->arena.failed ? err_memory(err) : 0;
}

int apply_pending(struct gate *g, int workspace, size_t *ret_count, struct err *err)
{
	AUTO_OVERLAY struct overlay o = OVERLAY_CLOSED;

	if (open_overlay(g, workspace, &g->facts.workspace_at, &o, err) < 0)
		return -1;
	return apply(g, &o, workspace, ret_count, err);
}

static const struct directory_place *place_of(const struct gate *g, const struct direct_dir *d)
{
	return d->rw == DIRECT_WORKSPACE ? &g->facts.workspace_at : g->facts.rw_at[d->rw];
}

static int keep_taken(struct gate *g, const struct direct_dir *dir, struct direct_taken *t,
		      struct err *err)
{
	AUTO_OVERLAY struct overlay o = OVERLAY_CLOSED;
	AUTO_DIFF struct overlay_diff d = {0};

	if ((!g->facts.conversation.version &&
	     conversation_begin(&g->state.keeper, &g->facts.conversation, err) < 0) ||
	    open_overlay(g, dir->fd, place_of(g, dir), &o, err) < 0 ||
	    direct_keep(t, dir, g->bp->began, &o, err) < 0) {
		err_context(err,
			    "paths that are run or obeyed outside the box are in %s of the "
			    "directory now",
			    t->name);
		return -1;
	}
	if (overlay_diff(&o, dir->fd, &d, err) < 0)
		return -1;
	for (size_t i = 0; i < d.count; i++)
		if (d.entry[i].after.type != OVERLAY_DIR)
			report_entry(g, dir->rw == DIRECT_WORKSPACE ? NULL : dir->path, &d.entry[i],
				     OUTCOME_WITHHELD, NULL);
	if (!g->req->conversation)
		overlay_close_last(&o, g->state.dir, dir->fd);
	return 0;
}

/* One run at a time collects, or it would collect what another one has moved away and not yet saved. */
static int take_turn(const struct gate *g, struct err *err)
{
	AUTO_CLOSE int turn =
		openat(g->state.dir, DIRECT_LOCK, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	int r = turn;

	while (r >= 0 && (r = flock(turn, LOCK_EX)) < 0 && errno == EINTR)
		r = 0;
	return r < 0 ? err_errno(err, ERR_SYSTEM, "opening " DIRECT_LOCK " of the state directory")
		     : scope_take_fd(&turn);
}

/* New files under a protected name wait, as if the run had an overlay. They are moved out of the
 * directory first, so that a later error does not leave them there. */
static int collect(struct gate *g, const struct direct_dir *dir, struct err *err)
{
	struct direct_taken t = DIRECT_NOTHING;
	struct err later = {0};
	AUTO_CLOSE int turn = take_turn(g, err);
	int r = direct_take(dir, &g->bp->spec, g->bp->began, &t, turn < 0 ? &later : err);

	if (turn < 0)
		r = -1;

	if (t.dir >= 0 && keep_taken(g, dir, &t, r < 0 ? &later : err) < 0)
		r = -1;
	if (apply_mark_again(g, place_of(g, dir), r < 0 ? &later : err) < 0)
		r = -1;
	scope_close(&t.dir);
	return r;
}

int apply_collect(struct gate *g, struct overlay *o, struct err *err)
{
	const struct direct_dirs *all = &g->bp->direct;
	int r = 0;

	/* While one run waited for the directory of another, that one could wait for its workspace. */
	if (all->count && g->req->conversation)
		overlay_close(o);
	for (size_t i = 0; i < all->count; i++) {
		struct err why = {0};
		if (collect(g, &all->at[i], &why) == 0)
			continue;
		if (all->at[i].rw != DIRECT_WORKSPACE)
			err_context(&why, "--rw %.200s", all->at[i].path);
		if (r == 0)
			*err = why;
		r = -1;
	}
	return r;
}

/* Adds the run's changes to the pending changes. */
static int save(struct gate *g, struct overlay *o, const struct result *r, struct err *err)
{
	struct overlay_losses losses;
	uint64_t total = 0;

	if (r->changes_cut)
		return err_set(err, ERR_LIMIT, "too many changes to report: nothing was kept");
	/* Sparse files and hard links take no room in the box, but do in the copy. */
	bool is_over = false;
	for (size_t i = 0; i < r->changec; i++)
		is_over |= __builtin_add_overflow(total, r->changes[i].size, &total);
	if (is_over || total > g->bp->spec.limit[LIMIT_DISK])
		return err_set(err, ERR_LIMIT,
			       "the changes are larger than --disk: nothing was kept");
	if (memory_is_out())
		return err_memory(err);
	if (!g->facts.conversation.version &&
	    conversation_begin(&g->state.keeper, &g->facts.conversation, err) < 0)
		return -1;
	if (o->dir < 0 && open_overlay(g, g->bp->workspace, &g->facts.workspace_at, o, err) < 0)
		return -1;
	return overlay_save(o, r->upper, g->bp->workspace, g->bp->began, &losses, err);
}

/* An approval covers the program with its inputs, and this run has changed them. */
static void explain_changed_inputs(struct report *r)
{
	for (size_t i = 0; i < r->effectc; i++)
		if (r->effect[i].outcome == OUTCOME_WAITS)
			r->effect[i].reason = "its approval is for the inputs of this run, which "
					      "left pending changes: use --wait, or cordon reset "
					      "before it runs again";
}

/* Does a change of the directory wait for a person? */
static bool any_waits(const struct report *r)
{
	for (size_t i = 0; i < r->effectc; i++)
		if (r->effect[i].cap == CAP_WRITE && r->effect[i].outcome == OUTCOME_WAITS)
			return true;
	return false;
}

/* Changes are applied only if the program exited with 0. Otherwise they stay pending. */
static int conclude_overlay(struct gate *g, struct overlay *o, struct result *r, struct err *err)
{
	struct arena *a = &g->report->arena;
	int workspace = g->bp->workspace;
	size_t count;

	if (r->upper >= 0 && r->changec) {
		if (save(g, o, r, err) < 0)
			return -1;
		explain_changed_inputs(g->report);
	}
	if (o->dir < 0)
		return 0;
	if (g->decision.confined.apply && r->status == STATUS_EXITED && r->exit_code == 0)
		return apply(g, o, workspace, &count, err);
	if (r->changec)
		g->report->pending =
			arena_printf(a, "cordon diff --conversation %s %s", g->report->conversation,
				     arena_quote(a, g->facts.workspace_at.path));
	return a->failed ? err_memory(err) : 0;
}

int apply_result(struct gate *g, struct overlay *o, struct result *r, struct err *err)
{
	int done = conclude_overlay(g, o, r, err);
	struct err later = {0};

	return apply_collect(g, o, done < 0 ? &later : err) < 0 ? -1 : done;
}

/* People denied it, or did not answer in time. The run keeps its result, and its changes stay
 * pending. */
static void withhold_changes(struct report *r, const struct err *why)
{
	const char *words = arena_printf(&r->arena, "%s%s%s", why->message,
					 why->cause[0] ? ": " : "", why->cause);

	for (size_t i = 0; i < r->effectc; i++)
		if (r->effect[i].cap == CAP_WRITE && r->effect[i].outcome == OUTCOME_WAITS) {
			r->effect[i].outcome = OUTCOME_WITHHELD;
			r->effect[i].reason = words;
		}
}

/* What was decided about the workspace's changes. The paths of other directories are absolute. */
static void drop_changes(struct report *r, size_t from)
{
	size_t all = r->effectc;

	r->effectc = from;
	for (size_t i = from; i < all; i++)
		if (r->effect[i].object && *r->effect[i].object == '/')
			r->effect[r->effectc++] = r->effect[i];
}

int apply_wait(struct gate *g, struct overlay *o, int workspace, const struct launch_sink *sink,
	       size_t effects, struct err *err)
{
	size_t count;

	for (int i = 0; g->req->wait && any_waits(g->report) && i < GATE_TRIES_MAX; i++) {
		overlay_close(o);
		if (sink->pending)
			sink->pending(sink->ctx, g->report);
		if (gate_wait_for_people(g, err) < 0) {
			if (err->code != ERR_REFUSED)
				return -1;
			withhold_changes(g->report, err);
			return 0;
		}
		drop_changes(g->report, effects);
		if (gate_policy_again(g, err) < 0 || apply_pending(g, workspace, &count, err) < 0)
			return -1;
	}
	return 0;
}
