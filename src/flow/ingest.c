/* SPDX-License-Identifier: MIT
 *
 * Bytes -> scan -> what is hidden in them -> source_commit. The scan is told what an agent takes the
 * bytes for (a tool's answer, a prompt), and not what they say of themselves. A finding of the deny
 * grade makes the source hostile; one that could not be decided makes it no better than asked about.
 */
#include "flow/ingest.h"

#include <stdio.h>
#include <string.h>

/* What such a text is to the rules. Those without a type are asked about with every rule: what a
 * tool says of itself stands in fields that no other event has. */
static const struct {
	bool has_type;
	enum event_type type;
} events[FROM_COUNT] = {
	[FROM_WEB] = {true, EVENT_TOOL_RESPONSE},
	[FROM_FILE] = {true, EVENT_TOOL_RESPONSE},
	[FROM_TOOL_RESULT] = {true, EVENT_TOOL_RESPONSE},
	[FROM_TOOL_META] = {false, EVENT_OTHER},
	[FROM_RESOURCE] = {true, EVENT_TOOL_RESPONSE},
	[FROM_PROMPT] = {true, EVENT_LLM_INPUT},
	[FROM_INSTRUCTIONS] = {false, EVENT_OTHER},
	[FROM_RUN_OUTPUT] = {true, EVENT_TOOL_RESPONSE},
};

static int look(struct look *l, const struct packs *rules, const struct ingest_in *in,
		struct err *err)
{
	char name[SOURCE_NAME_MAX + 1] = "";
	struct look_at at = {.name = name,
			     .data = in->data,
			     .options = {.mode = DETECT_STRICT,
					 .has_type = events[in->kind].has_type,
					 .type = events[in->kind].type,
					 .no_events = true}};

	l->policy = in->policy;
	if (in->name)
		memcpy(name, in->name,
		       in->name_len < SOURCE_NAME_MAX ? in->name_len : SOURCE_NAME_MAX);
	return look_at(l, rules, &at, err);
}

static int record(struct gate_state *state, struct conversation *c, const struct ingest_in *in,
		  struct ingest_report *report, struct err *err)
{
	const struct look *l = &report->look;
	const char *rule[REPORT_FINDINGS_MAX];
	struct source_in source = {.kind = in->kind,
				   .name = in->name,
				   .name_len = in->name_len,
				   .text = l->text,
				   .count = l->textc,
				   .own = in->own,
				   .ownc = in->ownc,
				   .grade = l->grade,
				   .rules = rule,
				   .rulec = l->listed,
				   .refs = in->refs,
				   .refc = in->refc};

	for (size_t i = 0; i < l->listed; i++)
		rule[i] = l->finding[i].rule;
	return source_commit(&state->keeper, c, &source, &report->released, err);
}

static int check(const struct ingest_in *in, struct err *err)
{
	if (in->kind >= FROM_COUNT)
		return err_set(err, ERR_USAGE, "there is no such kind of source");
	if (in->data.len <= INGEST_BYTES_MAX)
		return 0;
	err_set(err, ERR_LIMIT, "a source has at most %zu bytes", (size_t)INGEST_BYTES_MAX);
	err_cure(err, "ingest it in parts, and release it in the same parts");
	return -1;
}

int ingest(struct gate_state *state, const struct packs *rules, struct conversation *c,
	   const struct ingest_in *in, struct ingest_report *ret, struct err *err)
{
	memset(ret, 0, sizeof(*ret));
	if (check(in, err) < 0 || look(&ret->look, rules, in, err) < 0 ||
	    record(state, c, in, ret, err) < 0)
		return -1;
	ret->withheld = actions_withhold(ret->look.actions);
	if (ret->withheld)
		ret->released.data = NULL;
	char why[96];
	snprintf(why, sizeof(why), "rule %.64s", ret->look.denied_by ? ret->look.denied_by : "");
	return actions_carry_out(state, c, ret->look.actions, why, err);
}

void ingest_done(struct ingest_report *r)
{
	look_done(&r->look);
}
