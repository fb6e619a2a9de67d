/* SPDX-License-Identifier: MIT
 *
 * cordon approvals list, approve, deny.
 */
#include "door/cli/approvals.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "approval/summary.h"
#include "base/account.h"
#include "base/scope.h"
#include "door/cli/confirmation.h"
#include "door/cli/notice.h"
#include "show/jsonval.h"
#include "show/terminal.h"
#include "show/verdict_json.h"

/* list: the oldest request first */
struct listed {
	uint64_t created; /* 0: it is damaged */
	char id[APPROVAL_ID + 1];
};
struct listing {
	struct approvals *v;
	json_t *all; /* or NULL */
	struct listed *row;
	size_t count, room;
};

#define LIST_MORE "        .. "
/* One line for each request, enough to tell them apart. */
static void list_line(const struct approval *a, uint64_t now)
{
	enum approval_state state = approval_state_at(a, now);
	const struct approval_request *r = &a->request;
	bool pending = state == APPROVAL_PENDING;
	struct arena arena = {0};
	char when[64];

	const char *said = r->title[0]	   ? arena_printf(&arena, "\"%s\": ", r->title)
			   : r->purpose[0] ? arena_printf(&arena, "agent says \"%s\": ", r->purpose)
					   : "";
	const char *file = strcmp(r->name, "-") == 0 || approval_is_changes(r) ? "" : r->name;
	const char *line = arena_printf(&arena, "%s%s%s%s", said ? said : "",
					approval_headline(r, &arena), *file ? ": " : "", file);
	int column =
		printf("%s  %-8s %-7s ", a->id, approval_state_name(state),
		       approvals_when(pending ? r->expires : r->created, now, when, sizeof(when)));
	if (r->approvers > 1)
		column += printf("%zu of %llu ", a->status.votes.count,
				 (unsigned long long)r->approvers);
	struct terminal_style how = {
		.to = stdout, .more = LIST_MORE, .width = terminal_width(stdout)};
	terminal_text(&how, (size_t)column, line ? line : "?");
	putchar('\n');
	arena_done(&arena);
}

static void list_damaged(struct listing *l, const char *id, const struct err *why)
{
	if (!l->all) {
		printf("%s  damaged   %s\n", id, why->message);
		return;
	}
	json_t *one =
		json_pack("{s:s, s:o}", "approval_id", id, "error", jsonval_readable(why->message));
	verdict_add(one, &(struct verdict_view){.ref = "apr", .id = id});
	json_array_append_new(l->all, one);
}

static void list_one(struct listing *l, const char *id)
{
	AUTO_APPROVAL struct approval a = {0};
	struct err why;

	if (approval_load(l->v->store, id, &a, &why) < 0)
		list_damaged(l, id, &why);
	else if (l->all)
		json_array_append_new(l->all, approvals_json(&a, l->v->now));
	else
		list_line(&a, l->v->now);
}

static int note_one(void *context, const char *id, struct err *err)
{
	struct listing *l = context;
	AUTO_APPROVAL struct approval a = {0};
	struct err damaged;

	if (l->count == l->room) {
		size_t room = l->room ? l->room * 2 : 64;
		struct listed *grown = reallocarray(l->row, room, sizeof(*grown));
		if (!grown)
			return err_memory(err);
		l->row = grown;
		l->room = room;
	}
	struct listed *row = &l->row[l->count++];
	snprintf(row->id, sizeof(row->id), "%s", id);
	bool is_whole = approval_load(l->v->store, id, &a, &damaged) == 0;
	row->created = is_whole ? a.request.created : 0;
	return 0;
}

static int by_time(const void *left, const void *right)
{
	const struct listed *a = left, *b = right;

	if (a->created != b->created)
		return a->created < b->created ? -1 : 1;
	return strcmp(a->id, b->id);
}

int approvals_list(struct approvals *v)
{
	struct listing l = {.v = v};
	struct err err;

	int r = approval_each(v->store, v->options->all, note_one, &l, &err);
	if (r == 0 && v->call->json)
		l.all = jsonval_array();
	if (r == 0 && l.count)
		qsort(l.row, l.count, sizeof(*l.row), by_time);
	for (size_t i = 0; r == 0 && i < l.count; i++)
		list_one(&l, l.row[i].id);
	free(l.row);
	if (r < 0)
		return cli_fail_short(v->call, &err);
	if (l.all)
		jsonval_print(l.all);
	else if (!l.count)
		puts("no request waits");
	return 0;
}

/* approve, deny */
void approvals_ended(const struct approvals *v, const struct approval *a)
{
	if (a->status.state != APPROVAL_PENDING)
		notice_tell(v->call, v->store, a->id);
}

void approvals_tell(const struct approvals *v, const struct approval *a)
{
	const char *state = approval_state_name((unsigned)a->status.state);

	if (v->call->json)
		jsonval_print(approvals_json(a, v->now));
	else if (a->status.state == APPROVAL_PENDING)
		printf("%s waits for %llu more\n", a->id,
		       (unsigned long long)a->request.approvers - a->status.votes.count);
	else
		printf("%s is %s\n", a->id, state);
}

static void fill_vote(const struct approvals *v, bool approves, struct approval_vote *ret)
{
	const struct approvals_options *o = v->options;

	*ret = (struct approval_vote){.name = o->name,
				      .approves = approves,
				      .scope = approves ? o->scope : SCOPE_ONCE,
				      .expires = o->for_ms ? v->now + o->for_ms : 0,
				      .time = v->now,
				      .signature = ""};
}

int approvals_sign_vote(struct approvals *v, struct approval *a, bool approves,
			struct approval_vote *ret, struct err *err)
{
	const struct approvals_options *o = v->options;

	fill_vote(v, approves, ret);
	if (!o->key || !o->name) {
		err_set(err, ERR_USAGE, "--key FILE and --as NAME are required");
		err_cure(err, "FILE is your SSH key, or the .pub file of one that ssh-agent has");
		return -1;
	}
	if (v->actor.in_box) {
		err_set(err, ERR_REFUSED,
			"this process is in a box (no_new_privs): nothing is signed");
		err_cure(err, "sign from an ordinary login");
		return -1;
	}
	return approval_sign(a, o->key, ret, err);
}

/* Do not read a person's key with the rights of the state's owner. */
static int check_account(const struct approvals *v, const struct approval *a, struct err *err)
{
	if (v->actor.uid == ACCOUNT_UNKNOWN || v->actor.uid == getuid())
		return 0;
	err_set(err, ERR_REFUSED,
		"another account owns the state directory: your key is not used there");
	err_cure(err,
		 "cordon approvals export %.32s >FILE; cordon approvals sign FILE --key KEY "
		 "--as NAME >ANSWER; cordon approvals add ANSWER",
		 a->id);
	return -1;
}

/* Without a key: the requesting account confirms at its terminal. */
static int confirm(struct approvals *v, struct approval *a, struct approval_vote *vote,
		   struct err *err)
{
	AUTO_CONFIRMATION struct confirmation c = {.output = -1};
	struct approval_code code = {0};

	fill_vote(v, true, vote);
	vote->name = arena_printf(&a->arena, "uid:%llu", (unsigned long long)v->actor.uid);
	if (approval_may_confirm(a, &v->actor, err) < 0 || approval_bound(a, vote, err) < 0 ||
	    confirmation_begin(&c, err) < 0 || approval_load_code(v->store, a, &code, err) < 0)
		return -1;
	approvals_show_request(a, v->now);
	approvals_code(a, &code, v->now);
	free((void *)code.data);
	approvals_headline(&a->request);
	approvals_grant(a, vote);
	return confirmation_ask(&c, CONFIRM_WORTH, err);
}

int approvals_approve(struct approvals *v)
{
	AUTO_APPROVAL struct approval a = {0};
	struct approval_vote vote;
	struct err err;

	if (approval_load(v->store, v->call->argv[1], &a, &err) < 0 ||
	    approval_must_be_open(v->store, &a, false, v->now, &err) < 0)
		return cli_fail_short(v->call, &err);
	bool has_key = v->options->key || v->options->name;
	int r = has_key ? check_account(v, &a, &err) : confirm(v, &a, &vote, &err);
	if (r == 0 && has_key)
		r = approvals_sign_vote(v, &a, true, &vote, &err);
	if (r < 0 || approval_decide(v->store, &a, &vote, &v->actor, v->now, &err) < 0)
		return cli_fail_short(v->call, &err);
	approvals_ended(v, &a);
	approvals_tell(v, &a);
	return 0;
}

int approvals_deny(struct approvals *v)
{
	const char *reason = v->options->reason;
	AUTO_APPROVAL struct approval a = {0};
	struct err err;

	if (approval_load(v->store, v->call->argv[1], &a, &err) < 0 ||
	    approval_deny(v->store, &a, &v->actor, reason ? reason : "", v->now, &err) < 0)
		return cli_fail_short(v->call, &err);
	approvals_ended(v, &a);
	approvals_tell(v, &a);
	return 0;
}

int approvals_open(struct approvals *v, struct err *err)
{
	struct gate_state_options o = {.path = v->call->state, .as_owner = true};

	if (gate_state_open(&v->state, &o, err) < 0)
		return -1;
	v->store = v->state.store;
	return 0;
}
