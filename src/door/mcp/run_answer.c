/* SPDX-License-Identifier: MIT
 *
 * See run_answer.h. The fields are those of `cordon run --json`, as far as they say something.
 */
#include "door/mcp/run_answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "approval/summary.h"
#include "base/memory.h"
#include "base/scope.h"
#include "show/run_json.h"

enum { SAID_MAX = 8 };

#define STRINGS "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"
#define OBJECTS "{\"type\":\"array\",\"items\":{\"type\":\"object\"}}"

const char run_answer_schema[] =
	"{\"type\":\"object\",\"properties\":{"
	"\"status\":{\"type\":\"string\",\"description\":\"exited, signaled, timed_out, limit, "
	"refused, "
	"pending (a person is asked; nothing ran) or error\"},"
	"\"exit_code\":{\"type\":\"integer\"},\"signal\":{\"type\":\"integer\"},"
	"\"limit\":{\"type\":\"string\",\"description\":\"the limit that was reached\"},"
	"\"stdout\":{\"type\":\"string\"},\"stderr\":{\"type\":\"string\"},"
	"\"stdout_encoding\":{\"type\":\"string\",\"description\":\"base64, if it is not UTF-8\"},"
	"\"stderr_encoding\":{\"type\":\"string\"},"
	"\"truncated\":{\"type\":\"object\",\"description\":\"for each stream that was cut: what "
	"is "
	"missing\"},"
	"\"wall_ms\":{\"type\":\"integer\"},"
	"\"state\":{\"type\":\"string\",\"description\":\"clean or exposed\"},"
	"\"reasons\":" STRINGS ",\"rules\":" OBJECTS ",\"effects\":" OBJECTS ",\"denials\":" OBJECTS
	",\"egress\":" OBJECTS ",\"hints\":" STRINGS ","
	"\"approval_id\":{\"type\":\"string\"},"
	"\"waits\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"description\":\"what a "
	"person is "
	"asked\"},"
	"\"error\":{\"type\":\"object\",\"properties\":{\"message\":{\"type\":\"string\"},"
	"\"cause\":{\"type\":\"string\"},\"cure\":{\"type\":\"string\"}}}"
	"},\"required\":[\"status\"]}";

/* Fields of the whole result, and when they say something. */
static const struct {
	const char *name;
	enum { IF_SET, IF_RUN, IF_FAILED, IF_NOT_RUN } when;
} picks[] = {{"status", IF_SET},    {"exit_code", IF_SET},  {"signal", IF_SET},
	     {"limit", IF_SET},	    {"stdout", IF_RUN},	    {"stderr", IF_RUN},
	     {"truncated", IF_SET}, {"state", IF_SET},	    {"reasons", IF_NOT_RUN},
	     {"rules", IF_NOT_RUN}, {"denials", IF_FAILED}, {"egress", IF_FAILED},
	     {"hints", IF_FAILED},  {"approval_id", IF_SET}};

static bool says_nothing(const json_t *v)
{
	return !v || json_is_null(v) || (json_is_array(v) && !json_array_size(v)) ||
	       (json_is_object(v) && !json_object_size(v));
}

/* Effects that the run wanted and did not get. */
static json_t *missing_effects(const json_t *all)
{
	json_t *list = json_array(), *one;
	size_t i;

	json_array_foreach (json_object_get(all, "effects"), i, one) {
		const char *outcome = json_string_value(json_object_get(one, "outcome"));
		if (outcome && json_array_size(list) < SAID_MAX &&
		    (strcmp(outcome, "withheld") == 0 || strcmp(outcome, "waits") == 0))
			json_array_append(list, one);
	}
	return list;
}

static void put(json_t *o, const char *name, json_t *value)
{
	if (says_nothing(value))
		json_decref(value);
	else if (json_object_set_new(o, name, value) < 0)
		memory_note();
}

/* Of a list the first entries. */
static json_t *shortened(json_t *value)
{
	if (!json_is_array(value) || json_array_size(value) <= SAID_MAX)
		return json_incref(value);
	json_t *list = json_array();
	for (size_t i = 0; i < SAID_MAX; i++)
		json_array_append(list, json_array_get(value, i));
	return list;
}

static json_t *error_of(const json_t *all)
{
	static const char *const names[] = {"message", "cause", "cure"};
	const json_t *error = json_object_get(all, "error");
	json_t *o = json_object();

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *text = json_string_value(json_object_get(error, names[i]));
		if (text && *text)
			json_object_set_new(o, names[i], json_string(text));
	}
	return o;
}

static void put_encoding(json_t *o, const json_t *all, const char *name)
{
	json_t *encoding = json_object_get(all, name);

	if (encoding && strcmp(json_string_value(encoding), "utf-8") != 0)
		json_object_set(o, name, encoding);
}

/* The program ran, but an agent must not read what it printed. */
static void withhold(json_t *o, const char *rule)
{
	json_object_del(o, "stdout");
	json_object_del(o, "stderr");
	json_object_set_new(o, "error",
			    json_pack("{s:s, s:o}", "message",
				      "the program ran, but a rule withholds its output", "cause",
				      json_sprintf("rule %s", rule)));
}

static json_t *structured(const struct result *r)
{
	json_t *all = run_json(r, TIER_FULL), *o = json_object();
	bool did_run = r->ran == RAN_ENDED, failed = r->status != STATUS_EXITED || r->exit_code;

	for (size_t i = 0; i < ARRAY_SIZE(picks); i++)
		if (picks[i].when == IF_SET || (picks[i].when == IF_RUN && did_run) ||
		    (picks[i].when == IF_FAILED && failed) ||
		    (picks[i].when == IF_NOT_RUN && !did_run))
			put(o, picks[i].name, shortened(json_object_get(all, picks[i].name)));
	put_encoding(o, all, "stdout_encoding");
	put_encoding(o, all, "stderr_encoding");
	if (did_run)
		put(o, "wall_ms", jsonval_number(r->wire.wall_ms));
	put(o, "effects", missing_effects(all));
	put(o, "error", error_of(all));
	if (r->report && r->report->withheld)
		withhold(o, r->report->withheld);
	json_decref(all);
	return o;
}

/* ---- the same as text ---- */

static void say(FILE *to, const char *label, const char *words)
{
	if (words && *words)
		fprintf(to, "cordon: %s%s\n", label, words);
}

static void say_stream(FILE *to, const json_t *o, const char *name)
{
	const json_t *text = json_object_get(o, name);
	size_t len = json_string_length(text);

	if (!len)
		return;
	fwrite(json_string_value(text), 1, len, to);
	if (json_string_value(text)[len - 1] != '\n')
		fputc('\n', to);
}

static void say_list(FILE *to, const json_t *o, const char *list, const char *label,
		     const char *member)
{
	json_t *one;
	size_t i;

	json_array_foreach (json_object_get(o, list), i, one)
		say(to, label, json_string_value(member ? json_object_get(one, member) : one));
}

static void say_effects(FILE *to, const json_t *o)
{
	json_t *one;
	size_t i;

	json_array_foreach (json_object_get(o, "effects"), i, one) {
		fprintf(to, "cordon: %s: %s %s\n",
			json_string_value(json_object_get(one, "outcome")),
			json_string_value(json_object_get(one, "effect")),
			json_string_value(json_object_get(one, "object")));
		say(to, "  because: ", json_string_value(json_object_get(one, "reason")));
		say(to, "  try: ", json_string_value(json_object_get(one, "command")));
	}
}

static void say_denials(FILE *to, const json_t *o)
{
	json_t *one;
	size_t i;

	json_array_foreach (json_object_get(o, "denials"), i, one) {
		const char *option = json_string_value(json_object_get(one, "option"));
		fprintf(to, "cordon: refused: %s %s (%s)%s%s\n",
			json_string_value(json_object_get(one, "call")),
			json_string_value(json_object_get(one, "target")),
			json_string_value(json_object_get(one, "rule")),
			option ? "; the person can allow it: " : "", option ? option : "");
	}
}

static void say_end(FILE *to, const json_t *o, const struct result *r)
{
	if (r->status == STATUS_EXITED)
		fprintf(to, "cordon: exit code %d\n", r->exit_code);
	else
		fprintf(to, "cordon: %s\n", status_name(r->status));
	say(to, "limit: ", json_string_value(json_object_get(o, "limit")));
}

static void add_text(struct mcp_answer *a, const struct result *r)
{
	const json_t *o = a->structured, *error = json_object_get(o, "error");
	AUTO_FREE char *text = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&text, &len);

	if (!to) {
		memory_note();
		return;
	}
	say_stream(to, o, "stdout");
	say_stream(to, o, "stderr");
	if (r->status != STATUS_EXITED || r->exit_code || !ftell(to))
		say_end(to, o, r);
	say(to, "", json_string_value(json_object_get(error, "message")));
	say(to, "because: ", json_string_value(json_object_get(error, "cause")));
	say(to, "try: ", json_string_value(json_object_get(error, "cure")));
	say_list(to, o, "reasons", "because: ", NULL);
	say_list(to, o, "rules", "rule: ", "title");
	say_effects(to, o);
	say_denials(to, o);
	say_list(to, o, "hints", "try: ", NULL);
	say_list(to, o, "waits", "", NULL);
	fclose(to);
	mcp_add_text(a, text ? text : "", text ? len : 0);
}

/* ---- what waits for a person ---- */

/* An answer in the client is no approval: the agent's host could give it by itself. */
static json_t *question_of(const json_t *lines)
{
	struct arena a = {0};
	const char *message = "";
	json_t *one;
	size_t i;

	json_array_foreach (lines, i, one)
		message = arena_printf(&a, "%s%s\n", message, json_string_value(one));
	message = arena_printf(
		&a,
		"%sAn answer here approves nothing. First answer in a terminal, as above; then "
		"accept here to go on, or decline to refuse it.",
		message);
	json_t *q = json_pack("{s:s, s:s, s:{s:s, s:{s:{s:s, s:s, s:s, s:b}}}}", "mode", "form",
			      "message", message, "requestedSchema", "type", "object", "properties",
			      "answered", "type", "boolean", "title", "I have answered",
			      "description", "You have approved it in a terminal", "default", 1);
	arena_done(&a);
	return q;
}

json_t *run_answer_lines(const struct approval *a, uint64_t now)
{
	struct summary_line line[SUMMARY_LINES];
	struct arena arena = {0};
	size_t count = approval_summary(a, now, &arena, line);
	json_t *lines = json_array();

	for (size_t i = 0; i < count; i++) {
		bool goes_on = !line[i].label[0];
		const char *text = arena_printf(&arena, "%s%s%s", line[i].label,
						goes_on ? "    " : ": ", line[i].text);
		json_array_append_new(lines, jsonval_readable(text));
	}
	arena_done(&arena);
	return lines;
}

int run_answer_waits(struct mcp_session *s, const char *approval, struct mcp_answer *ret,
		     struct err *err)
{
	const struct gate_state_options options = {.path = s->command.state, .read_only = true};
	AUTO_STATE struct gate_state state = STATE_CLOSED;
	AUTO_APPROVAL struct approval a = {0};

	if (gate_state_open(&state, &options, err) < 0 ||
	    approval_load(state.store, approval, &a, err) < 0)
		return -1;
	json_t *lines = run_answer_lines(&a, state.keeper.now_us() / 1000);
	snprintf(ret->waits_for, sizeof(ret->waits_for), "%s", approval);
	ret->question = question_of(lines);
	json_array_append_new(
		lines,
		json_string("after the person's answer, make the same call again; approval_status "
			    "tells the answer"));
	json_object_set_new(ret->structured, "waits", lines);
	return 0;
}

void run_answer(struct mcp_call *call, const struct result *r, struct mcp_answer *ret)
{
	struct err err;

	ret->structured = structured(r);
	ret->is_error = r->status != STATUS_EXITED || (r->report && r->report->withheld);
	if (r->status == STATUS_PENDING && r->report && r->report->approval[0] &&
	    run_answer_waits(call->session, r->report->approval, ret, &err) < 0)
		json_object_set_new(ret->structured, "waits",
				    json_pack("[o]", jsonval_readable(err.message)));
	add_text(ret, r);
}
