/* SPDX-License-Identifier: MIT
 *
 * cordon grant: a person allows a conversation or a directory some effects for a time. Exposed code gets
 * these and no others.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/scope.h"
#include "cli/gate.h"
#include "cli/jsonval.h"
#include "cli/person.h"
#include "cli/shown.h"
#include "policy/policy.h"
#include "store/buf.h"
#include "trust/conversation.h"
#include "trust/ticket.h"

#define DEFAULT_US ((uint64_t)8 * 3600 * 1000000)
enum { WORDS_MAX = 128 << 10, USE_WORDS_MAX = 1024 };

static json_t *list_json(const struct ticket *t, enum cap cap)
{
	json_t *all = jsonval_array();

	for (size_t i = 0; i < t->count[cap]; i++)
		json_array_append_new(all, jsonval_readable(t->list[cap][i]));
	return all;
}

#define TOLD(function, expression) FIELD(function, struct ticket, expression)
TOLD(told_id, gate_id_json(&v->id))
TOLD(told_giver, json_string(ticket_giver_name(v->giver)))
TOLD(told_by, jsonval_readable(v->by))
TOLD(told_conversation, v->has_conversation ? gate_id_json(&v->conversation) : json_null())
TOLD(told_directory, v->has_directory ? jsonval_readable(v->directory) : json_null())
TOLD(told_program, v->has_program ? gate_hex_json(v->program, sizeof(v->program)) : json_null())
TOLD(told_write, list_json(v, CAP_WRITE))
TOLD(told_net, list_json(v, CAP_NET))
TOLD(told_secret, list_json(v, CAP_SECRET))
TOLD(told_sent, jsonval_number(v->sent_max))
TOLD(told_to, jsonval_number(v->to_us / 1000))
TOLD(told_runs, v->runs ? jsonval_number(v->runs) : json_null())
TOLD(told_used, jsonval_number(v->used))

const struct cli_field gate_ticket_fields[] = {
	{"ticket", "its id", told_id},
	{"giver", "plan or grant", told_giver},
	{"by", "the person or the account", told_by},
	{"conversation", "that it is for, or null", told_conversation},
	{"directory", "that it is for, or null", told_directory},
	{"program", "hash of the program that it is for, or null", told_program},
	{"write", "paths below the directory", told_write},
	{"net", "hosts", told_net},
	{"secret", "names of secrets; of a grant NAME=METHODS:HOST:PORT/PATH", told_secret},
	{"sent_max", "bytes that one run may send", told_sent},
	{"to", "ms since 1970: not after", told_to},
	{"runs", "for how many, or null: any number", told_runs},
	{"used", "how many it was used for", told_used},
	{0}};

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
	char hex[ID_HEX], when[GATE_TIME_MAX], use[USE_WORDS_MAX];

	printf("%s  %s until %s by ", id_hex(&t->id, hex), ticket_giver_name(t->giver),
	       gate_time(t->to_us, when));
	shown_words(stdout, t->by);
	if (t->has_conversation)
		printf("\n  conversation %s", id_hex(&t->conversation, hex));
	if (t->has_directory) {
		fputs("\n  directory ", stdout);
		shown_words(stdout, t->directory);
	}
	for (size_t c = 0; c < ARRAY_SIZE(caps); c++)
		for (size_t i = 0; i < t->count[caps[c]]; i++) {
			printf("\n  %s ", cap_name(caps[c]));
			shown_words(stdout, caps[c] == CAP_SECRET
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
	return json_array_append_new(all, jsonval_object(gate_ticket_fields, t)) < 0
		       ? err_memory(err)
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

/* To take a right away needs no agreement. */
static int revoke_ticket(struct cli_call *call, struct gate_state *s, struct err *err)
{
	AUTO_TICKET struct ticket t = {0};

	if (ticket_revoke(&s->keeper, call->argv[1], s->principal, err) < 0 ||
	    ticket_load(&s->keeper, call->argv[1], &t, err) < 0)
		return -1;
	if (call->json)
		jsonval_print(jsonval_object(gate_ticket_fields, &t));
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
	for (size_t i = 0; i < call->gate.writec; i++)
		t->list[CAP_WRITE][t->count[CAP_WRITE]++] =
			arena_dup(&t->arena, call->gate.write[i]);
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
	const char *dir = call->gate.directory;
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

/* What can leave, in words that a tired person understands. */
static void put_words(struct buf *out, const struct ticket *t)
{
	const char *all = t->has_directory ? "all of the directory" : "all";
	char use[USE_WORDS_MAX], hex[ID_HEX];

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
	buf_printf(out, ", for %llu minutes",
		   (unsigned long long)((t->to_us - t->from_us) / 60000000));
	if (t->runs)
		buf_printf(out, " and %u uses", t->runs);
	buf_printf(out, ".");
}

static int give(struct cli_call *call, struct gate_state *s, struct err *err)
{
	AUTO_TICKET struct ticket t = {.giver = TICKET_GRANT};
	AUTO_BUF struct buf words = {.most = WORDS_MAX};
	AUTO_TX struct store_tx tx = {0};
	struct person_act act = {0};

	t.from_us = s->keeper.now_us();
	t.to_us = t.from_us + (call->gate.ttl_ms ? call->gate.ttl_ms * 1000 : DEFAULT_US);
	t.runs = (uint32_t)call->gate.runs;
	t.sent_max = call->gate.sent_max ? call->gate.sent_max : TICKET_SENT_DEFAULT;
	if (add_subject(call, s, &t, err) < 0 || add_effects(call, &t, err) < 0 ||
	    ticket_check_bounds(&t, err) < 0)
		return -1;
	put_words(&words, &t);
	buf_add(&words, "", 1);
	if (words.failed)
		return err_memory(err);
	act.words = (const char *)words.data;
	if (person_agree(call, s, &act, &tx, err) < 0)
		return -1;
	t.by = act.by;
	if (ticket_give(&s->keeper, &t, &tx, err) < 0)
		return -1;
	if (call->json)
		jsonval_print(jsonval_object(gate_ticket_fields, &t));
	else
		print_ticket(&t);
	return 0;
}

static int check_words(const struct cli_call *call, struct err *err)
{
	const struct request *r = &call->request;

	if (!r->conversation && !call->gate.directory)
		return err_set(err, ERR_USAGE, "for which --conversation or --directory?");
	if (!call->gate.writec && !r->netc && !r->secretc)
		return err_set(err, ERR_USAGE,
			       "grant what? (--write PATH, --net HOST:PORT, "
			       "--secret NAME=METHODS:HOST:PORT/PATH)");
	return 0;
}

int cli_grant(struct cli_call *call)
{
	AUTO_STATE struct gate_state s = STATE_CLOSED;
	const char *verb = call->argc ? call->argv[0] : "";
	struct err err;
	int (*run)(struct cli_call *, struct gate_state *, struct err *) =
		call->argc == 0					 ? give
		: call->argc == 1 && strcmp(verb, "list") == 0	 ? list
		: call->argc == 2 && strcmp(verb, "revoke") == 0 ? revoke_ticket
								 : NULL;

	if (!run) {
		err_set(&err, ERR_USAGE, "there is no such grant command");
		err_cure(&err, "cordon grant --conversation ID --write PATH; cordon grant list; "
			       "cordon grant revoke ID");
		return gate_fail(call, &err);
	}
	if ((run == give && check_words(call, &err) < 0) ||
	    gate_begin(call, GATE_WRITES, &s, &err) < 0 || run(call, &s, &err) < 0)
		return gate_fail(call, &err);
	return 0;
}
