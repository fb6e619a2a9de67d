/* SPDX-License-Identifier: MIT
 *
 * The tool that asks the rules about a text. It records nothing and decides nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "base/scope.h"
#include "door/mcp/session.h"
#include "door/mcp/tools.h"
#include "read/view.h"
#include "show/jsonval.h"

static struct inspect_input input_of(const struct mcp_call *call)
{
	const char *kind = mcp_text(call, "kind");
	const json_t *text = json_object_get(call->arguments, "text");
	struct inspect_input at = {.name = "text",
				   .data = {json_string_value(text), json_string_length(text)},
				   .options = {.mode = DETECT_STRICT,
					       .has_kind = true,
					       .no_events = true,
					       .reader = &view_reader}};

	while (kind && strcmp(kind, scan_kind_name(at.options.kind)) != 0)
		at.options.kind++;
	/* A text is what a tool answered; code is asked about all events. */
	at.options.has_type = at.options.kind == KIND_TEXT;
	at.options.type = EVENT_TOOL_RESPONSE;
	return at;
}

static int inspect(struct mcp_call *call, struct policy *policy, struct packs *rules,
		   struct inspection *found, struct err *err)
{
	const struct request *r = &call->session->command;
	struct packs_options options = {.directory = r->rules,
					.directories = r->rulesc,
					.places = places_of_user(&rules->arena, r->state)};
	struct inspect_input at = input_of(call);

	if (policy_open(policy, r->policy, err) < 0 || inspect_open_rules(rules, &options, err) < 0)
		return -1;
	found->policy = policy;
	return inspect_bytes(found, rules, &at, err);
}

static void answer(const struct inspection *found, struct mcp_answer *ret)
{
	json_t *list = json_array();
	struct arena a = {0};
	const char *text = arena_printf(&a, "cordon: %s, %zu findings\n", grade_name(found->grade),
					found->findings);

	for (size_t i = 0; i < found->listed; i++) {
		const struct report_finding *f = &found->finding[i];
		json_t *one =
			json_pack("{s:o, s:o, s:o, s:s}", "rule", jsonval_readable(f->rule),
				  "title", jsonval_readable(f->title), "severity",
				  jsonval_readable(f->severity), "grade", grade_name(f->grade));
		if (f->line)
			json_object_set_new(one, "line", jsonval_number(f->line));
		json_array_append_new(list, one);
		text = arena_printf(&a, "%s%s: %s (%s)\n", text, f->rule, f->title, f->severity);
	}
	ret->structured =
		json_pack("{s:s, s:s, s:I, s:o, s:b}", "status", "scanned", "grade",
			  grade_name(found->grade), "findings_count", (json_int_t)found->findings,
			  "findings", list, "unread", found->unread);
	mcp_add_text(ret, text, strlen(text));
	arena_done(&a);
}

static void scan(struct mcp_call *call, struct mcp_answer *ret)
{
	AUTO_PAGES struct packs *rules = pages_new(sizeof(*rules));
	AUTO_PAGES struct inspection *found = pages_new(sizeof(*found));
	struct policy policy = {0};
	struct err err;

	if (!rules || !found) {
		err_memory(&err);
		mcp_answer_error(ret, &err);
		return;
	}
	if (inspect(call, &policy, rules, found, &err) < 0)
		mcp_answer_error(ret, &err);
	else
		answer(found, ret);
	inspection_done(found);
	packs_done(rules);
	policy_done(&policy);
}

const struct mcp_tool tool_scan = {
	.name = "scan",
	.title = "Look for attacks in a text",
	.description =
		"Says which rules for attacks on agents match a text or code: prompt injection, "
		"theft of secrets, destructive code. It runs nothing.",
	.input = "{\"type\":\"object\",\"properties\":{"
		 "\"text\":{\"type\":\"string\",\"maxLength\":4194304},"
		 "\"kind\":{\"type\":\"string\",\"enum\":[\"text\",\"python\",\"shell\",\"docker\","
		 "\"make\","
		 "\"skill\",\"json\",\"mcp\",\"notebook\"],\"description\":\"text by default\"}},"
		 "\"required\":[\"text\"],\"additionalProperties\":false}",
	.output = "{\"type\":\"object\",\"properties\":{\"status\":{\"type\":\"string\"},"
		  "\"grade\":{\"type\":\"string\",\"description\":\"none, shown, asks or denies\"},"
		  "\"findings_count\":{\"type\":\"integer\"},"
		  "\"findings\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
		  "\"rule\":{\"type\":\"string\"},\"title\":{\"type\":\"string\"},"
		  "\"severity\":{\"type\":\"string\"},\"grade\":{\"type\":\"string\"},"
		  "\"line\":{\"type\":\"integer\"}}}},"
		  "\"unread\":{\"type\":\"boolean\",\"description\":\"a part was not text\"},"
		  "\"error\":{\"type\":\"object\"}},\"required\":[\"status\"]}",
	.only_reads = true,
	.run = scan,
};
