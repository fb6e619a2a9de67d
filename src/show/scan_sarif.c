/* SPDX-License-Identifier: MIT
 *
 * A scan as SARIF 2.1.0, for tools that collect findings: one run, the rules with findings, one
 * result for each finding, and one notification for each file that could not be scanned. Columns
 * count characters, as the file declares. File names are percent-encoded URIs.
 */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "base/version.h"
#include "detect/findings.h"
#include "show/jsonval.h"
#include "show/scan_format.h"

#define SCHEMA                                                                                     \
	"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"                      \
	"sarif-schema-2.1.0.json"

/* The names and scores of severities in SARIF and its readers. */
static const struct {
	const char *level, *score;
} severities[SEVERITY_OTHER + 1] = {
	[SEVERITY_CRITICAL] = {"error", "9.5"},	    [SEVERITY_HIGH] = {"error", "8.0"},
	[SEVERITY_MEDIUM] = {"warning", "5.5"},	    [SEVERITY_LOW] = {"note", "2.5"},
	[SEVERITY_INFORMATIONAL] = {"note", "0.5"}, [SEVERITY_OTHER] = {"note", "0.5"},
};

struct out_sarif {
	json_t *rules, *results, *notifications;
	size_t lost; /* notifications beyond the maximum */
	uint32_t *
		index; /* by rule of the pack, then by undecided rule: its place in RULES plus one */
};

static int begin(struct scan *s, struct err *err)
{
	struct out_sarif *o = calloc(1, sizeof(*o));

	if (!o)
		return err_memory(err);
	o->rules = json_array();
	o->results = json_array();
	o->notifications = json_array();
	s->out = o;
	return 0;
}

static json_t *uri(const char *name)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789-._~/";
	static const char digits[] = "0123456789ABCDEF", scheme[] = "file://";
	AUTO_FREE char *out = malloc(strlen(name) * 3 + sizeof(scheme));
	size_t len = name[0] == '/' ? sizeof(scheme) - 1 : 0;

	if (!out)
		return NULL;
	memcpy(out, scheme, len);
	for (; *name; name++) {
		unsigned char c = (unsigned char)*name;
		bool is_plain = strchr(plain, c);
		out[len++] = (char)(is_plain ? c : '%');
		if (!is_plain) {
			out[len++] = digits[c >> 4];
			out[len++] = digits[c & 15];
		}
	}
	return json_stringn(out, len);
}

static json_t *rule_json(const struct rule *rule)
{
	const char *description = node_string(node_get(rule->root, "description"));

	return json_pack("{s:o, s:{s:o}, s:{s:o}, s:{s:s}, s:{s:s, s:[s, o]}}", "id",
			 jsonval_readable(rule->id), "shortDescription", "text",
			 jsonval_readable(rule->title), "fullDescription", "text",
			 jsonval_readable(description ? description : rule->title),
			 "defaultConfiguration", "level", severities[rule->severity].level,
			 "properties", "security-severity", severities[rule->severity].score,
			 "tags", "security", jsonval_readable(rule->category));
}

/* The rule's place in the list. Its first use adds it. */
static json_int_t rule_index(struct scan *s, const struct rule *rule)
{
	struct out_sarif *o = s->out;
	int none = undecided_number(rule);
	size_t rulec = s->rules->pack.rulec, number = none < 0 ? rule->order : rulec + (size_t)none;

	if (!o->index)
		o->index = calloc(rulec + UNDECIDED_COUNT, sizeof(*o->index));
	if (!o->index)
		return -1;
	if (!o->index[number]) {
		json_array_append_new(o->rules, rule_json(rule));
		o->index[number] = (uint32_t)json_array_size(o->rules);
	}
	return o->index[number] - 1;
}

static json_t *region(const struct scan_finding *f)
{
	json_t *r = json_pack("{s:I}", "startLine", (json_int_t)f->line);

	if (f->column)
		json_object_set_new(r, "startColumn", jsonval_number(f->column));
	if (f->excerpt[0])
		json_object_set_new(r, "snippet",
				    json_pack("{s:o}", "text", jsonval_readable(f->excerpt)));
	return r;
}

static json_t *location(const char *file, json_t *where)
{
	json_t *l = json_pack("{s:{s:{s:o}}}", "physicalLocation", "artifactLocation", "uri",
			      uri(file));

	if (where)
		json_object_set_new(json_object_get(l, "physicalLocation"), "region", where);
	return l;
}

static json_t *finding_location(const struct scan_finding *f)
{
	json_t *l = location(f->unit->file->name, f->line ? region(f) : NULL);

	if (f->unit->number >= 0)
		json_object_set_new(
			l, "logicalLocations",
			json_pack("[{s:o}]", "name",
				  json_sprintf("event %lld", (long long)f->unit->number)));
	else if (f->unit->part)
		json_object_set_new(l, "logicalLocations",
				    json_pack("[{s:o}]", "name", jsonval_readable(f->unit->part)));
	return l;
}

static json_t *message(const struct scan_finding *f)
{
	const struct finding *found = f->finding;
	AUTO_FREE char *words = NULL;

	if (asprintf(&words, "%s%s%s (confidence %.0f %%, view %s)%s%s", found->rule->title,
		     found->undecided ? ": not decidable: " : "", found->why,
		     found->confidence * 100, view_name(found->view), f->excerpt[0] ? ": " : "",
		     f->excerpt) < 0)
		words = NULL;
	return json_pack("{s:o}", "text", jsonval_readable(words ? words : found->rule->title));
}

static void add_finding(struct scan *s, const struct scan_finding *f)
{
	struct out_sarif *o = s->out;
	const struct rule *rule = f->finding->rule;

	json_array_append_new(
		o->results,
		json_pack("{s:o, s:I, s:s, s:o, s:[o], s:{s:f, s:s, s:s, s:b, s:o}}", "ruleId",
			  jsonval_readable(rule->id), "ruleIndex", rule_index(s, rule), "level",
			  severities[rule->severity].level, "message", message(f), "locations",
			  finding_location(f), "properties", "confidence", f->finding->confidence,
			  "lane", scan_lane_name(rule), "view", view_name(f->finding->view),
			  "undecided", f->finding->undecided, "severity",
			  jsonval_readable(rule->severity_name)));
}

static void notify(struct scan *s, const char *level, const char *file, size_t line,
		   const char *words)
{
	struct out_sarif *o = s->out;
	json_t *n = json_pack("{s:s, s:{s:o}}", "level", level, "message", "text",
			      jsonval_readable(words));

	if (*file)
		json_object_set_new(
			n, "locations",
			json_pack("[o]", location(file, line ? json_pack("{s:I}", "startLine",
									 (json_int_t)line)
							     : NULL)));
	if (json_array_size(o->notifications) < SCAN_REMARKS_MAX)
		json_array_append_new(o->notifications, n);
	else {
		o->lost++;
		json_decref(n);
	}
}

/* Reports how much was omitted, in one notification beyond the maximum. */
static void tell_lost(struct scan *s)
{
	struct out_sarif *o = s->out;
	size_t lost = o->lost, results = s->scanner.totals.findings > SCAN_FINDINGS_MAX
						 ? s->scanner.totals.findings - SCAN_FINDINGS_MAX
						 : 0;

	if (!lost && !results)
		return;
	json_array_append_new(
		o->notifications,
		json_pack("{s:s, s:{s:o}}", "level", "error", "message", "text",
			  json_sprintf("not all is listed: %zu results and %zu notifications are "
				       "left out",
				       results, lost)));
}

static void add_error(struct scan *s, const char *file, const struct err *err)
{
	notify(s, "error", file, 0, err->message);
}

static void add_note(struct scan *s, const char *file, size_t line, const char *words)
{
	notify(s, "note", file, line, words);
}

static void end(struct scan *s)
{
	struct out_sarif *o = s->out;
	tell_lost(s);
	json_t *all = json_pack(
		"{s:s, s:s, s:[{s:{s:{s:s, s:s, s:o}}, s:s, s:[{s:b, s:o}], s:o}]}", "$schema",
		SCHEMA, "version", "2.1.0", "runs", "tool", "driver", "name", "Cordon", "version",
		CORDON_VERSION, "rules", o->rules, "columnKind", "unicodeCodePoints", "invocations",
		"executionSuccessful", !s->scanner.totals.errors, "toolExecutionNotifications",
		o->notifications, "results", o->results);

	jsonval_print(all);
	free(o->index);
	free(o);
	s->out = NULL;
}

FORMAT(sarif) = {
	.name = "sarif",
	.order = 30,
	.begin = begin,
	.finding = add_finding,
	.error = add_error,
	.note = add_note,
	.end = end,
};
