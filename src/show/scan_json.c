/* SPDX-License-Identifier: MIT
 *
 * A scan as one JSON object. Each field is a row, as in run_json.c; docs/reference/json.md is made
 * from them. Texts and names are data: nothing in them can become a field.
 */
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/scope.h"
#include "show/jsonval.h"
#include "show/scan_format.h"

struct out_json {
	json_t *findings, *errors, *notes, *effects;
	bool notes_cut, effects_cut;
};

/* An entry of a list. */
struct remark {
	const char *file, *words;
	size_t line;
	const struct err *err;
	const struct code_effect *effect;
};

static json_t *maybe(size_t n)
{
	return n ? jsonval_number(n) : json_null();
}

static json_t *name(const char *s)
{
	return jsonval_text(s, strlen(s));
}

static json_t *words_of(enum vocab vocab, unsigned i)
{
	const struct word *w = vocab_at(vocab, i);

	return json_string(w ? w->name : "other");
}

static json_t *conditions(const struct finding *f)
{
	json_t *list = json_array();

	for (size_t i = 0; i < f->matchedc; i++)
		json_array_append_new(list, jsonval_number(f->matched[i]));
	return list;
}

static json_t *actions(const struct rule *rule)
{
	json_t *list = json_array();

	for (size_t i = 0; i < rule->actionc; i++)
		json_array_append_new(list, jsonval_readable(rule->action_name[i]));
	return list;
}

#define FOUND(function, expression) FIELD(function, struct scan_finding, expression)

FOUND(found_file, name(v->unit->file->name))
FOUND(found_encoding, jsonval_encoding(v->unit->file->name, strlen(v->unit->file->name)))
FOUND(found_kind, json_string(scan_kind_name(v->unit->file->kind)))
FOUND(found_line, maybe(v->line))
FOUND(found_column, maybe(v->line ? v->column : 0))
FOUND(found_event, v->unit->number < 0 ? json_null() : jsonval_number((uint64_t)v->unit->number))
FOUND(found_server, v->unit->part ? jsonval_readable(v->unit->part) : json_null())
FOUND(found_rule, jsonval_readable(v->finding->rule->id))
FOUND(found_title, jsonval_readable(v->finding->rule->title))
FOUND(found_severity, jsonval_readable(v->finding->rule->severity_name))
FOUND(found_category, jsonval_readable(v->finding->rule->category))
FOUND(found_lane, json_string(scan_lane_name(v->finding->rule)))
FOUND(found_confidence, json_real(v->finding->confidence))
FOUND(found_undecided, json_boolean(v->finding->undecided))
FOUND(found_why, jsonval_readable(v->finding->why))
FOUND(found_view, json_string(view_name(v->finding->view)))
FOUND(found_decoding, jsonval_readable(v->finding->decoding))
FOUND(found_conditions, conditions(v->finding))
FOUND(found_actions, actions(v->finding->rule))
FOUND(found_excerpt, jsonval_readable(v->excerpt))

static const struct json_field finding_fields[] = {
	{"file", "the file's name; - is standard input", found_file},
	{"file_encoding", "base64, where the name is not UTF-8", found_encoding},
	{"kind", "what the file is: text, python, shell, docker, make, skill, json, mcp or events",
	 found_kind},
	{"line", "where the first condition matches, from 1; null: not known", found_line},
	{"column", "in characters, from 1; null: not known", found_column},
	{"event", "the number of the event in the file, from 0; null: not a file of events",
	 found_event},
	{"server", "which server of an MCP configuration, or null", found_server},
	{"rule", "its id", found_rule},
	{"title", "the rule's title", found_title},
	{"severity", "critical, high, medium, low or informational", found_severity},
	{"category", "the rule's category", found_category},
	{"lane", "the narrowest lane that has the rule: enforce, alert or hunt", found_lane},
	{"confidence", "from 0 to 1", found_confidence},
	{"undecided", "true if a limit stopped the search; counts as found", found_undecided},
	{"why", "the limit that stopped the search, in words; or empty", found_why},
	{"view", "the form of the text that matched: text, decoded or code", found_view},
	{"decoding", "how that form was made, such as base64; or empty", found_decoding},
	{"conditions", "numbers of the rule's conditions or indicators that match",
	 found_conditions},
	{"actions", "the response actions of the rule", found_actions},
	{"excerpt", "a few words of the matching text, or empty", found_excerpt},
	{0}};

FIELD(remark_file, struct remark, *v->file ? name(v->file) : json_null())
FIELD(remark_encoding, struct remark, jsonval_encoding(v->file, strlen(v->file)))
FIELD(remark_line, struct remark, maybe(v->line))
FIELD(remark_words, struct remark, jsonval_readable(v->words))
FIELD(error_kind, struct remark, json_string(err_row(v->err)->name))
FIELD(error_message, struct remark, jsonval_readable(v->err->message))
FIELD(error_cause, struct remark, jsonval_readable(v->err->cause))
FIELD(error_cure, struct remark, jsonval_readable(v->err->cure))
FIELD(effect_line, struct remark, jsonval_number(v->effect->line))
FIELD(effect_kind, struct remark, json_string(effect_name(v->effect->kind)))
FIELD(effect_value, struct remark, jsonval_readable(v->effect->value))

static const struct json_field error_fields[] = {
	{"file", "the file that could not be scanned; null: the error concerns no file",
	 remark_file},
	{"file_encoding", "base64, where the name is not UTF-8", remark_encoding},
	{"kind", "usage, input, layer, system, limit, refused or conflict", error_kind},
	{"message", "what failed", error_message},
	{"cause", "the cause, or empty", error_cause},
	{"cure", "what to do, or empty", error_cure},
	{0}};

static const struct json_field note_fields[] = {
	{"file", "the file, or null", remark_file},
	{"file_encoding", "base64, where the name is not UTF-8", remark_encoding},
	{"line", "from 1, or null", remark_line},
	{"message", "a file that was left out, a rule or a program that cannot be read ...",
	 remark_words},
	{0}};

static const struct json_field effect_fields[] = {
	{"file", "the program", remark_file},
	{"file_encoding", "base64, where the name is not UTF-8", remark_encoding},
	{"line", "the line of the first occurrence, from 1", effect_line},
	{"kind", "import, program, host, read, write, path, env, dynamic or network", effect_kind},
	{"value", "the module, the path, the name ...", effect_value},
	{0}};

FIELD(source_kind, struct packs_source, json_string(v->kind))
FIELD(source_path, struct packs_source, jsonval_readable(v->path))
FIELD(source_rules, struct packs_source, jsonval_number(v->rules))

static const struct json_field source_fields[] = {
	{"kind", "given (--rules), fetched or built-in", source_kind},
	{"path", "its directory", source_path},
	{"rules", "rules from this pack", source_rules},
	{0}};

static json_t *severities(const struct scan_totals *t)
{
	json_t *o = json_object();

	for (unsigned i = 0; i <= SEVERITY_OTHER; i++) {
		const struct word *w = vocab_at(VOCAB_SEVERITY, i);
		json_object_set_new(o, w ? w->name : "other", jsonval_number(t->severity[i]));
	}
	return o;
}

#define TOTAL(function, expression) FIELD(function, struct scan, expression)

TOTAL(total_files, jsonval_number(v->scanner.totals.files))
TOTAL(total_skipped, jsonval_number(v->scanner.totals.skipped))
TOTAL(total_units, jsonval_number(v->scanner.totals.units))
TOTAL(total_bytes, jsonval_number(v->scanner.totals.bytes))
TOTAL(total_findings, jsonval_number(v->scanner.totals.findings))
TOTAL(total_errors, jsonval_number(v->scanner.totals.errors))
TOTAL(total_severities, severities(&v->scanner.totals))
TOTAL(total_ms, jsonval_number((io_now_ns() - v->start_ns) / 1000000))

static const struct json_field stats_fields[] = {
	{"files", "files that were scanned", total_files},
	{"skipped", "files in directories that were skipped: links, or not text", total_skipped},
	{"events", "texts and events that were scanned", total_units},
	{"bytes", "bytes in these files", total_bytes},
	{"findings", "all, including those that are not listed", total_findings},
	{"errors", "all, including those that are not listed", total_errors},
	{"severities", "findings by severity", total_severities},
	{"ms", "milliseconds, the loading of the rules included", total_ms},
	{0}};

FIELD(view_whole, struct scan,
      jsonval_number(v->scanner.totals.views - v->scanner.totals.views_part))
FIELD(view_part, struct scan, jsonval_number(v->scanner.totals.views_part))
FIELD(view_none, struct scan, jsonval_number(v->scanner.totals.views_none))
FIELD(view_error, struct scan,
      v->scanner.no_view.code ? jsonval_readable(v->scanner.no_view.message) : json_null())

static const struct json_field view_fields[] = {
	{"whole", "programs that were also scanned in their canonical form", view_whole},
	{"part", "programs of which only a part could be read", view_part},
	{"none", "programs that could not be read, or not in time", view_none},
	{"error", "why there is no box to read programs in, or null", view_error},
	{0}};

#define SCAN(function, expression) FIELD(function, struct scan, expression)
#define OUT ((const struct out_json *)v->out)
#define LIST(of) json_incref(OUT->of)

SCAN(scan_status_field, json_string(scan_status(v)))
SCAN(scan_verdict, json_string(detect_verdict_name(v->scanner.verdict)))
SCAN(scan_reason, jsonval_readable(v->scanner.reason))
SCAN(scan_mode, json_string(detect_mode_name(v->mode)))
SCAN(scan_lane_field, words_of(VOCAB_LANE, v->lane))
SCAN(scan_rules, jsonval_number(v->rules->pack.rulec))
SCAN(scan_packs,
     jsonval_list(source_fields, v->rules->source, sizeof(struct packs_source), v->rules->sourcec))
SCAN(scan_findings, LIST(findings))
SCAN(scan_cut, json_boolean(v->scanner.totals.findings > SCAN_FINDINGS_MAX))
SCAN(scan_errors, LIST(errors))
SCAN(scan_errors_cut, json_boolean(v->scanner.totals.errors > SCAN_REMARKS_MAX))
SCAN(scan_notes, LIST(notes))
SCAN(scan_notes_cut, json_boolean(OUT->notes_cut))
SCAN(scan_effects, LIST(effects))
SCAN(scan_effects_cut, json_boolean(OUT->effects_cut))
SCAN(scan_view_field, jsonval_object(view_fields, v))
SCAN(scan_stats, jsonval_object(stats_fields, v))

static const struct json_field scan_fields[] = {
	{"status", "clean, findings or error (something could not be scanned)", scan_status_field},
	{"verdict", "deny, ask or allow: the strictest of all texts and events", scan_verdict},
	{"reason", "the reason for the verdict, in words; or empty", scan_reason},
	{"mode", "strict or reference", scan_mode},
	{"lane", "hunt, alert or enforce", scan_lane_field},
	{"rules", "rules that were loaded", scan_rules},
	{"packs", "the packs that the rules came from", scan_packs},
	{"findings", "the findings, in the order of files", scan_findings},
	{"findings_cut", "the list is incomplete: it has at most 100000 entries", scan_cut},
	{"errors", "what could not be scanned, and why", scan_errors},
	{"errors_cut", "the list is incomplete: it has at most 10000 entries", scan_errors_cut},
	{"notes", "remarks about files and rules", scan_notes},
	{"notes_cut", "the list is incomplete: it has at most 10000 entries", scan_notes_cut},
	{"effects", "what programs would do, as far as their code shows", scan_effects},
	{"effects_cut", "the list is incomplete: it has at most 10000 entries", scan_effects_cut},
	{"code_view", "how many programs were scanned in their canonical form", scan_view_field},
	{"stats", "numbers", scan_stats},
	{0}};

const struct json_doc scan_docs[] = {{"scan", scan_fields},
				     {"scan.packs[]", source_fields},
				     {"scan.findings[]", finding_fields},
				     {"scan.errors[]", error_fields},
				     {"scan.notes[]", note_fields},
				     {"scan.effects[]", effect_fields},
				     {"scan.code_view", view_fields},
				     {"scan.stats", stats_fields},
				     {0}};

static int begin(struct scan *s, struct err *err)
{
	struct out_json *o = calloc(1, sizeof(*o));

	if (!o)
		return err_memory(err);
	*o = (struct out_json){json_array(), json_array(), json_array(),
			       json_array(), false,	   false};
	s->out = o;
	return 0;
}

/* Returns false if the list is full. */
static bool add(json_t *list, const struct json_field *fields, const void *of)
{
	if (json_array_size(list) >= SCAN_REMARKS_MAX)
		return false;
	json_array_append_new(list, jsonval_object(fields, of));
	return true;
}

static void add_finding(struct scan *s, const struct scan_finding *f)
{
	json_array_append_new(((struct out_json *)s->out)->findings,
			      jsonval_object(finding_fields, f));
}

static void add_error(struct scan *s, const char *file, const struct err *err)
{
	add(((struct out_json *)s->out)->errors, error_fields,
	    &(struct remark){.file = file, .err = err});
}

static void add_note(struct scan *s, const char *file, size_t line, const char *words)
{
	struct out_json *o = s->out;

	o->notes_cut |= !add(o->notes, note_fields,
			     &(struct remark){.file = file, .line = line, .words = words});
}

static void add_effects(struct scan *s, const struct scan_file *file, const struct code_view *view)
{
	struct out_json *o = s->out;

	for (size_t i = 0; i < view->effectc; i++)
		o->effects_cut |=
			!add(o->effects, effect_fields,
			     &(struct remark){.file = file->name, .effect = &view->effect[i]});
}

static void end(struct scan *s)
{
	struct out_json *o = s->out;
	json_t *all = jsonval_object(scan_fields, s);

	jsonval_print(all);
	json_decref(o->findings);
	json_decref(o->errors);
	json_decref(o->notes);
	json_decref(o->effects);
	free(o);
	s->out = NULL;
}

FORMAT(json) = {
	.name = "json",
	.order = 20,
	.begin = begin,
	.finding = add_finding,
	.error = add_error,
	.note = add_note,
	.effects = add_effects,
	.end = end,
};
