/* SPDX-License-Identifier: MIT
 *
 * The rows. Names of sources and rules are somebody else's: they are written so that they can be read.
 */
#include "cli/verdict.h"

#include "cli/gate.h"
#include "cli/jsonval.h"

static json_t *readable(const char *text)
{
	return text ? jsonval_readable(text) : json_null();
}

#define TIE(function, expression) FIELD(function, struct report_tie, expression)
TIE(tie_source, json_string(v->source))
TIE(tie_name, readable(v->name))
TIE(tie_kind, jsonval_word(source_kind_name(v->kind)))
TIE(tie_tie, jsonval_word(v->tie))
TIE(tie_how, readable(v->how))
TIE(tie_from, jsonval_number(v->code_from))
TIE(tie_to, jsonval_number(v->code_to))
TIE(tie_source_from, jsonval_number(v->source_from))
TIE(tie_source_to, jsonval_number(v->source_to))

const struct cli_field verdict_tie_fields[] = {
	{"source", "its id in the log, src:ID there; or empty", tie_source},
	{"name", "what the source calls itself", tie_name},
	{"kind", "what it is: web, file, tool_result ...", tie_kind},
	{"tie", "whole, span or atom", tie_tie},
	{"how", "the form of the code it was found in; empty: as it is", tie_how},
	{"from", "the first byte of the code that ties to it", tie_from},
	{"to", "the byte behind the last one", tie_to},
	{"source_from", "where it stands in the source", tie_source_from},
	{"source_to", "behind its last byte there; source_from: all over it, or unknown",
	 tie_source_to},
	{0}};

#define RULE(function, expression) FIELD(function, struct report_finding, expression)
RULE(rule_id, jsonval_readable(v->rule))
RULE(rule_title, readable(v->title))
RULE(rule_severity, readable(v->severity))
RULE(rule_lane, jsonval_word(v->lane))
RULE(rule_grade, jsonval_word(grade_name(v->grade)))
RULE(rule_view, jsonval_word(v->view))
RULE(rule_line, v->line ? jsonval_number(v->line) : json_null())
RULE(rule_undecided, json_boolean(v->undecided))

const struct cli_field verdict_rule_fields[] = {
	{"id", "the rule's", rule_id},
	{"title", "the rule's", rule_title},
	{"severity", "as the rule says", rule_severity},
	{"lane", "enforce, alert or hunt", rule_lane},
	{"grade", "what it does here: shown, asks or denies", rule_grade},
	{"view", "text, decoded or code", rule_view},
	{"line", "of the code, or null", rule_line},
	{"undecided", "a limit was reached before anybody knew", rule_undecided},
	{0}};

#define SAID(function, expression) FIELD(function, struct verdict_said, expression)
SAID(said_verdict, jsonval_word(v->verdict))
SAID(said_origin, jsonval_word(v->origin))
SAID(said_evidence, jsonval_list(verdict_tie_fields, v->tie, sizeof(*v->tie), v->tiec))
SAID(said_rules, jsonval_list(verdict_rule_fields, v->finding, sizeof(*v->finding), v->findingc))
SAID(said_audit, v->id ? json_sprintf("%s:%s", v->ref, v->id) : json_null())

const struct cli_field verdict_fields[] = {
	{"verdict", "allow, ask or deny; null: not decided", said_verdict},
	{"origin", "plan, user, agent, exposed, derived or hostile; or null", said_origin},
	{"evidence", "which parts of the code stand in which source", said_evidence},
	{"rules", "what the rules found, the gravest first of each", said_rules},
	{"audit_id", "its name in the log, for cordon audit trace; or null", said_audit},
	{0}};

void verdict_add(json_t *o, const struct verdict_said *said)
{
	for (const struct cli_field *f = verdict_fields; f->name; f++)
		json_object_set_new(o, f->name, f->make(said));
}

void verdict_print(const struct cli_field *fields, const void *of, const struct verdict_said *said)
{
	json_t *o = jsonval_object(fields, of);

	verdict_add(o, said);
	jsonval_print(o);
}

struct verdict_said verdict_of_report(const struct report *r)
{
	struct verdict_said said = {.ref = "run", .id = r && r->run[0] ? r->run : NULL};

	if (!r || !r->has_verdict)
		return said;
	said.verdict = verdict_name(r->verdict);
	said.origin = origin_name(r->origin);
	said.tie = r->tie;
	said.tiec = r->tiec;
	said.finding = r->finding;
	said.findingc = r->findingc;
	return said;
}

FIELD(its_seq, struct report_record, jsonval_number(v->seq))
FIELD(its_hash, struct report_record, gate_hex_json(v->hash, sizeof(v->hash)))

const struct cli_field verdict_record_fields[] = {
	{"seq", "its number in the log, for cordon audit prove", its_seq},
	{"hash", "the SHA-256 of its bytes", its_hash},
	{0}};

json_t *verdict_record_json(const struct report_record *r)
{
	return r->is_there ? jsonval_object(verdict_record_fields, r) : json_null();
}
