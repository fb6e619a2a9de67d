/* SPDX-License-Identifier: MIT
 *
 * The facts of a decision: whether the run is exposed, and which tickets are valid for it. A run
 * is exposed if its conversation is, or if an input comes from an untrusted directory. The place
 * of an input is found by its descriptor, never by the path that was given.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/parent_dir.h"
#include "base/scope.h"
#include "conf/profile.h"
#include "gate/gate.h"
#include "live/workspace.h"
#include "trust/kept_home.h"

static int check_ended(const struct gate *g, struct err *err)
{
	if (!g->facts.conversation.ended_us)
		return 0;
	err_set(err, ERR_REFUSED, "this conversation has ended");
	err_cause(err, "%s", g->facts.conversation.end);
	err_cure(err, "cordon conversation new");
	return -1;
}

/* A run without a conversation gets a new one. Nothing is known about its code, so it is exposed
 * unless the user typed it. */
static int find_conversation(struct gate *g, struct err *err)
{
	struct conversation *c = &g->facts.conversation;
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
	/* gate_log_start exposes the conversation, in the transaction of the record. */
	g->facts.exposed = g->req->is_exposed ||
			   (c->exposed_us && (!g->req->is_users || g->facts.has_changes));
	g->facts.cause = !g->facts.exposed ? NULL
			 : !c->exposed_us  ? "the host says so"
			 : g->req->is_users && g->facts.has_changes
				 ? "pending changes of exposed code"
				 : c->cause;
	return 0;
}

void gate_expose(struct gate *g, const char *cause)
{
	g->facts.exposed = true;
	g->facts.cause = cause;
}

int gate_add_changes(struct gate *g, const char *what, struct err *err)
{
	g->facts.has_changes = true;
	return err_set(err, ERR_CONFLICT, "%s", what);
}

static void judge_place(struct gate *g, const struct directory_place *at)
{
	struct directory_answer a = directory_judge(&g->facts.directories, at);

	if (a.trusted)
		return;
	g->facts.inputs_are_trusted = false;
	gate_expose(g, g->facts.cause
			       ? g->facts.cause
			       : arena_printf(&g->arena, "directory %.*s %s", DIRECTORY_CAUSE_MAX,
					      at->path, directory_why_words(a.why)));
}

static void add_input(struct gate *g, const struct directory_place *at)
{
	g->facts.input_at[g->facts.input_count++] = at;
	judge_place(g, at);
}

/* FD is an input of the run; NAME is the path that was given for it. */
static int judge(struct gate *g, int fd, const char *name, struct directory_place *at,
		 struct err *err)
{
	if (directory_find(fd, name, at, err) < 0)
		return -1;
	add_input(g, at);
	return 0;
}

/* A missing path is not an error here: the code that opens it for the box reports it. */
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

static int judge_rw(struct gate *g, size_t i, struct err *err)
{
	size_t count = g->facts.input_count;

	if (judge_path(g, g->req->rw[i], &g->facts.rw[i], err) < 0)
		return -1;
	if (g->facts.input_count == count || !S_ISDIR(g->facts.rw[i].st_mode))
		return err_set(err, ERR_INPUT, "--rw %s: not a directory", g->req->rw[i]);
	g->facts.rw_at[i] = g->facts.input_at[count];
	return 0;
}

/* An interpreter outside /usr has its library two directories above it. */
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

/* It is opened, and made if it is missing, before the entries of directories are loaded. */
static int find_home(struct gate *g, struct err *err)
{
	const struct kept_home home = {.project = &g->facts.workspace_at,
				       .owner = g->facts.workspace,
				       .name = g->req->keep};

	if (!home.name || !g->req->workspace || !g->bp || !profile_is_dev(g->bp->profile, g->req))
		return 0;
	AUTO_CLOSE int fd = kept_home_open(&g->state.keeper, g->state.dir, &home, err);
	if (fd < 0 || directory_find(fd, home.name, &g->facts.home_at, err) < 0)
		return -1;
	if (fstat(fd, &g->facts.home) < 0)
		return err_errno(err, ERR_INPUT, "%s", g->facts.home_at.path);
	g->facts.has_home = true;
	return 0;
}

static int find_workspace(struct gate *g, struct err *err)
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
	if (fstat(fd, &g->facts.workspace) < 0)
		return err_errno(err, ERR_INPUT, "%s", path);
	return directory_find(fd, path, &g->facts.workspace_at, err);
}

/* A named input counts as its directory. The code, and input without a file name (a pipe, a memory
 * file), belong to the conversation. */
static int judge_inputs(struct gate *g, struct err *err)
{
	const struct request *r = g->req;
	bool names_input = g->bp && g->bp->input_file >= 0;
	bool is_piped = (r->input || r->stdin_file) && !names_input;
	struct directory_place *input = names_input ? arena_alloc(&g->arena, sizeof(*input)) : NULL;

	if (g->arena.failed)
		return err_memory(err);
	g->facts.inputs_are_trusted = true;
	g->facts.input_count = 0;
	if (find_workspace(g, err) < 0 || find_home(g, err) < 0 ||
	    directories_load(&g->state.keeper, &g->facts.directories, err) < 0)
		return -1;
	if (r->workspace)
		add_input(g, &g->facts.workspace_at);
	if (g->facts.has_home)
		add_input(g, &g->facts.home_at);
	if ((r->venv && judge_path(g, r->venv, &g->facts.venv, err) < 0) ||
	    judge_library(g, err) < 0 ||
	    (names_input && judge(g, g->bp->input_file, r->stdin_file, input, err) < 0))
		return -1;
	for (size_t i = 0; i < r->execc; i++)
		if (judge_path(g, r->exec[i], &g->facts.exec[i], err) < 0)
			return -1;
	for (size_t i = 0; i < r->roc; i++)
		if (judge_path(g, r->ro[i], &g->facts.ro[i], err) < 0)
			return -1;
	for (size_t i = 0; i < r->rwc; i++)
		if (judge_rw(g, i, err) < 0)
			return -1;
	if (is_piped && g->facts.exposed)
		g->facts.inputs_are_trusted = false;
	return 0;
}

static void hash_text(struct digest *d, const char *text)
{
	size_t len = text ? strlen(text) + 1 : 0;

	digest_add(d, &len, sizeof(len));
	digest_add(d, text ? text : "", len);
}

/* Replacing or writing a file changes one of these values. */
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

/* Hashes everything that a plan fixes: code, arguments, environment, programs and the directory. */
static void hash_program(struct gate *g)
{
	const struct request *r = g->req;
	const struct payload *p = &g->bp->payload;
	struct digest d;

	digest_init(&d);
	hash_text(&d, g->bp->profile->name);
	hash_text(&d, p->suffix);
	digest_add(&d, &r->execution, sizeof(r->execution));
	digest_add(&d, p->sha256, sizeof(p->sha256));
	digest_add(&d, &r->argc, sizeof(r->argc));
	for (size_t i = 0; i < r->argc; i++)
		hash_text(&d, r->argv[i]);
	digest_add(&d, &r->envc, sizeof(r->envc));
	for (size_t i = 0; i < r->envc; i++)
		hash_text(&d, r->env[i]);
	for (size_t i = 0; i < r->execc; i++)
		hash_file(&d, r->exec[i], &g->facts.exec[i]);
	for (size_t i = 0; i < r->roc; i++)
		hash_file(&d, r->ro[i], &g->facts.ro[i]);
	for (size_t i = 0; i < r->rwc; i++) {
		hash_text(&d, r->rw[i]);
		hash_text(&d, g->facts.rw_at[i]->path);
		digest_add(&d, &g->facts.rw_at[i]->identity[0],
			   sizeof(g->facts.rw_at[i]->identity[0]));
	}
	for (size_t i = 0; i < r->hidec; i++)
		hash_text(&d, r->hide[i]);
	hash_text(&d, r->venv);
	if (r->keep)
		hash_text(&d, r->keep);
	hash_text(&d, r->cwd);
	hash_text(&d, r->workspace ? g->facts.workspace_at.path : NULL);
	if (r->workspace)
		digest_add(&d, &g->facts.workspace_at.identity[0],
			   sizeof(g->facts.workspace_at.identity[0]));
	digest_end(&d, g->facts.program);
}

static struct ticket_use use_of(const struct gate *g)
{
	return (struct ticket_use){.conversation = &g->facts.conversation.id,
				   .directory = g->req->workspace ? &g->facts.workspace_at : NULL,
				   .inputs_are_trusted =
					   g->facts.inputs_are_trusted && !g->facts.has_changes,
				   .program = g->facts.program,
				   .now_us = g->state.keeper.now_us()};
}

static void keep_ticket(struct gate *g, struct ticket *t)
{
	if (g->facts.ticketc == GATE_TICKETS_MAX)
		return;
	g->facts.ticket[g->facts.ticketc++] = *t;
	*t = (struct ticket){0};
}

void gate_bound_ticket(const struct gate *g, struct ticket *t)
{
	for (unsigned c = 0; c < CAP_COUNT && ticket_is_confirmed(t); c++)
		if (!policy_confirms(&g->policy, CAP_BIT(c)))
			t->count[c] = 0;
}

/* Grants apply by themselves; a plan applies only if the request names it. */
static int take_ticket(void *context, struct ticket *t, struct err *err)
{
	struct gate *g = context;
	struct ticket_use use = use_of(g);

	(void)err;
	if (t->giver == TICKET_PLAN)
		return 0;
	if (ticket_check(t, &use) == TICKET_GOOD)
		t->holds_for |= FOR_RUN;
	for (size_t i = 0; i < g->req->rwc; i++) {
		use.directory = g->facts.rw_at[i];
		if (ticket_check(t, &use) == TICKET_GOOD)
			t->holds_for |= FOR_RW(i);
	}
	if (t->holds_for) {
		gate_bound_ticket(g, t);
		keep_ticket(g, t);
	}
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
	t.is_due = true; /* a run of the program uses up the plan, whichever effects it has */
	t.holds_for = UINT32_MAX; /* it has the directories in its program's hash */
	if (answer == TICKET_GOOD)
		keep_ticket(g, &t);
	g->facts.plan_words = answer == TICKET_GOOD ? NULL : ticket_answer_words(answer);
	return 0;
}

static void fill_list(struct ticket *t, enum cap cap, const struct policy_list *from)
{
	for (size_t i = 0; i < from->count && i < TICKET_LIST_MAX; i++)
		t->list[cap][t->count[cap]++] = from->text[i];
}

/* Adds the grants that the policy has for the workspace and the directories of --rw. */
static void take_policy(struct gate *g)
{
	for (size_t i = 0; i < g->policy.grantc; i++) {
		const struct policy_grant *from = &g->policy.grant[i];
		struct ticket t = {.giver = TICKET_POLICY,
				   .by = g->policy.file,
				   .sent_max = TICKET_SENT_DEFAULT,
				   .to_us = UINT64_MAX};
		if (g->req->workspace && strcmp(from->directory, g->facts.workspace_at.path) == 0)
			t.holds_for |= FOR_RUN;
		for (size_t k = 0; k < g->req->rwc; k++)
			if (strcmp(from->directory, g->facts.rw_at[k]->path) == 0)
				t.holds_for |= FOR_RW(k);
		if (!t.holds_for)
			continue;
		fill_list(&t, CAP_WRITE, &from->write);
		fill_list(&t, CAP_NET, &from->net);
		fill_list(&t, CAP_SECRET, &from->secret);
		keep_ticket(g, &t);
	}
}

static int find_tickets(struct gate *g, struct err *err)
{
	for (size_t i = 0; i < g->facts.ticketc; i++)
		ticket_done(&g->facts.ticket[i]);
	g->facts.ticketc = 0;
	if (g->bp) /* otherwise there is no program */
		hash_program(g);
	if (take_plan(g, err) < 0)
		return -1;
	take_policy(g);
	return ticket_each(&g->state.keeper, g->state.keeper.now_us(), take_ticket, g, err);
}

static void report_state(struct gate *g)
{
	g->report->exposed = g->facts.exposed;
	g->report->home =
		g->facts.has_home ? arena_dup(&g->report->arena, g->facts.home_at.path) : NULL;
	g->report->cause = g->facts.cause ? arena_dup(&g->report->arena, g->facts.cause) : NULL;
}

int gate_facts(struct gate *g, const struct blueprint *bp, struct err *err)
{
	g->bp = bp;
	g->report->reasonc = 0;
	if (find_conversation(g, err) < 0 || (bp && check_ended(g, err) < 0) ||
	    judge_inputs(g, err) < 0 || find_tickets(g, err) < 0)
		return -1;
	report_state(g);
	return source_set_load(&g->state.keeper, &g->facts.conversation, &g->facts.sources, err);
}

static int judge_again(struct gate *g, struct err *err)
{
	bool exposed = g->facts.exposed;
	const char *cause = g->facts.cause;

	if (find_conversation(g, err) < 0 ||
	    directories_load(&g->state.keeper, &g->facts.directories, err) < 0)
		return -1;
	for (size_t i = 0; i < g->facts.input_count; i++)
		judge_place(g, g->facts.input_at[i]);
	if (exposed)
		gate_expose(g, cause);
	return 0;
}

int gate_facts_again(struct gate *g, struct err *err)
{
	return judge_again(g, err) < 0 ? -1 : check_ended(g, err);
}

int gate_mark(struct gate *g, struct store_tx *tx, struct err *err)
{
	const struct request *r = &g->decision.confined;
	struct directories *d = &g->facts.directories;
	bool writes = r->workspace && r->workspace_mode == WORKSPACE_RW;
	bool any = false;
	uint64_t now = g->state.keeper.now_us();
	char run[DIRECTORY_BY_MAX];
	const struct directory_place *written[REQUEST_RW_MAX + 2];
	size_t count = 0;

	snprintf(run, sizeof(run), "run:%s", g->report->run);
	if (writes)
		written[count++] = &g->facts.workspace_at;
	if (r->home)
		written[count++] = &g->facts.home_at;
	for (size_t i = 0; i < r->rwc; i++)
		if (request_writes(r, i))
			written[count++] = g->facts.rw_at[i];
	for (size_t i = 0; i < count; i++) {
		int marked = directory_mark(d, written[i], run, now, err);
		if (marked < 0)
			return -1;
		any |= marked > 0;
	}
	if (any)
		directories_put(d, tx);
	else
		directories_expect(d, tx);
	return 0;
}

int gate_expose_late(struct gate *g, struct err *err)
{
	struct conversation *c = &g->facts.conversation;

	for (int i = 1; g->facts.input_count && !(g->facts.exposed && c->exposed_us); i++) {
		AUTO_TX struct store_tx tx = {0};
		if (judge_again(g, err) < 0)
			return -1;
		report_state(g);
		if (!g->facts.exposed)
			return 0;
		bool was_exposed = c->exposed_us;
		if (!was_exposed) {
			conversation_expose(c, g->facts.cause, g->state.keeper.now_us());
			conversation_record(c, "exposed", &tx);
			conversation_put(c, &tx);
		}
		if (gate_mark(g, &tx, err) < 0)
			return -1;
		if (store_commit(g->state.store, &tx, err) == 0) {
			c->version = was_exposed ? c->version : tx.version;
			return 0;
		}
		if (!was_exposed)
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
	for (size_t i = 0; i < g->facts.ticketc; i++)
		if (gate_ticket_is_for_run(&g->facts.ticket[i]) &&
		    ticket_covers(&g->facts.ticket[i], cap, object, self_executing))
			return &g->facts.ticket[i];
	return NULL;
}

void gate_spend_tickets(const struct gate *g, struct store_tx *tx)
{
	for (size_t i = 0; i < g->facts.ticketc; i++)
		if (g->facts.ticket[i].giver != TICKET_POLICY)
			ticket_spend(&g->facts.ticket[i], tx);
}

void gate_spent_tickets(struct gate *g, uint64_t version)
{
	for (size_t i = 0; i < g->facts.ticketc; i++)
		ticket_spent(&g->facts.ticket[i], version);
}

static void hash_identity(struct digest *d, const char *path, const struct stat *st)
{
	const uint64_t identity[] = {st->st_dev, st->st_ino};

	hash_text(d, path);
	digest_add(d, identity, sizeof(identity));
}

void gate_box_hash(const struct gate *g, uint8_t ret[KEEPER_SHA256])
{
	const struct request *r = &g->decision.confined;
	struct digest d;

	digest_init(&d);
	hash_text(&d, g->facts.conversation.principal);
	digest_add(&d, &r->tier, sizeof(r->tier));
	digest_add(&d, &r->execution, sizeof(r->execution));
	digest_add(&d, &r->workspace_mode, sizeof(r->workspace_mode));
	hash_identity(&d, r->workspace ? g->facts.workspace_at.path : NULL, &g->facts.workspace);
	hash_identity(&d, r->keep, &g->facts.home);
	hash_identity(&d, r->venv, &g->facts.venv);
	for (size_t i = 0; i < r->execc; i++)
		hash_identity(&d, r->exec[i], &g->facts.exec[i]);
	for (size_t i = 0; i < r->roc; i++)
		hash_identity(&d, r->ro[i], &g->facts.ro[i]);
	for (size_t i = 0; i < r->rwc; i++)
		hash_identity(&d, r->rw[i], &g->facts.rw[i]);
	digest_add(&d, &r->rw_withheld, sizeof(r->rw_withheld));
	for (size_t i = 0; i < r->hidec; i++)
		hash_text(&d, r->hide[i]);
	/* Of the policy cordon-egress has what held when the box was created. */
	if (r->netc || r->secretc)
		digest_add(&d, g->policy.sha256, sizeof(g->policy.sha256));
	for (size_t i = 0; i < r->netc; i++)
		hash_text(&d, r->net[i]);
	hash_text(&d, NULL);
	for (size_t i = 0; i < r->secretc; i++)
		hash_text(&d, r->secret[i]);
	digest_end(&d, ret);
}

int gate_check_inputs(const struct gate *g, struct err *err)
{
	const struct blueprint *bp = g->bp;
	const struct host_path *venv = host_paths_find(&bp->host_paths, bp->venv);
	struct stat st;

	if (bp->workspace >= 0 &&
	    (fstat(bp->workspace, &st) < 0 || !parent_dir_is_same(&st, &g->facts.workspace)))
		return err_replaced(err, g->req->workspace);
	if (g->decision.confined.venv && (!venv || !parent_dir_is_same(&venv->st, &g->facts.venv)))
		return err_replaced(err, g->req->venv);
	const char *home = g->decision.confined.home;
	const struct host_path *kept = home ? host_paths_find(&bp->host_paths, home) : NULL;
	if (home && (!kept || !parent_dir_is_same(&kept->st, &g->facts.home)))
		return err_replaced(err, home);
	for (size_t i = 0; i < g->decision.confined.roc; i++) {
		const struct host_path *shown = host_paths_find(&bp->host_paths, bp->ro_at[i]);
		if (!shown || !parent_dir_is_same(&shown->st, &g->facts.ro[i]))
			return err_replaced(err, g->req->ro[i]);
	}
	for (size_t i = 0; i < g->decision.confined.rwc; i++) {
		const struct host_path *shown = host_paths_find(&bp->host_paths, bp->rw_at[i]);
		if (!shown || !parent_dir_is_same(&shown->st, &g->facts.rw[i]))
			return err_replaced(err, g->req->rw[i]);
	}
	for (size_t i = 0; i < g->decision.confined.execc; i++) {
		const struct host_path *program =
			host_paths_find(&bp->host_paths, bp->program_at[i]);
		if (!program || !payload_is_same(program->fd, &g->facts.exec[i]))
			return err_replaced(err, g->req->exec[i]);
	}
	return 0;
}
