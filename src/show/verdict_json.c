/* SPDX-License-Identifier: MIT
 *
 * Names of sources and rules come from outside, so they are escaped.
 */
#include "show/verdict_json.h"

#include "show/jsonval.h"
#include "trust/source.h"

static json_t *readable(const char *text)
{
	return text ? jsonval_readable(text) : json_null();
}

#define TIE(function, expression) FIELD(function, struct report_tie, expression)
TIE(tie_source, json_string(v->source))
TIE(tie_title, readable(v->name))
TIE(tie_kind, jsonval_word(source_kind_name(v->kind)))
TIE(tie_tie, jsonval_word(v->tie))
TIE(tie_how, readable(v->how))
TIE(tie_from, jsonval_number(v->code_from))
TIE(tie_to, jsonval_number(v->code_to))
TIE(tie_source_from, jsonval_number(v->source_from))
TIE(tie_source_to, jsonval_number(v->source_to))

const struct json_field verdict_tie_fields[] = {
	{"source", "the source's id (src:ID in the log), or empty", tie_source},
	{"name", "the name of the source", tie_title},
	{"kind", "the kind of source: web, file, tool_result ...", tie_kind},
	{"tie", "whole, span or atom", tie_tie},
	{"how", "the form of the code in which the text was found; empty: the code itself",
	 tie_how},
	{"from", "offset of the first byte in the code", tie_from},
	{"to", "offset behind the last byte in the code", tie_to},
	{"source_from", "offset of the first byte in the source", tie_source_from},
	{"source_to", "offset behind the last byte there; equal to source_from: no single place",
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

const struct json_field verdict_rule_fields[] = {
	{"id", "the rule's id", rule_id},
	{"title", "the rule's title", rule_title},
	{"severity", "the rule's severity", rule_severity},
	{"lane", "enforce, alert or hunt", rule_lane},
	{"grade", "the effect of the finding: shown, asks or denies", rule_grade},
	{"view", "the form of the code that matched: text, decoded or code", rule_view},
	{"line", "the line of the code, or null", rule_line},
	{"undecided", "true if a limit stopped the search; counts as found", rule_undecided},
	{0}};

#define VERDICT(function, expression) FIELD(function, struct verdict_view, expression)
VERDICT(verdict_view_verdict, jsonval_word(v->verdict))
VERDICT(verdict_view_origin, jsonval_word(v->origin))
VERDICT(verdict_view_evidence, jsonval_list(verdict_tie_fields, v->tie, sizeof(*v->tie), v->tiec))
VERDICT(verdict_view_rules,
	jsonval_list(verdict_rule_fields, v->finding, sizeof(*v->finding), v->findingc))
VERDICT(verdict_view_audit, v->id ? json_sprintf("%s:%s", v->ref, v->id) : json_null())

const struct json_field verdict_fields[] = {
	{"verdict", "allow, ask or deny; null: there was no decision", verdict_view_verdict},
	{"origin", "plan, user, agent, exposed, derived or hostile; or null", verdict_view_origin},
	{"evidence", "the parts of the code that also occur in a source", verdict_view_evidence},
	{"rules", "the gravest finding of each rule", verdict_view_rules},
	{"audit_id", "its name in the log, for cordon audit trace; null: not recorded",
	 verdict_view_audit},
	{0}};

void verdict_add(json_t *o, const struct verdict_view *view)
{
	for (const struct json_field *f = verdict_fields; f->name; f++)
		json_object_set_new(o, f->name, f->make(view));
}

void verdict_print(const struct json_field *fields, const void *of, const struct verdict_view *view)
{
	json_t *o = jsonval_object(fields, of);

	verdict_add(o, view);
	jsonval_print(o);
}

struct verdict_view verdict_of_report(const struct report *r)
{
	struct verdict_view view = {.ref = "run", .id = r && r->run[0] ? r->run : NULL};

	if (!r || !r->has_verdict)
		return view;
	view.verdict = verdict_name(r->verdict);
	view.origin = origin_name(r->origin);
	view.tie = r->tie;
	view.tiec = r->tiec;
	view.finding = r->finding;
	view.findingc = r->findingc;
	return view;
}

FIELD(record_field_seq, struct report_record, jsonval_number(v->seq))
FIELD(record_field_hash, struct report_record, jsonval_hex(v->hash, sizeof(v->hash)))

const struct json_field verdict_record_fields[] = {
	{"seq", "its number in the log, for cordon audit prove", record_field_seq},
	{"hash", "the SHA-256 of its bytes", record_field_hash},
	{0}};

json_t *verdict_record_json(const struct report_record *r)
{
	return r->is_there ? jsonval_object(verdict_record_fields, r) : json_null();
}
