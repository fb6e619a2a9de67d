/* SPDX-License-Identifier: MIT
 *
 * cordon grant: a person allows a conversation or a directory some effects for a time. Exposed
 * code gets these and no others.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "approval/summary.h"
#include "base/scope.h"
#include "conf/units.h"
#include "door/cli/open_state.h"
#include "door/cli/person.h"
#include "policy/policy.h"
#include "show/jsonval.h"
#include "show/terminal.h"
#include "show/ticket_json.h"
#include "store/buf.h"
#include "trust/conversation.h"
#include "trust/ticket.h"

enum { WRITES_MAX = 32 };

struct options {
	const char *directory;
	size_t writec;
	const char *write[WRITES_MAX];
	uint64_t sent_max, runs, ttl_ms; /* 0: the default */
};

CLI_OWN(struct options)

#define DEFAULT_US ((uint64_t)8 * 3600 * 1000000)
enum { WORDS_MAX = 128 << 10, USE_WORDS_MAX = 1024 };

/* A plan has the secret's name alone. */
static const char *use_words(const char *text, char buf[static USE_WORDS_MAX])
{
	struct policy_use use;
	struct err ignored;

	if (policy_use_parse(text, &use, &ignored) < 0)
		return text;
	snprintf(buf, USE_WORDS_MAX, "%s in %s requests to %s%s%s", use.name, use.in.methods,
		 use.host, use.in.path, use.in.path[1] ? " and below" : "");
	return buf;
}

static void print_ticket(const struct ticket *t)
{
	static const enum cap caps[] = {CAP_WRITE, CAP_NET, CAP_SECRET};
	char hex[ID_HEX], when[TERMINAL_TIME_MAX], use[USE_WORDS_MAX];

	printf("%s  %s until %s by ", id_hex(&t->id, hex), ticket_giver_name(t->giver),
	       terminal_time(t->to_us, when));
	terminal_words(stdout, t->by);
	if (t->has_conversation)
		printf("\n  conversation %s", id_hex(&t->conversation, hex));
	if (t->has_directory) {
		fputs("\n  directory ", stdout);
		terminal_words(stdout, t->directory);
	}
	for (size_t c = 0; c < ARRAY_SIZE(caps); c++)
		for (size_t i = 0; i < t->count[caps[c]]; i++) {
			printf("\n  %s ", cap_name(caps[c]));
			terminal_words(stdout, caps[c] == CAP_SECRET
						       ? use_words(t->list[caps[c]][i], use)
						       : t->list[caps[c]][i]);
		}
	putchar('\n');
}

static int list_one(void *context, struct ticket *t, struct err *err)
{
	json_t *all = context;

	if (!all) {
		print_ticket(t);
		return 0;
	}
	return json_array_append_new(all, jsonval_object(ticket_fields, t)) < 0 ? err_memory(err)
										: 0;
}

static int list(struct cli_call *call, struct gate_state *s, struct err *err)
{
	json_t *all = call->json ? jsonval_array() : NULL;
	int r = ticket_each(&s->keeper, s->keeper.now_us(), list_one, all, err);

	if (r == 0 && all)
		jsonval_print(json_pack("{s:O}", "tickets", all));
	json_decref(all);
	return r;
}

/* A revocation needs no approval. */
static int revoke_ticket(struct cli_call *call, struct gate_state *s, struct err *err)
{
	AUTO_TICKET struct ticket t = {0};

	if (ticket_revoke(&s->keeper, call->argv[1], s->principal, err) < 0 ||
	    ticket_load(&s->keeper, call->argv[1], &t, err) < 0)
		return -1;
	if (call->json)
		jsonval_print(jsonval_object(ticket_fields, &t));
	else
		puts("revoked");
	return 0;
}

/* Exposed code gets exact hosts: a pattern would let it choose the host. */
static int add_host(struct ticket *t, const char *text, struct err *err)
{
	struct policy_net net;
	char form[POLICY_NET_TEXT_MAX];

	if (policy_net_parse(text, true, &t->arena, &net, err) < 0)
		return -1;
	if (policy_net_many(&net))
		return err_set(err, ERR_USAGE,
			       "--net %.64s: a grant names one host and one port, and this is %s",
			       text, policy_net_many(&net));
	t->list[CAP_NET][t->count[CAP_NET]++] =
		arena_dup(&t->arena, policy_net_format(&net, form, sizeof(form)));
	return 0;
}

static int add_secret(struct ticket *t, const char *text, struct err *err)
{
	struct policy_use use;

	if (policy_use_parse(text, &use, err) < 0) {
		err_context(err, "--secret");
		return -1;
	}
	t->list[CAP_SECRET][t->count[CAP_SECRET]++] = policy_use_format(&use, &t->arena);
	return 0;
}

static int add_effects(const struct cli_call *call, struct ticket *t, struct err *err)
{
	const struct request *r = &call->request;

	if (r->netc > TICKET_LIST_MAX || r->secretc > TICKET_LIST_MAX)
		return err_set(err, ERR_LIMIT, "at most %d hosts and secrets", TICKET_LIST_MAX);
	for (size_t i = 0; i < options_of(call)->writec; i++)
		t->list[CAP_WRITE][t->count[CAP_WRITE]++] =
			arena_dup(&t->arena, options_of(call)->write[i]);
	for (size_t i = 0; i < r->netc; i++)
		if (add_host(t, r->net[i], err) < 0)
			return -1;
	for (size_t i = 0; i < r->secretc; i++)
		if (add_secret(t, r->secret[i], err) < 0)
			return -1;
	return 0;
}

static int add_subject(const struct cli_call *call, struct gate_state *s, struct ticket *t,
		       struct err *err)
{
	const char *dir = options_of(call)->directory;
	struct conversation c;

	if (call->request.conversation) {
		if (conversation_find(&s->keeper, call->request.conversation, &c, err) < 0)
			return -1;
		t->has_conversation = true;
		t->conversation = c.id;
	}
	if (!dir)
		return 0;
	AUTO_CLOSE int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	AUTO_FREE struct directory_place *at = calloc(1, sizeof(*at));
	if (fd < 0)
		return err_errno(err, ERR_INPUT, "%.200s", dir);
	if (!at)
		return err_memory(err);
	if (directory_find(fd, dir, at, err) < 0)
		return -1;
	t->has_directory = true;
	t->directory = arena_dup(&t->arena, at->path);
	t->identity = at->identity[0];
	return 0;
}

/* Says in plain words what data can leave. */
static void put_words(struct buf *out, const struct ticket *t)
{
	const char *all = t->has_directory ? "all of the directory" : "all";
	char use[USE_WORDS_MAX], hex[ID_HEX];
	struct arena arena = {0};

	buf_printf(out, "Exposed code");
	if (t->has_conversation)
		buf_printf(out, " of conversation %s", id_hex(&t->conversation, hex));
	if (t->has_directory)
		buf_printf(out, " in %s", t->directory);
	buf_printf(out, " may");
	for (size_t i = 0; i < t->count[CAP_WRITE]; i++)
		buf_printf(out, "%s write %s", i ? "," : "",
			   strcmp(t->list[CAP_WRITE][i], ".") == 0 ? all : t->list[CAP_WRITE][i]);
	if (t->count[CAP_WRITE] && !t->has_directory)
		buf_printf(out, " below any directory that it is given");
	for (size_t i = 0; i < t->count[CAP_NET]; i++)
		buf_printf(out, "%s send up to %llu bytes of anything it can read to %s",
			   i || t->count[CAP_WRITE] ? "," : "", (unsigned long long)t->sent_max,
			   t->list[CAP_NET][i]);
	for (size_t i = 0; i < t->count[CAP_SECRET]; i++)
		buf_printf(out, "%s use the secret %s, and send up to %llu bytes to that host",
			   i || t->count[CAP_NET] || t->count[CAP_WRITE] ? "," : "",
			   use_words(t->list[CAP_SECRET][i], use), (unsigned long long)t->sent_max);
	const char *time = approval_duration((t->to_us - t->from_us) / 1000, &arena);
	buf_printf(out, ", for %s", time);
	if (t->runs)
		buf_printf(out, " and %u uses", t->runs);
	buf_printf(out, ".");
	arena_done(&arena);
}

static const char *texts(const struct ticket *t, enum cap cap, struct arena *a)
{
	const char *all = cap_name(cap);

	for (size_t i = 0; i < t->count[cap]; i++)
		all = arena_printf(a, "%s %s", all, arena_quote(a, t->list[cap][i]));
	return all;
}

/* The approval binds the words, and each number and name of the ticket. */
static int agree(struct cli_call *call, struct gate_state *s, const struct ticket *t,
		 const struct directory_identity *at, struct person_act *act, struct err *err)
{
	AUTO_BUF struct buf words = {.most = WORDS_MAX};
	struct arena *a = &call->arena;
	char hex[ID_HEX] = "";

	put_words(&words, t);
	buf_add(&words, "\n", 2);
	if (words.failed)
		return err_memory(err);
	const struct approval_text arg[] = {
		{arena_printf(a, "conversation %s",
			      t->has_conversation ? id_hex(&t->conversation, hex) : "")},
		{arena_printf(a, "directory %" PRIu64 " %" PRIu64 " %s", at->inode, at->born_ns,
			      t->has_directory ? t->directory : "")},
		{texts(t, CAP_WRITE, a)},
		{texts(t, CAP_NET, a)},
		{texts(t, CAP_SECRET, a)},
		{arena_printf(a, "sent %" PRIu64 " runs %u time %" PRIu64, t->sent_max, t->runs,
			      t->to_us - t->from_us)}};
	act->act = (struct approval_act){.name = "grant",
					 .words = (const char *)words.data,
					 .arg = arg,
					 .argc = ARRAY_SIZE(arg),
					 .conversation = call->request.conversation};
	for (unsigned c = 0; c < CAP_COUNT; c++)
		if (t->count[c])
			act->act.caps |= CAP_BIT(c);
	return a->failed ? err_memory(err) : person_agree(call, s, act, err);
}

/* Returns 1 if the request waits for people. */
static int give(struct cli_call *call, struct gate_state *s, struct err *err)
{
	AUTO_TICKET struct ticket t = {.giver = TICKET_GRANT};
	AUTO_ACT struct person_act act = {0};
	AUTO_TX struct store_tx tx = {0};

	t.from_us = s->keeper.now_us();
	t.to_us = t.from_us +
		  (options_of(call)->ttl_ms ? options_of(call)->ttl_ms * 1000 : DEFAULT_US);
	t.runs = (uint32_t)options_of(call)->runs;
	t.sent_max = options_of(call)->sent_max ? options_of(call)->sent_max : TICKET_SENT_DEFAULT;
	if (add_subject(call, s, &t, err) < 0 || add_effects(call, &t, err) < 0 ||
	    ticket_check_bounds(&t, err) < 0)
		return -1;
	int agreed = agree(call, s, &t, &t.identity, &act, err);
	if (agreed)
		return agreed;
	/* The approval may have taken long: the grant begins now. */
	uint64_t now = s->keeper.now_us();
	t.to_us += now - t.from_us;
	t.from_us = now;
	t.by = act.by;
	person_take(&act, s, &tx);
	if (ticket_give(&s->keeper, &t, &tx, err) < 0)
		return -1;
	if (call->json)
		jsonval_print(jsonval_object(ticket_fields, &t));
	else
		print_ticket(&t);
	return 0;
}

static int check_words(const struct cli_call *call, struct err *err)
{
	const struct request *r = &call->request;

	if (!r->conversation && !options_of(call)->directory)
		return err_set(err, ERR_USAGE, "--conversation or --directory is required");
	if (!options_of(call)->writec && !r->netc && !r->secretc)
		return err_set(err, ERR_USAGE,
			       "an effect is required (--write PATH, --net HOST:PORT, --secret "
			       "NAME=METHODS:HOST:PORT/PATH)");
	return 0;
}

static const struct verb {
	struct cli_verb verb;
	int (*run)(struct cli_call *call, struct gate_state *s, struct err *err);
} verbs[] = {{{"list", NULL, 0, 0}, list}, {{"revoke", NULL, 1, 1}, revoke_ticket}},
  giving = {{NULL, NULL, 0, 0}, give};

static int run_grant(struct cli_call *call)
{
	AUTO_STATE struct gate_state s = STATE_CLOSED;
	struct err err;
	const struct verb *verb =
		call->argc ? cli_find_verb(call, verbs, ARRAY_SIZE(verbs), sizeof(verbs[0]), &err)
			   : &giving;

	if (!verb || (verb == &giving && check_words(call, &err) < 0) ||
	    cli_open_state(call, STATE_WRITES, &s, &err) < 0)
		return cli_fail_short(call, &err);
	int r = verb->run(call, &s, &err);
	return r < 0 ? cli_fail_short(call, &err) : r ? PERSON_WAITS : 0;
}

static int set_write(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o;
	if (options_of(c)->writec == WRITES_MAX)
		return err_set(err, ERR_LIMIT, "--write: more than %d", WRITES_MAX);
	const char *path = policy_path(v, &c->arena, err);
	options_of(c)->write[options_of(c)->writec++] = path;
	if (path)
		return 0;
	if (err->code == ERR_INPUT)
		err->code = ERR_USAGE;
	err_context(err, "--write");
	return -1;
}

static int set_sent(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o;
	if (units_parse(UNIT_BYTES, v, &options_of(c)->sent_max) && options_of(c)->sent_max)
		return 0;
	return err_set(err, ERR_USAGE, "--sent: bytes that a run may send, like 10M");
}

static const struct cli_option grant_options[] = {
	CLI_CONVERSATION_ROW,
	CLI_TEXT(struct options, directory, "directory", "DIR",
		 "allow it to runs in this directory"),
	{"write", "PATH", "a path below the directory, or . for all of it; may be repeated",
	 .set = set_write, .may_repeat = true},
	{"net", "HOST:PORT", "a host to which it may connect; may be repeated", .set = cli_set_net,
	 .may_repeat = true},
	{"secret", "USE",
	 "a secret and its requests, NAME=GET,POST:HOST:PORT/PATH; may be repeated",
	 .set = cli_set_secret, .may_repeat = true},
	{"sent", "N", "bytes that one run may send; default 10M", .set = set_sent},
	{"for", "TIME", "how long it is valid; default 8h, at most 720h", .set = cli_set_validity,
	 .at = offsetof(struct options, ttl_ms)},
	{"runs", "N", "the number of runs; default: any number", .set = cli_set_runs,
	 .at = offsetof(struct options, runs)},
	CLI_AGREE_ROWS,
	CLI_REQUEST_ROWS,
	CLI_STATE_ROW,
	CLI_JSON_ROW,
	{0}};

static const struct json_doc grant_docs[] = {{"grant", ticket_fields}, {0}};

static const struct cli_exit grant_exits[] = {
	{"0", "success"},
	{"2", "wrong usage"},
	{"75", "it waits for approval; after that, the same command grants it"},
	{"125",
	 "there is no such conversation, directory or ticket; the state could not be read or "
	 "written"},
	{"126", "refused: no person approved it, or others have access to the state directory"},
	{"", ""}};

static const struct cli_combination grant_combinations[] = {
	{"conversation, directory, write, net, secret, sent, for, runs, policy, title, purpose, "
	 "wait",
	 NOT_FOR, "list, revoke"},
	{"sent", NEEDS, "net, secret"},
	{0}};

COMMAND(grant) = {
	.name = "grant",
	.order = 110,
	.synopsis = "[options] | list | revoke ID",
	.help = "allow exposed code some effects for a time",
	.example = "cordon grant --directory ~/app --write . --for 8h",
	.options = grant_options,
	.combinations = grant_combinations,
	.exits = grant_exits,
	.docs = {grant_docs},
	.usage_status = 2,
	.takes_operands = true,
	.run = run_grant,
};
