/* SPDX-License-Identifier: MIT
 *
 * The facts of a decision: is the run exposed, and which tickets hold for it? A run is exposed when its
 * conversation is, or when it is given something of an untrusted directory. The descriptor says where a
 * thing is, and not the name that was given.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/above.h"
#include "base/digest.h"
#include "base/scope.h"
#include "flow/gate.h"
#include "flow/workspace.h"

static int check_ended(const struct gate *g, struct err *err)
{
	if (!g->conversation.ended_us)
		return 0;
	err_set(err, ERR_REFUSED, "this conversation has ended");
	err_cause(err, "%s", g->conversation.end);
	err_cure(err, "cordon conversation new");
	return -1;
}

/* A run without a conversation is one of its own. Clean must be proven: nothing is known of its code,
 * unless the user typed it. */
static int find_conversation(struct gate *g, struct err *err)
{
	struct conversation *c = &g->conversation;
	uint64_t now = g->state.keeper.now_us();

	if (c->version) {
		if (conversation_load(&g->state.keeper, &c->id, c, err) < 0)
			return -1;
	} else if (g->req->conversation) {
		if (conversation_find(&g->state.keeper, g->req->conversation, c, err) < 0)
			return -1;
	} else if (!c->begun_us) {
		conversation_init(c, g->state.principal, "", now);
		if (!g->req->is_users)
			conversation_expose(c, "the run names no conversation", now);
	}
	id_hex(&c->id, g->report->conversation);
	/* gate_log_start exposes the conversation too, with its record. */
	g->exposed = g->req->is_exposed || (c->exposed_us && (!g->req->is_users || g->has_changes));
	g->cause = !g->exposed				? NULL
		   : !c->exposed_us			? "the host says so"
		   : g->req->is_users && g->has_changes ? "pending changes of exposed code"
							: c->cause;
	return 0;
}

static void judge_place(struct gate *g, const struct directory_place *at)
{
	struct directory_answer a = directory_judge(&g->directories, at);

	if (a.trusted)
		return;
	g->given_is_trusted = false;
	if (!g->cause)
		g->cause = arena_printf(&g->arena, "directory %.*s %s", DIRECTORY_CAUSE_MAX,
					at->path, directory_why_words(a.why));
	g->exposed = true;
}

/* FD is something that the run is given; NAME is what it was called. */
static int judge(struct gate *g, int fd, const char *name, struct directory_place *at,
		 struct err *err)
{
	if (directory_find(fd, name, at, err) < 0)
		return -1;
	g->given_at[g->given_count++] = at;
	judge_place(g, at);
	return 0;
}

/* What is not there is explained by the code that shows it to the box. */
static int judge_path(struct gate *g, const char *path, struct stat *ret, struct err *err)
{
	struct directory_place *at = arena_alloc(&g->arena, sizeof(*at));
	AUTO_CLOSE int fd = open(path, O_PATH | O_CLOEXEC);

	if (g->arena.failed)
		return err_memory(err);
	if (fd < 0)
		return 0;
	if (fstat(fd, ret) < 0)
		return err_errno(err, ERR_INPUT, "%s", path);
	return judge(g, fd, path, at, err);
}

/* An interpreter outside the system brings its own library: two directories above it. */
static int judge_library(struct gate *g, struct err *err)
{
	char link[PATH_MAX], real[PATH_MAX];
	struct stat ignored;

	if (!g->req->venv || !g->bp || !g->bp->profile->venv)
		return 0;
	snprintf(link, sizeof(link), "%s/%s", g->req->venv, g->bp->profile->venv);
	if (!realpath(link, real) || strncmp(real, "/usr/", 5) == 0)
		return 0;
	for (int up = 0; up < 2; up++) {
		char *slash = strrchr(real, '/');
		if (slash > real)
			*slash = '\0';
	}
	return judge_path(g, real, &ignored, err);
}

static int judge_workspace(struct gate *g, struct err *err)
{
	const char *path = g->req->workspace;

	if (!path)
		return 0;
	AUTO_CLOSE int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		err_errno(err, ERR_INPUT, "%s", path);
		workspace_explain(path, err);
		return -1;
	}
	if (fstat(fd, &g->workspace) < 0)
		return err_errno(err, ERR_INPUT, "%s", path);
	return judge(g, fd, path, &g->workspace_at, err);
}

/* What is named counts as its directory. The code, and input that is no file with a name (a pipe, a memory
 * file), are the conversation's. */
static int judge_given(struct gate *g, struct err *err)
{
	const struct request *r = g->req;
	bool names_input = g->bp && g->bp->input_file >= 0;
	bool is_piped = (r->input || r->stdin_file) && !names_input;
	struct directory_place *input = names_input ? arena_alloc(&g->arena, sizeof(*input)) : NULL;

	if (g->arena.failed)
		return err_memory(err);
	g->given_is_trusted = true;
	g->given_count = 0;
	if (directories_load(&g->state.keeper, &g->directories, err) < 0 ||
	    judge_workspace(g, err) < 0 || (r->venv && judge_path(g, r->venv, &g->venv, err) < 0) ||
	    judge_library(g, err) < 0 ||
	    (names_input && judge(g, g->bp->input_file, r->stdin_file, input, err) < 0))
		return -1;
	for (size_t i = 0; i < r->execc; i++)
		if (judge_path(g, r->exec[i], &g->exec[i], err) < 0)
			return -1;
	if (is_piped && g->exposed)
		g->given_is_trusted = false;
	return 0;
}

static void hash_text(struct digest *d, const char *text)
{
	size_t len = text ? strlen(text) + 1 : 0;

	digest_add(d, &len, sizeof(len));
	digest_add(d, text ? text : "", len);
}

/* A file that was replaced or written to has another of these. */
static void hash_file(struct digest *d, const char *path, const struct stat *st)
{
	const uint64_t identity[] = {st->st_ino,
				     (uint64_t)st->st_size,
				     (uint64_t)st->st_mtim.tv_sec,
				     (uint64_t)st->st_mtim.tv_nsec,
				     (uint64_t)st->st_ctim.tv_sec,
				     (uint64_t)st->st_ctim.tv_nsec};

	hash_text(d, path);
	digest_add(d, identity, sizeof(identity));
}

/* All that a plan fixes: code, arguments, environment, programs and the directory. */
static void hash_program(struct gate *g)
{
	const struct request *r = g->req;
	const struct payload *p = &g->bp->payload;
	struct digest d;

	digest_init(&d);
	hash_text(&d, g->bp->profile->name);
	hash_text(&d, p->suffix);
	digest_add(&d, p->sha256, sizeof(p->sha256));
	digest_add(&d, &r->argc, sizeof(r->argc));
	for (size_t i = 0; i < r->argc; i++)
		hash_text(&d, r->argv[i]);
	digest_add(&d, &r->envc, sizeof(r->envc));
	for (size_t i = 0; i < r->envc; i++)
		hash_text(&d, r->env[i]);
	for (size_t i = 0; i < r->execc; i++)
		hash_file(&d, r->exec[i], &g->exec[i]);
	hash_text(&d, r->venv);
	hash_text(&d, r->workspace ? g->workspace_at.path : NULL);
	if (r->workspace)
		digest_add(&d, &g->workspace_at.identity[0], sizeof(g->workspace_at.identity[0]));
	digest_end(&d, g->program);
}

static struct ticket_use use_of(const struct gate *g)
{
	return (struct ticket_use){.conversation = &g->conversation.id,
				   .directory = g->req->workspace ? &g->workspace_at : NULL,
				   .given_is_trusted = g->given_is_trusted && !g->has_changes,
				   .program = g->program,
				   .now_us = g->state.keeper.now_us()};
}

static void keep_ticket(struct gate *g, struct ticket *t)
{
	if (g->ticketc == GATE_TICKETS_MAX)
		return;
	g->ticket[g->ticketc++] = *t;
	*t = (struct ticket){0};
}

/* A plan counts when it is named; a grant counts by itself. */
static int take_ticket(void *context, struct ticket *t, struct err *err)
{
	struct gate *g = context;
	struct ticket_use use = use_of(g);

	(void)err;
	if (t->giver != TICKET_PLAN && ticket_check(t, &use) == TICKET_GOOD)
		keep_ticket(g, t);
	return 0;
}

static int take_plan(struct gate *g, struct err *err)
{
	AUTO_TICKET struct ticket t = {0};
	struct ticket_use use = use_of(g);

	if (!g->req->plan)
		return 0;
	if (ticket_load(&g->state.keeper, g->req->plan, &t, err) < 0)
		return -1;
	enum ticket_answer answer = ticket_check(&t, &use);
	t.is_due = true; /* a plan is for its program, whatever that does */
	if (answer == TICKET_GOOD)
		keep_ticket(g, &t);
	g->plan_words = answer == TICKET_GOOD ? NULL : ticket_answer_words(answer);
	return 0;
}

static void fill_list(struct ticket *t, enum cap cap, const struct policy_list *from)
{
	for (size_t i = 0; i < from->count && i < TICKET_LIST_MAX; i++)
		t->list[cap][t->count[cap]++] = from->text[i];
}

/* Lines of the policy, for the directory that the run is given. */
static void take_policy(struct gate *g)
{
	for (size_t i = 0; g->req->workspace && i < g->policy.grantc; i++) {
		const struct policy_grant *from = &g->policy.grant[i];
		struct ticket t = {.giver = TICKET_POLICY,
				   .by = g->policy.file,
				   .sent_max = TICKET_SENT_DEFAULT,
				   .to_us = UINT64_MAX};
		if (strcmp(from->directory, g->workspace_at.path) != 0)
			continue;
		fill_list(&t, CAP_WRITE, &from->write);
		fill_list(&t, CAP_NET, &from->net);
		fill_list(&t, CAP_SECRET, &from->secret);
		keep_ticket(g, &t);
	}
}

static int find_tickets(struct gate *g, struct err *err)
{
	for (size_t i = 0; i < g->ticketc; i++)
		ticket_done(&g->ticket[i]);
	g->ticketc = 0;
	if (g->bp) /* else there is no program */
		hash_program(g);
	if (take_plan(g, err) < 0)
		return -1;
	take_policy(g);
	return ticket_each(&g->state.keeper, g->state.keeper.now_us(), take_ticket, g, err);
}

static void report_state(struct gate *g)
{
	g->report->exposed = g->exposed;
	g->report->cause = g->cause ? arena_dup(&g->report->arena, g->cause) : NULL;
}

int gate_facts(struct gate *g, const struct blueprint *bp, struct err *err)
{
	g->bp = bp;
	g->report->reasonc = 0;
	if (find_conversation(g, err) < 0 || (bp && check_ended(g, err) < 0) ||
	    judge_given(g, err) < 0 || find_tickets(g, err) < 0)
		return -1;
	report_state(g);
	return source_set_load(&g->state.keeper, &g->conversation, &g->sources, err);
}

static int judge_again(struct gate *g, struct err *err)
{
	bool exposed = g->exposed;
	const char *cause = g->cause;

	if (find_conversation(g, err) < 0 ||
	    directories_load(&g->state.keeper, &g->directories, err) < 0)
		return -1;
	for (size_t i = 0; i < g->given_count; i++)
		judge_place(g, g->given_at[i]);
	if (exposed) {
		g->exposed = true;
		g->cause = cause;
	}
	return 0;
}

int gate_facts_again(struct gate *g, struct err *err)
{
	return judge_again(g, err) < 0 ? -1 : check_ended(g, err);
}

int gate_expose_late(struct gate *g, struct err *err)
{
	struct conversation *c = &g->conversation;

	for (int i = 1; g->given_count && !(g->exposed && c->exposed_us); i++) {
		AUTO_TX struct store_tx tx = {0};
		if (judge_again(g, err) < 0)
			return -1;
		report_state(g);
		if (!g->exposed || c->exposed_us)
			return 0;
		conversation_expose(c, g->cause, g->state.keeper.now_us());
		conversation_record(c, "exposed", &tx);
		conversation_put(c, &tx);
		if (store_commit(g->state.store, &tx, err) == 0) {
			c->version = tx.version;
			return 0;
		}
		c->exposed_us = 0;
		if (err->code != ERR_CONFLICT || i == GATE_TRIES_MAX)
			return -1;
		gate_pause(i);
	}
	return 0;
}

struct ticket *gate_find_ticket(struct gate *g, enum cap cap, const char *object,
				bool self_executing)
{
	for (size_t i = 0; i < g->ticketc; i++)
		if (ticket_covers(&g->ticket[i], cap, object, self_executing))
			return &g->ticket[i];
	return NULL;
}

void gate_spend_tickets(const struct gate *g, struct store_tx *tx)
{
	for (size_t i = 0; i < g->ticketc; i++)
		if (g->ticket[i].giver != TICKET_POLICY)
			ticket_spend(&g->ticket[i], tx);
}

void gate_spent_tickets(struct gate *g, uint64_t version)
{
	for (size_t i = 0; i < g->ticketc; i++)
		ticket_spent(&g->ticket[i], version);
}

int gate_check_given(const struct gate *g, struct err *err)
{
	const struct blueprint *bp = g->bp;
	const struct given *venv = givens_find(&bp->given, bp->venv);
	struct stat st;

	if (bp->workspace >= 0 &&
	    (fstat(bp->workspace, &st) < 0 || !above_is_same(&st, &g->workspace)))
		return err_replaced(err, g->req->workspace);
	if (g->confined.venv && (!venv || !above_is_same(&venv->st, &g->venv)))
		return err_replaced(err, g->req->venv);
	for (size_t i = 0; i < g->confined.execc; i++) {
		const struct given *program = givens_find(&bp->given, bp->program_at[i]);
		if (!program || !payload_is_same(program->fd, &g->exec[i]))
			return err_replaced(err, g->req->exec[i]);
	}
	return 0;
}
