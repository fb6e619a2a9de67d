/* SPDX-License-Identifier: MIT
 *
 * cordon audit trace: the story of one thing, in the order in which it was written; and of a run what its
 * records say together, because the verdict's is written before the result is known. Nothing is told here
 * that is not in a record.
 */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "cli/audit.h"
#include "cli/jsonval.h"
#include "cli/shown.h"
#include "cli/verdict.h"
#include "store/trace.h"

/* The records of a run that are read together; each is an object, or NULL. */
enum part { PART_SCAN, PART_VERDICT, PART_RESULT, PARTS };
static const enum record_kind kinds[PARTS] = {
	[PART_SCAN] = RECORD_SCAN, [PART_VERDICT] = RECORD_VERDICT, [PART_RESULT] = RECORD_RESULT};

struct story {
	char ref[RECORD_REF_MAX + 1];
	bool is_run;
	json_t *records, *documents; /* or NULL */
	json_t *runs;		     /* other runs on the way */
	json_t *part[PARTS];
	size_t count, documentc;
};

static json_t *body_of(const struct story *t, enum part part)
{
	return json_object_get(t->part[part], "body");
}

static json_t *member(const struct story *t, enum part part, const char *name)
{
	json_t *value = json_object_get(body_of(t, part), name);

	return value ? json_incref(value) : json_null();
}

static json_t *members(const struct story *t, enum part part, const char *name)
{
	json_t *value = json_object_get(body_of(t, part), name);

	return json_is_array(value) ? json_incref(value) : json_array();
}

static json_t *record(const struct story *t, enum part part)
{
	const json_t *r = t->part[part];

	return r ? json_pack("{s:O, s:O}", "seq", json_object_get(r, "seq"), "hash",
			     json_object_get(r, "hash"))
		 : json_null();
}

#define TOLD(function, expression) FIELD(function, struct story, expression)
TOLD(told_ref, json_string(v->ref))
TOLD(told_documents, json_incref(v->documents))
TOLD(told_runs, json_incref(v->runs))
TOLD(told_records, json_incref(v->records))
TOLD(told_code, member(v, PART_VERDICT, "code_sha256"))
TOLD(told_pack, member(v, PART_VERDICT, "pack"))
TOLD(told_policy, member(v, PART_VERDICT, "policy_sha256"))
TOLD(told_approvers, members(v, PART_VERDICT, "approved_by"))
TOLD(told_needed, members(v, PART_VERDICT, "layers_needed"))
TOLD(told_layers, members(v, PART_RESULT, "layers"))
TOLD(told_result, member(v, PART_RESULT, "result_sha256"))
TOLD(told_verdict_record, record(v, PART_VERDICT))
TOLD(told_result_record, record(v, PART_RESULT))

const struct cli_field gate_trace_fields[] = {
	{"ref", "what was asked about: run:ID, src:ID, apr:ID ...", told_ref},
	{"documents", "what was read on the way there, each as its record has it", told_documents},
	{"runs", "other runs on the way, the first one first: who printed or wrote what was read",
	 told_runs},
	{"records", "the whole story, in the order in which it was written", told_records},
	{"code_sha256", "of a run: the bytes that were decided on; or null", told_code},
	{"pack", "of the rules they were scanned with; or null", told_pack},
	{"policy_sha256", "of the policy that decided; or null", told_policy},
	{"approved_by", "who agreed, by name", told_approvers},
	{"layers_needed", "without which it would not have started", told_needed},
	{"layers", "that were active, as its result says", told_layers},
	{"result_sha256", "of its result; or null", told_result},
	{"verdict_record", "number and hash of the verdict's record; or null", told_verdict_record},
	{"result_record", "number and hash of the result's record; or null", told_result_record},
	{0}};

/* Past the end where it is none of them. */
static unsigned find_name(const char *(*name)(unsigned i), const char *word)
{
	unsigned i;

	cli_find_name(name, word ? word : "", word ? strlen(word) : 0, &i);
	return i;
}

static const char *text_at(const json_t *o, const char *name)
{
	return json_string_value(json_object_get(o, name));
}

static uint64_t number_at(const json_t *o, const char *name)
{
	return (uint64_t)json_integer_value(json_object_get(o, name));
}

/* A verdict's record has the ids of sources; what they are is in their own. */
static const json_t *document_of(const struct story *t, const char *id)
{
	size_t i;
	json_t *d;

	json_array_foreach(t->documents, i, d) if (id && text_at(d, "id") &&
						   strcmp(text_at(d, "id"), id) == 0) return d;
	return NULL;
}

static struct report_tie tie_at(const struct story *t, const json_t *e)
{
	const char *source = text_at(e, "source");
	const json_t *d = document_of(t, source);

	return (struct report_tie){
		.source = source ? source : "",
		.name = text_at(d, "name"),
		.kind = (enum source_kind)find_name(source_kind_name, text_at(d, "kind")),
		.tie = text_at(e, "tie"),
		.how = text_at(e, "how"),
		.code_from = number_at(e, "from"),
		.code_to = number_at(e, "to"),
		.source_from = number_at(e, "source_from"),
		.source_to = number_at(e, "source_to")};
}

static struct report_finding finding_at(const json_t *f)
{
	const char *rule = text_at(f, "rule");

	return (struct report_finding){
		.rule = rule ? rule : "",
		.view = text_at(f, "view"),
		.grade = (enum grade)find_name(grade_name, text_at(f, "grade")),
		.undecided = json_is_true(json_object_get(f, "undecided")),
		.line = number_at(f, "line")};
}

/* The same fields as of the run itself; the log has no rule's title. */
static void add_said(const struct story *t, json_t *o)
{
	char sort[RECORD_REF_MAX + 1];
	struct report_tie ties[REPORT_TIES_MAX];
	struct report_finding found[REPORT_FINDINGS_MAX];
	struct verdict_said said = {.verdict = text_at(body_of(t, PART_VERDICT), "verdict"),
				    .origin = text_at(body_of(t, PART_VERDICT), "origin"),
				    .tie = ties,
				    .finding = found,
				    .ref = sort,
				    .id = strchr(t->ref, ':') + 1};
	size_t i;
	json_t *e;

	json_array_foreach(json_object_get(body_of(t, PART_VERDICT), "evidence"), i,
			   e) if (said.tiec < REPORT_TIES_MAX) ties[said.tiec++] = tie_at(t, e);
	json_array_foreach(json_object_get(body_of(t, PART_SCAN), "findings"), i,
			   e) if (said.findingc < REPORT_FINDINGS_MAX) found[said.findingc++] =
		finding_at(e);
	snprintf(sort, sizeof(sort), "%.*s", (int)strcspn(t->ref, ":"), t->ref);
	verdict_add(o, &said);
}

/* One of the run that was asked about. */
static bool is_its(const struct story *t, const struct record *r)
{
	char ref[RECORD_REF_MAX + 1];

	for (size_t at = 0; t->is_run && record_next_ref(r, &at, ref);)
		if (strcmp(ref, t->ref) == 0)
			return true;
	return false;
}

static void keep_part(struct story *t, const struct record *r, const json_t *record)
{
	for (int p = 0; is_its(t, r) && p < PARTS; p++)
		if (kinds[p] == r->kind) {
			json_decref(t->part[p]);
			t->part[p] = json_deep_copy(record);
		}
}

/* Each run that started has one such record. */
static void keep_run(struct story *t, const struct record *r)
{
	char ref[RECORD_REF_MAX + 1];

	for (size_t at = 0; record_next_ref(r, &at, ref);)
		if (strncmp(ref, "run:", 4) == 0 && strcmp(ref, t->ref) != 0)
			json_array_append_new(t->runs, json_string(ref));
}

static int trace_one(void *context, const struct store_row *row, const struct record *r,
		     struct err *err)
{
	struct story *t = context;
	json_t *record = audit_record_json(row);

	if (!record)
		return err_set(err, ERR_INPUT, "record %llu cannot be read",
			       (unsigned long long)row->seq);
	/* What it printed itself did not lead to it. */
	bool led = r->kind == RECORD_INGEST && !is_its(t, r);
	t->count++;
	t->documentc += led;
	keep_part(t, r, record);
	if (r->kind == RECORD_START)
		keep_run(t, r);
	if (t->records && led)
		json_array_append(t->documents, json_object_get(record, "body"));
	if (t->records)
		return json_array_append_new(t->records, record) < 0 ? err_memory(err) : 0;
	json_decref(record);
	audit_line(r);
	return 0;
}

/* "run:" may be left out. */
static int find_ref(const char *word, char ret[RECORD_REF_MAX + 1], struct err *err)
{
	int n = snprintf(ret, RECORD_REF_MAX + 1, "%s%s", strchr(word, ':') ? "" : "run:", word);

	if (n <= RECORD_REF_MAX && record_ref_is_good(ret))
		return 0;
	err_set(err, ERR_USAGE, "\"%.60s\" is no name of a record", word);
	err_cure(err, "a run's id, or a name as cordon audit tail shows it: src:ID, apr:ID");
	return -1;
}

/* LABEL and what stands there, a string or a list of them; NONE where there is nothing. */
static void print_words(const char *label, json_t *value, const char *none)
{
	size_t i;
	json_t *one;

	printf("  %-12s", label);
	if (json_is_string(value))
		shown_words(stdout, json_string_value(value));
	else if (json_array_size(value) == 0)
		fputs(none, stdout);
	json_array_foreach(value, i, one)
	{
		fputs(i ? " " : "", stdout);
		shown_words(stdout, json_is_string(one) ? json_string_value(one) : "?");
	}
	putchar('\n');
}

/* Which record says so, and what it hashes to. */
static void print_record(const struct story *t, enum part part)
{
	const json_t *r = t->part[part];

	if (r)
		printf("  %-12s%s's, %llu, %s\n", "record", record_kind_name(kinds[part]),
		       (unsigned long long)number_at(r, "seq"), text_at(r, "hash"));
}

static void print_run(const struct story *t)
{
	json_t *verdict = body_of(t, PART_VERDICT), *result = body_of(t, PART_RESULT);

	if (!verdict)
		return;
	print_words("verdict", json_object_get(verdict, "verdict"), "");
	print_words("code", json_object_get(verdict, "code_sha256"), "");
	print_words("origin", json_object_get(verdict, "origin"), "none: it was not decided on");
	printf("  %-12s%zu\n", "ties", json_array_size(json_object_get(verdict, "evidence")));
	print_words("rules", json_object_get(verdict, "rules"), "none found anything");
	print_words("pack", json_object_get(verdict, "pack"), "");
	print_words("policy", json_object_get(verdict, "policy_sha256"), "");
	print_words("approved by", json_object_get(verdict, "approved_by"), "nobody");
	print_words("layers",
		    json_object_get(result ? result : verdict, result ? "layers" : "layers_needed"),
		    "none: it did not run");
	print_words("result", json_object_get(result, "result_sha256"), "none on record");
	print_record(t, PART_VERDICT);
	print_record(t, PART_RESULT);
}

static void tell(const struct story *t)
{
	if (!t->records) {
		printf("%zu document%s led to %s\n", t->documentc, t->documentc == 1 ? "" : "s",
		       t->ref);
		if (json_array_size(t->runs))
			print_words("by way of", t->runs, "");
		print_run(t);
		return;
	}
	json_t *o = jsonval_object(gate_trace_fields, t);
	add_said(t, o);
	jsonval_print(o);
}

int audit_trace(struct audit *a, struct err *err)
{
	bool json = a->call->json;
	struct story t = {.records = json ? jsonval_array() : NULL,
			  .documents = json ? jsonval_array() : NULL,
			  .runs = json_array()};

	int r = find_ref(a->call->argv[1], t.ref, err);
	t.is_run = r == 0 && strncmp(t.ref, "run:", 4) == 0;
	if (r == 0)
		r = trace_back(a->state->store, t.ref, trace_one, &t, err);
	if (r == 0 && !t.count)
		r = err_set(err, ERR_INPUT, "there is no record of %s", t.ref);
	if (r == 0)
		tell(&t);
	json_decref(t.records);
	json_decref(t.documents);
	json_decref(t.runs);
	for (int p = 0; p < PARTS; p++)
		json_decref(t.part[p]);
	return r;
}
