/* SPDX-License-Identifier: MIT
 *
 * cordon conversation: begins, shows and ends conversations. The host begins a conversation when
 * the user does.
 */
#include "trust/conversation.h"

#include <string.h>

#include "base/scope.h"
#include "door/cli/open_state.h"
#include "live/kept_box.h"
#include "show/jsonval.h"
#include "show/terminal.h"
#include "store/redact.h"

struct options {
	const char *title; /* for new */
};

CLI_OWN(struct options)

struct conversation_view {
	const struct conversation *c;
	json_t *documents; /* or NULL: not wanted */
};

static json_t *time_json(uint64_t us)
{
	return us ? jsonval_number(us / 1000) : json_null();
}

#define CONVERSATION(function, expression) FIELD(function, struct conversation_view, expression)
CONVERSATION(field_id, jsonval_id(&v->c->id))
CONVERSATION(field_title, jsonval_readable(v->c->title))
CONVERSATION(field_account, jsonval_readable(v->c->principal))
CONVERSATION(field_state, json_string(v->c->exposed_us ? "exposed" : "clean"))
CONVERSATION(field_cause, v->c->exposed_us ? jsonval_readable(v->c->cause) : json_null())
CONVERSATION(field_begun, time_json(v->c->begun_us))
CONVERSATION(field_exposed, time_json(v->c->exposed_us))
CONVERSATION(field_ended, time_json(v->c->ended_us))
CONVERSATION(field_end, v->c->ended_us ? jsonval_readable(v->c->end) : json_null())
CONVERSATION(field_sources, jsonval_number(v->c->sources))
CONVERSATION(field_documents, v->documents ? json_incref(v->documents) : json_null())

static const struct json_field conversation_fields[] = {
	{"conversation", "its id", field_id},
	{"title", "the title that the host gave it", field_title},
	{"account", "the account that began it", field_account},
	{"state", "clean or exposed", field_state},
	{"cause", "what exposed it, or null", field_cause},
	{"begun", "ms since 1970", field_begun},
	{"exposed", "ms since 1970, or null", field_exposed},
	{"ended", "ms since 1970, or null", field_ended},
	{"end", "why it ended, or null", field_end},
	{"sources", "number of documents that were read in it", field_sources},
	{"documents", "show: the record of each document; else null", field_documents},
	{0}};

/* One line: "3f2a...  exposed since 2026-01-01 12:00:00 by web page https://...". */
static void print_line(const struct conversation *c)
{
	char hex[ID_HEX], when[TERMINAL_TIME_MAX];

	printf("%s  %s", id_hex(&c->id, hex), c->exposed_us ? "exposed" : "clean");
	if (c->exposed_us) {
		printf(" since %s by ", terminal_time(c->exposed_us, when));
		terminal_short(stdout, c->cause, strlen(c->cause));
	}
	if (c->ended_us)
		printf(", ended %s", terminal_time(c->ended_us, when));
	if (c->title[0]) {
		fputs("  ", stdout);
		terminal_words(stdout, c->title);
	}
	putchar('\n');
}

static void tell(const struct cli_call *call, const struct conversation *c, json_t *documents)
{
	if (call->json)
		jsonval_print(jsonval_object(conversation_fields,
					     &(struct conversation_view){c, documents}));
	else
		print_line(c);
}

static int begin(struct cli_call *call, struct gate_state *s, struct err *err)
{
	const char *title = options_of(call)->title ? options_of(call)->title : "";
	AUTO_BUF struct buf kept = {.most = REDACT_OUT_MAX};
	struct conversation c;
	char hex[ID_HEX];

	if (store_redact(s->store, title, strlen(title), &kept, err) < 0)
		return -1;
	buf_add(&kept, "", 1);
	if (kept.failed)
		return err_memory(err);
	conversation_init(&c, s->principal, (const char *)kept.data, s->keeper.now_us());
	if (conversation_begin(&s->keeper, &c, err) < 0)
		return -1;
	if (call->json)
		tell(call, &c, NULL);
	else
		puts(id_hex(&c.id, hex));
	return 0;
}

static int list_document(void *context, const struct store_row *row, struct err *err)
{
	json_t *all = context;
	struct record r;

	if (record_decode(row->bytes, row->len, &r, err) < 0)
		return -1;
	if (r.kind != RECORD_INGEST)
		return 0;
	json_t *body = json_loadb((const char *)r.body.data, r.body.len, 0, NULL);
	if (!body)
		return err_set(err, ERR_INPUT, "record %llu cannot be read",
			       (unsigned long long)r.seq);
	json_object_set_new(body, "time", jsonval_number(r.time / 1000));
	return json_array_append_new(all, body) < 0 ? err_memory(err) : 0;
}

static void print_documents(const json_t *all)
{
	static const char *const members[] = {"trust", "kind", "name"};
	char when[TERMINAL_TIME_MAX];
	size_t i;
	json_t *one;

	json_array_foreach (all, i, one) {
		uint64_t ms = (uint64_t)json_integer_value(json_object_get(one, "time"));
		printf("  %s", terminal_time(ms * 1000, when));
		for (size_t m = 0; m < ARRAY_SIZE(members); m++) {
			const char *text = json_string_value(json_object_get(one, members[m]));
			fputs("  ", stdout);
			terminal_short(stdout, text ? text : "", text ? strlen(text) : 0);
		}
		putchar('\n');
	}
}

static int show(struct cli_call *call, struct gate_state *s, struct err *err)
{
	json_t *all = jsonval_array();
	char ref[RECORD_REF_MAX], hex[ID_HEX];
	struct conversation c;

	int r = conversation_find(&s->keeper, call->argv[1], &c, err);
	if (r == 0) {
		snprintf(ref, sizeof(ref), "conv:%s", id_hex(&c.id, hex));
		r = store_find(s->store, ref, 0, 0, list_document, all, err);
	}
	if (r == 0)
		tell(call, &c, all);
	if (r == 0 && !call->json)
		print_documents(all);
	json_decref(all);
	return r;
}

static int list_one(void *context, const struct conversation *c, struct err *err)
{
	json_t *all = context;

	if (!all) {
		print_line(c);
		return 0;
	}
	json_t *one = jsonval_object(conversation_fields, &(struct conversation_view){c, NULL});
	return json_array_append_new(all, one) < 0 ? err_memory(err) : 0;
}

static int list(struct cli_call *call, struct gate_state *s, struct err *err)
{
	json_t *all = call->json ? jsonval_array() : NULL;
	int r = conversation_list(&s->keeper, list_one, all, err);

	if (r == 0 && all)
		jsonval_print(json_pack("{s:O}", "conversations", all));
	json_decref(all);
	return r;
}

static int end(struct cli_call *call, struct gate_state *s, struct err *err)
{
	struct conversation c;

	if (conversation_find(&s->keeper, call->argv[1], &c, err) < 0 ||
	    conversation_end(&s->keeper, &c.id, "ended by the host", &c, err) < 0)
		return -1;
	char hex[ID_HEX];
	if (kept_box_stop_all(s->dir, id_hex(&c.id, hex), err) < 0) {
		err_context(err, "the conversation has ended, but not each of its live boxes");
		return -1;
	}
	tell(call, &c, NULL);
	return 0;
}

static const struct verb {
	struct cli_verb verb;
	int (*run)(struct cli_call *call, struct gate_state *s, struct err *err);
} verbs[] = {{{"new", NULL, 0, 0}, begin},
	     {{"show", NULL, 1, 1}, show},
	     {{"list", NULL, 0, 0}, list},
	     {{"end", NULL, 1, 1}, end}};

static int run_conversation(struct cli_call *call)
{
	AUTO_STATE struct gate_state s = STATE_CLOSED;
	struct err err;
	const struct verb *verb =
		cli_find_verb(call, verbs, ARRAY_SIZE(verbs), sizeof(verbs[0]), &err);

	if (!verb || cli_open_state(call, STATE_WRITES, &s, &err) < 0 ||
	    verb->run(call, &s, &err) < 0)
		return cli_fail_short(call, &err);
	return 0;
}

static const struct cli_option conversation_options[] = {
	{"title", "T", "new: a title for people", .set = cli_set_text,
	 .at = offsetof(struct options, title), .may_be_empty = true},
	CLI_STATE_ROW,
	CLI_JSON_ROW,
	{0}};

static const struct json_doc conversation_docs[] = {{"conversation", conversation_fields}, {0}};

static const struct cli_exit conversation_exits[] = {
	{"0", "success"},
	{"2", "wrong usage"},
	{"125", "the state could not be read or written, or there is no such conversation"},
	{"126", "refused: other accounts have access to the state directory"},
	{"", ""}};

static const struct cli_combination conversation_combinations[] = {{"title", ONLY_FOR, "new"}, {0}};

COMMAND(conversation) = {
	.name = "conversation",
	.order = 80,
	.synopsis = "new|list|show ID|end ID [options]",
	.help = "begin, list, show and end conversations",
	.example = "C=$(cordon conversation new)",
	.options = conversation_options,
	.combinations = conversation_combinations,
	.exits = conversation_exits,
	.docs = {conversation_docs},
	.usage_status = 2,
	.takes_operands = true,
	.run = run_conversation,
};
