/* SPDX-License-Identifier: MIT
 *
 * cordon audit trace: prints the records about one object in their order. For a run it joins its
 * records, because the verdict's record is written before the result. It prints nothing that is not
 * in a record.
 */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "door/cli/audit.h"
#include "show/jsonval.h"
#include "show/terminal.h"
#include "show/verdict_json.h"
#include "store/trace.h"

/* The records of one run; each is an object, or NULL. */
enum part { PART_SCAN, PART_VERDICT, PART_RESULT, PARTS };
static const enum record_kind kinds[PARTS] = {
	[PART_SCAN] = RECORD_SCAN, [PART_VERDICT] = RECORD_VERDICT, [PART_RESULT] = RECORD_RESULT};

struct run_trace {
	char ref[RECORD_REF_MAX + 1];
	bool is_run;
	json_t *records;   /* or NULL: they are printed */
	json_t *documents; /* with the time of each */
	json_t *runs;	   /* other runs between a document and this run */
	json_t *part[PARTS];
	size_t count;
};

static json_t *body_of(const struct run_trace *t, enum part part)
{
	return json_object_get(t->part[part], "body");
}

static json_t *member(const struct run_trace *t, enum part part, const char *name)
{
	json_t *value = json_object_get(body_of(t, part), name);

	return value ? json_incref(value) : json_null();
}

static json_t *members(const struct run_trace *t, enum part part, const char *name)
{
	json_t *value = json_object_get(body_of(t, part), name);

	return json_is_array(value) ? json_incref(value) : json_array();
}

static json_t *record(const struct run_trace *t, enum part part)
{
	const json_t *r = t->part[part];

	return r ? json_pack("{s:O, s:O}", "seq", json_object_get(r, "seq"), "hash",
			     json_object_get(r, "hash"))
		 : json_null();
}

static const char *text_at(const json_t *o, const char *name)
{
	return json_string_value(json_object_get(o, name));
}

static uint64_t number_at(const json_t *o, const char *name)
{
	return (uint64_t)json_integer_value(json_object_get(o, name));
}

/* The first tie of the code to the document, or NULL. */
static const json_t *tie_to(const struct run_trace *t, const json_t *document)
{
	const char *id = text_at(document, "id");
	size_t i;
	json_t *e;

	json_array_foreach (json_object_get(body_of(t, PART_VERDICT), "evidence"), i, e) {
		const char *source = text_at(e, "source");
		if (id && source && strcmp(id, source) == 0)
			return e;
	}
	return NULL;
}

/* A document led to a run if the run's code ties to it. Other documents were only read before. */
static json_t *led_by(const struct run_trace *t)
{
	json_t *all = json_array(), *d;
	size_t i;

	json_array_foreach (t->documents, i, d)
		if (tie_to(t, d))
			json_array_append(all, d);
	return all;
}

#define TRACE(function, expression) FIELD(function, struct run_trace, expression)
TRACE(field_ref, json_string(v->ref))
TRACE(field_led_by, led_by(v))
TRACE(field_documents, json_incref(v->documents))
TRACE(field_runs, json_incref(v->runs))
TRACE(field_records, json_incref(v->records))
TRACE(field_code, member(v, PART_VERDICT, "code_sha256"))
TRACE(field_pack, member(v, PART_VERDICT, "pack"))
TRACE(field_policy, member(v, PART_VERDICT, "policy_sha256"))
TRACE(field_approvers, members(v, PART_VERDICT, "approved_by"))
TRACE(field_needed, members(v, PART_VERDICT, "layers_needed"))
TRACE(field_layers, members(v, PART_RESULT, "layers"))
TRACE(field_result, member(v, PART_RESULT, "result_sha256"))
TRACE(field_verdict_record, record(v, PART_VERDICT))
TRACE(field_result_record, record(v, PART_RESULT))

const struct json_field audit_trace_fields[] = {
	{"ref", "the name that was looked up: run:ID, src:ID, apr:ID ...", field_ref},
	{"led_by", "for a run: the documents that its code ties to", field_led_by},
	{"documents", "the documents that were read before it, each as in its record",
	 field_documents},
	{"runs", "earlier runs whose output or files were read, the first run first", field_runs},
	{"records", "all these records, in the order of the log", field_records},
	{"code_sha256", "for a run: SHA-256 of the code that was decided on, or null", field_code},
	{"pack", "hash of the rules that scanned the code, or null", field_pack},
	{"policy_sha256", "SHA-256 of the policy that decided, or null", field_policy},
	{"approved_by", "names of the people who approved it", field_approvers},
	{"layers_needed", "the layers that were required for the start", field_needed},
	{"layers", "the layers that were active, from its result", field_layers},
	{"result_sha256", "SHA-256 of the result in the log, or null", field_result},
	{"verdict_record", "number and hash of the log record of the verdict, or null",
	 field_verdict_record},
	{"result_record", "number and hash of the log record of the result, or null",
	 field_result_record},
	{0}};

/* The number past the end if WORD is not a name. */
static unsigned find_name(const char *(*name)(unsigned i), const char *word)
{
	unsigned i;

	cli_find_name(name, word ? word : "", word ? strlen(word) : 0, &i);
	return i;
}

/* The verdict's record has only the ids of sources; their own records describe them. */
static const json_t *document_of(const struct run_trace *t, const char *id)
{
	size_t i;
	json_t *d;

	json_array_foreach (t->documents, i, d)
		if (id && text_at(d, "id") && strcmp(text_at(d, "id"), id) == 0)
			return d;
	return NULL;
}

static struct report_tie tie_at(const struct run_trace *t, const json_t *e)
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

/* The same fields as in a run's JSON, but the log has no titles of rules. */
static void add_verdict(const struct run_trace *t, json_t *o)
{
	char sort[RECORD_REF_MAX + 1];
	struct report_tie ties[REPORT_TIES_MAX];
	struct report_finding found[REPORT_FINDINGS_MAX];
	struct verdict_view view = {.verdict = text_at(body_of(t, PART_VERDICT), "verdict"),
				    .origin = text_at(body_of(t, PART_VERDICT), "origin"),
				    .tie = ties,
				    .finding = found,
				    .ref = sort,
				    .id = strchr(t->ref, ':') + 1};
	size_t i;
	json_t *e;

	json_array_foreach (json_object_get(body_of(t, PART_VERDICT), "evidence"), i, e)
		if (view.tiec < REPORT_TIES_MAX)
			ties[view.tiec++] = tie_at(t, e);
	json_array_foreach (json_object_get(body_of(t, PART_SCAN), "findings"), i, e)
		if (view.findingc < REPORT_FINDINGS_MAX)
			found[view.findingc++] = finding_at(e);
	snprintf(sort, sizeof(sort), "%.*s", (int)strcspn(t->ref, ":"), t->ref);
	verdict_add(o, &view);
}

/* Keeps a record of the traced run. */
static bool is_its(const struct run_trace *t, const struct record *r)
{
	char ref[RECORD_REF_MAX + 1];

	for (size_t at = 0; t->is_run && record_next_ref(r, &at, ref);)
		if (strcmp(ref, t->ref) == 0)
			return true;
	return false;
}

static void keep_part(struct run_trace *t, const struct record *r, const json_t *record)
{
	for (int p = 0; is_its(t, r) && p < PARTS; p++)
		if (kinds[p] == r->kind) {
			json_decref(t->part[p]);
			t->part[p] = json_deep_copy(record);
		}
}

/* Each run that started has one such record. */
static void keep_run(struct run_trace *t, const struct record *r)
{
	char ref[RECORD_REF_MAX + 1];

	for (size_t at = 0; record_next_ref(r, &at, ref);)
		if (strncmp(ref, "run:", 4) == 0 && strcmp(ref, t->ref) != 0)
			json_array_append_new(t->runs, json_string(ref));
}

static int trace_one(void *context, const struct store_row *row, const struct record *r,
		     struct err *err)
{
	struct run_trace *t = context;
	json_t *record = audit_record_json(row);

	if (!record)
		return err_set(err, ERR_INPUT, "record %llu cannot be read",
			       (unsigned long long)row->seq);
	t->count++;
	keep_part(t, r, record);
	if (r->kind == RECORD_START)
		keep_run(t, r);
	/* A run's own output did not lead to it. */
	if (r->kind == RECORD_INGEST && !is_its(t, r)) {
		json_t *document = json_copy(json_object_get(record, "body"));
		json_object_set_new(document, "time", jsonval_number(r->time / 1000));
		json_array_append_new(t->documents, document);
	}
	if (t->records)
		return json_array_append_new(t->records, record) < 0 ? err_memory(err) : 0;
	json_decref(record);
	return 0;
}

static int print_one(void *context, const struct store_row *row, const struct record *r,
		     struct err *err)
{
	(void)context, (void)row, (void)err;
	audit_line(r);
	return 0;
}

static const char *tie_words(const char *name)
{
	static const struct {
		const char *name, *words;
	} rows[] = {{"atom", "a host, path or name"}, {"span", "a passage"}, {"whole", "all"}};

	for (size_t i = 0; name && i < ARRAY_SIZE(rows); i++)
		if (strcmp(rows[i].name, name) == 0)
			return rows[i].words;
	return "something";
}

/* The summary: "run X was led by the web page https://host/, read at ... (source ...)". */
static void print_led_by(const struct run_trace *t)
{
	json_t *led = led_by(t), *d = json_array_get(led, 0);
	size_t more = json_array_size(led), read = json_array_size(t->documents);
	char when[TERMINAL_TIME_MAX];

	if (d) {
		const json_t *tie = tie_to(t, d);
		unsigned kind = find_name(source_kind_name, text_at(d, "kind"));
		printf("%s was led by the %s ", t->ref,
		       source_kind_name(kind) ? source_kind_help((enum source_kind)kind)
					      : "document");
		terminal_words(stdout, text_at(d, "name") ? text_at(d, "name") : "");
		printf(", read at %s (source %s): %s of it is in the code",
		       terminal_time(number_at(d, "time") * 1000, when), text_at(d, "id"),
		       tie_words(text_at(tie, "tie")));
		if (more > 1)
			printf("; and by %zu more", more - 1);
	} else if (t->is_run && t->part[PART_VERDICT] && read) {
		printf("no document is known to have led to %s: its code ties to none of the %zu "
		       "that "
		       "were read before",
		       t->ref, read);
	} else {
		printf("%zu document%s led to %s", read, read == 1 ? "" : "s", t->ref);
	}
	putchar('\n');
	json_decref(led);
}

/* "run:" may be omitted. */
static int find_ref(const char *word, char ret[RECORD_REF_MAX + 1], struct err *err)
{
	int n = snprintf(ret, RECORD_REF_MAX + 1, "%s%s", strchr(word, ':') ? "" : "run:", word);

	if (n <= RECORD_REF_MAX && record_ref_is_good(ret))
		return 0;
	err_set(err, ERR_USAGE, "\"%.60s\" is not the name of a record", word);
	err_cure(err, "a run's id, or a name as cordon audit tail shows it: src:ID, apr:ID");
	return -1;
}

/* Prints LABEL and a string or a list of strings; NONE if it is empty. */
static void print_words(const char *label, json_t *value, const char *none)
{
	size_t i;
	json_t *one;

	printf("  %-12s", label);
	if (json_is_string(value))
		terminal_words(stdout, json_string_value(value));
	else if (json_array_size(value) == 0)
		fputs(none, stdout);
	json_array_foreach (value, i, one) {
		fputs(i ? " " : "", stdout);
		terminal_words(stdout, json_is_string(one) ? json_string_value(one) : "?");
	}
	putchar('\n');
}

/* The number and the hash of a record. */
static void print_record(const struct run_trace *t, enum part part)
{
	const json_t *r = t->part[part];

	if (r)
		printf("  %-12s%s's, %llu, %s\n", "record", record_kind_name(kinds[part]),
		       (unsigned long long)number_at(r, "seq"), text_at(r, "hash"));
}

static void print_run(const struct run_trace *t)
{
	json_t *verdict = body_of(t, PART_VERDICT), *result = body_of(t, PART_RESULT);

	if (!verdict)
		return;
	print_words("verdict", json_object_get(verdict, "verdict"), "");
	print_words("code", json_object_get(verdict, "code_sha256"), "");
	print_words("origin", json_object_get(verdict, "origin"), "none: there was no decision");
	printf("  %-12s%zu\n", "ties", json_array_size(json_object_get(verdict, "evidence")));
	print_words("rules", json_object_get(verdict, "rules"), "none found anything");
	print_words("pack", json_object_get(verdict, "pack"), "");
	print_words("policy", json_object_get(verdict, "policy_sha256"), "");
	print_words("approved by", json_object_get(verdict, "approved_by"), "none");
	print_words("layers",
		    json_object_get(result ? result : verdict, result ? "layers" : "layers_needed"),
		    "none: it did not run");
	print_words("result", json_object_get(result, "result_sha256"), "none on record");
	print_record(t, PART_VERDICT);
	print_record(t, PART_RESULT);
}

static void tell(const struct run_trace *t)
{
	if (!t->records) {
		if (json_array_size(t->runs))
			print_words("by way of", t->runs, "");
		print_run(t);
		return;
	}
	json_t *o = jsonval_object(audit_trace_fields, t);
	add_verdict(t, o);
	jsonval_print(o);
}

int audit_trace(struct audit *a, struct err *err)
{
	bool json = a->call->json;
	struct run_trace t = {.records = json ? jsonval_array() : NULL,
			      .documents = jsonval_array(),
			      .runs = json_array()};

	int r = find_ref(a->call->argv[1], t.ref, err);
	t.is_run = r == 0 && strncmp(t.ref, "run:", 4) == 0;
	if (r == 0)
		r = trace_back(a->state->store, t.ref, trace_one, &t, err);
	if (r == 0 && !t.count) {
		r = err_set(err, ERR_INPUT, "there is no record of %s", t.ref);
		err_cure(err, "cordon audit tail shows names; records in an archive are not found "
			      "any more");
	}
	if (r == 0 && !json) {
		print_led_by(&t);
		r = trace_back(a->state->store, t.ref, print_one, NULL, err);
	}
	if (r == 0)
		tell(&t);
	json_decref(t.records);
	json_decref(t.documents);
	json_decref(t.runs);
	for (int p = 0; p < PARTS; p++)
		json_decref(t.part[p]);
	return r;
}
