/* SPDX-License-Identifier: MIT
 *
 * See ingest.h. The scan gets the kind of event that the bytes are for the agent (a tool's answer,
 * a prompt), whatever they say about themselves. A finding of the deny grade makes the source
 * hostile; an undecided finding has at least the grade asks.
 */
#include "flow/ingest.h"

#include <stdio.h>
#include <string.h>

#include "base/pages.h"
#include "base/scope.h"
#include "flow/live_run.h"
#include "gate/gate_log.h"

/* The type of event that each kind of source is for the rules. Kinds without a type are matched
 * against every rule: the description of a tool is in fields that no other event has. */
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

static int inspect(struct inspection *l, const struct packs *rules, const struct ingest_in *in,
		   struct err *err)
{
	char name[SOURCE_NAME_MAX + 1] = "";
	struct inspect_input at = {.name = name,
				   .data = in->data,
				   .options = {.mode = DETECT_STRICT,
					       .has_type = events[in->kind].has_type,
					       .type = events[in->kind].type,
					       .no_events = true}};

	l->policy = in->policy;
	if (in->name)
		memcpy(name, in->name,
		       in->name_len < SOURCE_NAME_MAX ? in->name_len : SOURCE_NAME_MAX);
	return inspect_bytes(l, rules, &at, err);
}

static int record(struct gate_state *state, struct conversation *c, const struct ingest_in *in,
		  struct ingest_report *report, struct err *err)
{
	const struct inspection *l = &report->inspection;
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
	if (check(in, err) < 0 || inspect(&ret->inspection, rules, in, err) < 0 ||
	    record(state, c, in, ret, err) < 0)
		return -1;
	ret->withheld = actions_withhold(ret->inspection.actions);
	if (ret->withheld)
		ret->released.data = NULL;
	char why[96];
	snprintf(why, sizeof(why), "rule %.64s",
		 ret->inspection.denied_by ? ret->inspection.denied_by : "");
	return actions_carry_out(state, c, ret->inspection.actions, why, err) < 0
		       ? -1
		       : live_run_stop_ended(state, c, err);
}

void ingest_done(struct ingest_report *r)
{
	inspection_done(&r->inspection);
}

/* Ingests as much of the output as a source may have. Text of the code itself does not become part
 * of the source, even if the run prints it. */
static int ingest_part(struct gate *g, int stream, struct text data, struct err *err)
{
	static const char *const names[] = {"stdout", "stderr"};
	AUTO_PAGES struct ingest_report *report = pages_new(sizeof(*report));
	char name[SOURCE_NAME_MAX + 1], run[REF_SIZE];
	const char *refs[] = {run};

	if (!report)
		return err_memory(err);
	snprintf(run, sizeof(run), "run:%s", g->report->run);
	snprintf(name, sizeof(name), "%s of run:%.16s", names[stream], g->report->run);
	bool is_file = stream == 0 && g->req->reads;
	if (is_file)
		snprintf(name, sizeof(name), "%s", g->req->reads);
	struct ingest_in in = {.kind = is_file ? FROM_FILE : FROM_RUN_OUTPUT,
			       .name = name,
			       .name_len = strlen(name),
			       .policy = &g->policy,
			       .data = data,
			       .own = g->inspection.text,
			       .ownc = g->origin.derived ? 0 : g->inspection.textc,
			       .refs = refs,
			       .refc = 1};
	int r = gate_rules(g, err);
	if (r == 0)
		r = ingest(&g->state, g->rules, &g->facts.conversation, &in, report, err);
	if (r == 0 && report->withheld)
		g->report->withheld = arena_dup(&g->report->arena, report->inspection.denied_by);
	ingest_done(report);
	return r;
}

static int ingest_stream(struct gate *g, const struct result *r, int stream, struct err *err)
{
	size_t len = 0, gap;
	AUTO_FREE char *all = capture_join(&r->out[stream], &len, &gap);

	if (!all)
		return err_memory(err);
	if (len < INDEX_PIECE_MIN)
		return 0;
	return ingest_part(g, stream,
			   (struct text){all, len < INGEST_BYTES_MAX ? len : INGEST_BYTES_MAX},
			   err);
}

/* Later code may be built on this output. The output of a clean run is no source, and a
 * conversation without a name has no later run. */
int ingest_output(struct gate *g, const struct result *r, struct err *err)
{
	if (!g->facts.conversation.exposed_us || !g->req->conversation)
		return 0;
	return ingest_stream(g, r, 0, err) < 0 ? -1 : ingest_stream(g, r, 1, err);
}
