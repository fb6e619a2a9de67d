/* SPDX-License-Identifier: MIT
 *
 * cordon approvals: what waits for a person, and the person's answer. Root may answer in anybody's
 * state directory: it then becomes the directory's owner for all that follows, so that nothing in
 * there is touched with more rights than whoever owns it has.
 */
#include "cli/approvals.h"

#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/scope.h"
#include "cli/jsonval.h"
#include "cli/rules.h"
#include "cli/verb.h"
#include "cli/verdict.h"
#include "conf/names.h"
#include "flow/state.h"

enum { HINT_FILE_MAX = 200 }; /* a longer name would cut the command */

int approvals_fail(const struct cli_call *call, const struct err *err)
{
	int status = err->code == ERR_USAGE ? STATUS_USAGE : err_row(err)->exit_status;

	return rules_fail(call, status, err);
}

/* list: who has waited longest is first */
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

static void list_line(const struct approval *a, uint64_t now)
{
	enum approval_state state = approval_state_at(a, now);
	char when[64];

	printf("%s  %-8s  %-7s  ", a->id, approval_state_name(state),
	       origin_name((unsigned)a->request.origin));
	printf("%zu of %llu  ", a->status.votes.count, (unsigned long long)a->request.approvers);
	printf("%s %s\n", state == APPROVAL_PENDING ? "ends" : "asked",
	       approvals_when(state == APPROVAL_PENDING ? a->request.expires : a->request.created,
			      now, when, sizeof(when)));
	approvals_line("", "%s %s", a->request.lang, a->request.name);
}

static void list_damaged(struct listing *l, const char *id, const struct err *why)
{
	if (!l->all) {
		printf("%s  damaged   %s\n", id, why->message);
		return;
	}
	json_t *one =
		json_pack("{s:s, s:o}", "approval_id", id, "error", jsonval_readable(why->message));
	verdict_add(one, &(struct verdict_said){.ref = "apr", .id = id});
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

static int list(struct approvals *v)
{
	struct listing l = {.v = v};
	struct err err;

	int r = approval_each(v->store, v->call->approvals.all, note_one, &l, &err);
	if (r == 0 && v->call->json)
		l.all = jsonval_array();
	if (r == 0 && l.count)
		qsort(l.row, l.count, sizeof(*l.row), by_time);
	for (size_t i = 0; r == 0 && i < l.count; i++)
		list_one(&l, l.row[i].id);
	free(l.row);
	if (r < 0)
		return approvals_fail(v->call, &err);
	if (l.all)
		jsonval_print(l.all);
	else if (!l.count)
		puts("nothing waits for a person");
	return 0;
}

/* approve, deny */
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

static int approve(struct approvals *v)
{
	AUTO_APPROVAL struct approval a = {0};
	char name[APPROVAL_NAME_MAX + 1];
	struct err err;

	if (approval_load(v->store, v->call->argv[1], &a, &err) < 0 ||
	    approval_may_sign(&a, &v->actor, &err) < 0 ||
	    approval_person_of_key(v->store, v->key.public, name, &err) < 0)
		return approvals_fail(v->call, &err);
	struct approval_vote vote = {.name = name,
				     .approves = 1,
				     .scope = v->call->approvals.scope,
				     .time = v->now,
				     .uid = v->actor.uid};
	if (approval_sign(&a, &v->key, &vote, &err) < 0 ||
	    approval_decide(v->store, &a, &vote, &v->actor, v->now, &err) < 0)
		return approvals_fail(v->call, &err);
	approvals_tell(v, &a);
	return 0;
}

static int deny(struct approvals *v)
{
	const char *reason = v->call->approvals.reason;
	AUTO_APPROVAL struct approval a = {0};
	struct err err;

	if (approval_load(v->store, v->call->argv[1], &a, &err) < 0 ||
	    approval_deny(v->store, &a, &v->actor, reason ? reason : "", v->now, &err) < 0)
		return approvals_fail(v->call, &err);
	approvals_tell(v, &a);
	return 0;
}

/* The words and what they need. */
enum need { NEEDS_STORE = 1, NEEDS_KEY = 2 };

static const struct verb {
	struct cli_verb verb;
	unsigned needs;
	int (*run)(struct approvals *v);
} verbs[] = {
	{{"list", NULL, 0, 0}, NEEDS_STORE, list},
	{{"show", NULL, 1, 1}, NEEDS_STORE, approvals_show},
	{{"approve", NULL, 1, 1}, NEEDS_STORE | NEEDS_KEY, approve},
	{{"deny", NULL, 1, 1}, NEEDS_STORE, deny},
	{{"export", NULL, 1, 1}, NEEDS_STORE, approvals_export},
	{{"read", NULL, 1, 1}, 0, approvals_read},
	{{"sign", NULL, 2, 2}, NEEDS_KEY, approvals_sign},
	{{"add", NULL, 2, 2}, NEEDS_STORE, approvals_add},
	{{"key", "new", 1, 1}, 0, approvals_key_new},
	{{"key", "add", 2, 2}, NEEDS_STORE, approvals_key_add},
	{{"key", "list", 0, 0}, NEEDS_STORE, approvals_key_list},
	{{"key", "remove", 1, 1}, NEEDS_STORE, approvals_key_remove},
};

static const struct verb *verb_of(const struct cli_call *call, struct err *err)
{
	const struct verb *verb = cli_find_verb(call, verbs, ARRAY_SIZE(verbs), sizeof(verbs[0]));

	if (verb)
		return verb;
	err_set(err, ERR_USAGE, "wrong usage of cordon approvals");
	err_cure(err, "cordon approvals list, show ID, approve ID, deny ID, export ID, read FILE, "
		      "sign ID FILE, add ID VOTE, key new FILE, key add NAME KEY, key list or "
		      "key remove NAME; cordon approvals --help");
	return NULL;
}

int approvals_load_key(const char *file, struct key *ret, bool *ret_protected, struct err *err)
{
	char pass[APPROVAL_PASS_MAX + 1];

	if (!file) {
		err_set(err, ERR_USAGE, "with which key? (--key FILE)");
		err_cure(err, "cordon approvals key new FILE makes one");
		return -1;
	}
	int r = approval_key_load(file, NULL, ret, ret_protected, err);
	if (r == 1) {
		r = passphrase_ask("Passphrase of the key: ", pass, err);
		if (r == 0)
			r = approval_key_load(file, pass, ret, ret_protected, err);
		sodium_memzero(pass, sizeof(pass));
	}
	return r;
}

void approvals_hint_file(const struct approvals *v, struct err *err)
{
	const char *file = arena_quote(&v->call->arena, v->call->argv[v->call->argc - 1]);

	if (v->names_file && strlen(file) <= HINT_FILE_MAX) {
		err_cause(err, "%s is a file", file);
		err_cure(err, "give its text, for example \"$(cat %s)\"", file);
	}
}

static int open_state(const struct cli_call *call, struct gate_state *ret, struct err *err)
{
	struct gate_state_options o = {.path = call->state, .as_owner = true};

	return gate_state_open(ret, &o, err);
}

static int load_key(struct approvals *v, struct err *err)
{
	return approvals_load_key(v->call->approvals.key, &v->key, &v->actor.key_protected, err);
}

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

int cli_approvals(struct cli_call *call)
{
	struct approvals v = {.call = call, .now = now_ms()};
	AUTO_STATE struct gate_state state = STATE_CLOSED;
	struct err err;
	int status;

	const struct verb *verb = verb_of(call, &err);
	v.names_file = call->argc && access(call->argv[call->argc - 1], F_OK) == 0;
	approval_actor_here(&v.actor);
	if (!verb || (verb->needs & NEEDS_KEY && load_key(&v, &err) < 0) ||
	    (verb->needs & NEEDS_STORE && open_state(call, &state, &err) < 0)) {
		status = approvals_fail(call, &err);
	} else {
		v.store = state.store;
		status = verb->run(&v);
	}
	key_wipe(&v.key);
	return status;
}

/* Options. */
static const char *names_of_scopes(char *buf, size_t size)
{
	return names_join(scope_name, buf, size);
}

static int set_scope(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	char names[NAMES_MAX];

	for (unsigned i = 0; i < SCOPE_COUNT; i++)
		if (strcmp(scope_name(i), v) == 0) {
			c->approvals.scope = i;
			return 0;
		}
	return err_set(err, ERR_USAGE, "--scope: there is no \"%.32s\" (%s)", v,
		       o->values(names, sizeof(names)));
}

int approvals_set_key(struct cli_call *c, const struct cli_option *o, const char *v,
		      struct err *err)
{
	(void)o;
	c->approvals.key = v;
	return *v ? 0 : err_set(err, ERR_USAGE, "--key: which file?");
}

static int set_name(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o;
	c->approvals.name = v;
	return approval_name_is_good(v) ? 0 : err_set(err, ERR_USAGE, "--name: that is no name");
}

static int set_reason(struct cli_call *c, const struct cli_option *o, const char *v,
		      struct err *err)
{
	(void)o, (void)err;
	c->approvals.reason = v;
	return 0;
}

static int set_uid(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	char *end;

	(void)o;
	errno = 0;
	c->approvals.uid = strtoul(v, &end, 10);
	c->approvals.has_uid = true;
	if (*v < '0' || *v > '9' || *end || errno || c->approvals.uid >= UINT32_MAX)
		return err_set(err, ERR_USAGE, "--uid: a number, as id -u prints it");
	return 0;
}

static int set_flag(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)v, (void)err;
	*(strcmp(o->name, "all") == 0 ? &c->approvals.all : &c->approvals.plain) = true;
	return 0;
}

const struct cli_option cli_approvals_options[] = {
	{"key", "FILE", "approve, sign: your key", approvals_set_key, NULL},
	{"scope", "S", "approve, sign: for how long; the first is the default", set_scope,
	 names_of_scopes},
	{"name", "NAME", "sign: under which your key is enrolled", set_name, NULL},
	{"reason", "TEXT", "deny: why; the requester is told", set_reason, NULL},
	{"all", NULL, "list: also what is over", set_flag, NULL},
	{"uid", "N", "key add: the account on this machine that is theirs", set_uid, NULL},
	{"plain", NULL, "key new: without a passphrase", set_flag, NULL},
	{"state", "DIR", "the state directory, when it is not yours", cli_set_state, NULL},
	{"json", NULL, "print JSON", cli_set_json, NULL},
	{0}};
