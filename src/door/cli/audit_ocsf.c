/* SPDX-License-Identifier: MIT
 *
 * A record as an event of the Open Cybersecurity Schema Framework, and as a CloudEvent. A table
 * maps kinds of records to classes. The event contains the whole record (raw_data, data), because
 * only the record is chained and signed: the other fields are for searching and prove nothing.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/scope.h"
#include "base/version.h"
#include "door/cli/audit.h"
#include "model/gate_terms.h"
#include "show/jsonval.h"
#include "show/terminal.h"

#define OCSF_VERSION "1.5.0"

enum ocsf_class { PROCESS_ACTIVITY = 1007, DETECTION_FINDING = 2004, API_ACTIVITY = 6003 };
enum { SEVERITY_INFO_ID = 1, SEVERITY_LOW_ID, SEVERITY_MEDIUM_ID, SEVERITY_HIGH_ID };

static json_t *process_part(const struct audit_event *e, json_t *event);
static json_t *finding_part(const struct audit_event *e, json_t *event);
static json_t *api_part(const struct audit_event *e, json_t *event);

static const struct {
	enum ocsf_class class;
	const char *name;
	json_t *(*fill)(const struct audit_event *e, json_t *event);
} classes[] = {
	{PROCESS_ACTIVITY, "Process Activity", process_part},
	{DETECTION_FINDING, "Detection Finding", finding_part},
	{API_ACTIVITY, "API Activity", api_part},
};

/* ACTIVITY is an activity of the class. */
static const struct row {
	enum ocsf_class class;
	int activity;
	const char *activity_name, *title;
} rows[RECORD_KINDS] = {
	[RECORD_GENESIS] = {API_ACTIVITY, 1, "Create", "the log was begun"},
	[RECORD_INGEST] = {API_ACTIVITY, 2, "Read", "an agent read something"},
	[RECORD_REQUEST] = {API_ACTIVITY, 1, "Create", "a run was asked for"},
	[RECORD_SCAN] = {DETECTION_FINDING, 1, "Create", "code was scanned"},
	[RECORD_VERDICT] = {DETECTION_FINDING, 1, "Create", "a run was decided on"},
	[RECORD_APPROVAL] = {API_ACTIVITY, 3, "Update", "people were asked, or answered"},
	[RECORD_START] = {PROCESS_ACTIVITY, 1, "Launch", "a run began"},
	[RECORD_DENIAL] = {DETECTION_FINDING, 1, "Create", "something was refused in the box"},
	[RECORD_RESULT] = {PROCESS_ACTIVITY, 2, "Terminate", "a run ended"},
	[RECORD_KEY] = {API_ACTIVITY, 3, "Update", "a key was changed"},
	[RECORD_POLICY] = {API_ACTIVITY, 3, "Update", "the policy was changed"},
	[RECORD_CONVERSATION] = {API_ACTIVITY, 1, "Create",
				 "a conversation began, was exposed or ended"},
	[RECORD_TICKET] = {API_ACTIVITY, 1, "Create", "a plan or a grant was given or revoked"},
	[RECORD_CHECKPOINT] = {API_ACTIVITY, 1, "Create", "the log was signed"},
	[RECORD_EGRESS] = {API_ACTIVITY, 99, "Other", "a run connected to hosts, or tried to"},
	[RECORD_TRUST] = {API_ACTIVITY, 3, "Update", "a directory was trusted or not"},
	[RECORD_STATE] = {API_ACTIVITY, 3, "Update",
			  "the state was upgraded, restored or archived"},
	[RECORD_APPLY] = {API_ACTIVITY, 3, "Update", "changes were applied to a directory"},
	[RECORD_ACCEPT] = {API_ACTIVITY, 3, "Update",
			   "a person went on with a log that lost records"},
	[RECORD_UNDELIVERED] = {API_ACTIVITY, 99, "Other",
				"the heads of the log were not delivered"},
};
/* The record is an ingest with findings. */
static const struct row found_row = {DETECTION_FINDING, 1, "Create",
				     "rules matched in what an agent read"};

static const char *text_of(const json_t *body, const char *name)
{
	const char *text = json_string_value(json_object_get(body, name));

	return text ? text : "";
}

static bool is_finding(const struct audit_event *e)
{
	const char *grade = text_of(e->body, "grade");

	return e->record->kind == RECORD_INGEST && *grade &&
	       strcmp(grade, grade_name(GRADE_NONE)) != 0;
}

/* The first row whose words are in the body counts. */
static int severity(const struct audit_event *e)
{
	static const struct {
		const char *member, *value;
		int severity;
	} words[] = {
		{"verdict", "deny", SEVERITY_HIGH_ID},	{"grade", "denies", SEVERITY_HIGH_ID},
		{"trust", "hostile", SEVERITY_HIGH_ID}, {"verdict", "ask", SEVERITY_MEDIUM_ID},
		{"grade", "asks", SEVERITY_MEDIUM_ID},	{"grade", "shown", SEVERITY_LOW_ID},
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strcmp(text_of(e->body, words[i].member), words[i].value) == 0)
			return words[i].severity;
	return e->record->kind == RECORD_DENIAL ? SEVERITY_MEDIUM_ID : SEVERITY_INFO_ID;
}

/* The first reference that begins with PREFIX, without PREFIX; "" if there is none. */
static const char *ref_of(const struct record *r, const char *prefix, char ret[RECORD_REF_MAX + 1])
{
	for (size_t at = 0; record_next_ref(r, &at, ret);)
		if (strncmp(ret, prefix, strlen(prefix)) == 0)
			return ret + strlen(prefix);
	ret[0] = '\0';
	return ret;
}

static json_t *event_uid(const struct audit_event *e)
{
	char uid[NOTE_ORIGIN_MAX + 32];

	snprintf(uid, sizeof(uid), "%s/%llu", e->origin, (unsigned long long)e->record->seq);
	return json_string(uid);
}

static json_t *metadata(const struct audit_event *e)
{
	char run[RECORD_REF_MAX + 1];
	const char *id = ref_of(e->record, "run:", run);
	json_t *m = json_pack("{s:s, s:{s:s, s:s, s:s}, s:o, s:I, s:s, s:s}", "version",
			      OCSF_VERSION, "product", "name", "Cordon", "vendor_name", "Cordon",
			      "version", CORDON_VERSION, "uid", event_uid(e), "sequence",
			      (json_int_t)e->record->seq, "log_name", e->origin, "event_code",
			      record_kind_name(e->record->kind));

	if (*id)
		json_object_set_new(m, "correlation_uid", json_string(id));
	return m;
}

/* The actor in the record: a principal, or the number of an account. */
static json_t *actor(const struct audit_event *e)
{
	json_t *a = json_pack("{s:s}", "app_name", "cordon");
	const char *principal = text_of(e->body, "principal");
	const json_t *by = json_object_get(e->body, "by");
	char number[32];

	if (!json_is_integer(by))
		by = json_object_get(e->body, "uid");
	if (!*principal && json_is_integer(by)) {
		snprintf(number, sizeof(number), "%lld", (long long)json_integer_value(by));
		principal = number;
	}
	if (*principal)
		json_object_set_new(a, "user", json_pack("{s:s}", "uid", principal));
	return a;
}

static json_t *device(const struct audit_event *e)
{
	return json_pack("{s:i, s:o}", "type_id", 0, "hostname", jsonval_readable(e->hostname));
}

static json_t *process_part(const struct audit_event *e, json_t *event)
{
	char run[RECORD_REF_MAX + 1];
	const char *id = ref_of(e->record, "run:", run);
	const json_t *code = json_object_get(e->body, "exit_code");

	json_object_set_new(event, "actor", actor(e));
	json_object_set_new(event, "device", device(e));
	json_object_set_new(
		event, "process",
		json_pack("{s:s, s:s}", "uid", *id ? id : "unknown", "name", "cordon-box"));
	if (json_is_integer(code))
		json_object_set(event, "exit_code", (json_t *)code);
	return event;
}

/* The gate's decision, as the profile security_control. "ask" is neither allowed nor denied. */
static void add_control(const struct audit_event *e, json_t *event)
{
	const char *verdict = text_of(e->body, "verdict");
	int action = 0;

	if (strncmp(verdict, "allow", 5) == 0)
		action = 1;
	if (strcmp(verdict, "deny") == 0 || e->record->kind == RECORD_DENIAL)
		action = 2;
	json_object_set_new(event, "action_id", json_integer(action));
	json_object_set_new(event, "disposition_id", json_integer(action));
	json_object_set_new(json_object_get(event, "metadata"), "profiles",
			    json_pack("[s]", "security_control"));
}

static json_t *finding_part(const struct audit_event *e, json_t *event)
{
	json_t *info = json_pack("{s:o, s:s}", "uid", event_uid(e), "title",
				 is_finding(e) ? found_row.title : rows[e->record->kind].title);
	const json_t *rules = json_object_get(e->body, "rules");

	if (json_is_array(rules) && json_array_size(rules))
		json_object_set(info, "types", (json_t *)rules);
	json_object_set_new(event, "finding_info", info);
	json_object_set_new(event, "status_id", json_integer(1));
	json_object_set_new(event, "is_alert", json_boolean(severity(e) >= SEVERITY_HIGH_ID));
	add_control(e, event);
	return event;
}

static json_t *api_part(const struct audit_event *e, json_t *event)
{
	json_object_set_new(event, "actor", actor(e));
	json_object_set_new(event, "api",
			    json_pack("{s:s, s:{s:s}}", "operation",
				      record_kind_name(e->record->kind), "service", "name",
				      "cordon"));
	json_object_set_new(event, "src_endpoint",
			    json_pack("{s:o, s:s}", "hostname", jsonval_readable(e->hostname),
				      "svc_name", "cordon"));
	return event;
}

static json_t *record_text(const struct store_row *row)
{
	return json_stringn((const char *)row->bytes, row->len);
}

json_t *audit_ocsf(const struct audit_event *e)
{
	const struct row *row = is_finding(e) ? &found_row : &rows[e->record->kind];
	json_t *event =
		json_pack("{s:i, s:i, s:i, s:s, s:I, s:I, s:i, s:s, s:o, s:o, s:O}", "category_uid",
			  (int)row->class / 1000, "class_uid", (int)row->class, "activity_id",
			  row->activity, "activity_name", row->activity_name, "type_uid",
			  (json_int_t)row->class * 100 + row->activity, "time",
			  (json_int_t)(e->record->time / 1000), "severity_id", severity(e),
			  "message", row->title, "metadata", metadata(e), "raw_data",
			  record_text(e->row), "unmapped", (json_t *)e->body);

	for (size_t i = 0; event && i < ARRAY_SIZE(classes); i++)
		if (classes[i].class == row->class) {
			json_object_set_new(event, "class_name", json_string(classes[i].name));
			return classes[i].fill(e, event);
		}
	return event;
}

/* RFC 3339, to the microsecond. */
static json_t *cloud_time(uint64_t us)
{
	char when[TERMINAL_TIME_MAX], text[TERMINAL_TIME_MAX + 8];

	terminal_time(us, when);
	snprintf(text, sizeof(text), "%.*s.%06lluZ", (int)strcspn(when, "Z"), when,
		 (unsigned long long)us % 1000000);
	return json_string(text);
}

/* CloudEvents 1.0, structured. The sequence is text that sorts as the numbers do. */
json_t *audit_cloudevent(const struct audit_event *e)
{
	char type[64], sequence[32], subject[RECORD_REF_MAX + 1];
	json_t *record = audit_record_json(e->row);

	snprintf(type, sizeof(type), "cordon.audit.%s", record_kind_name(e->record->kind));
	snprintf(sequence, sizeof(sequence), "%016llu", (unsigned long long)e->record->seq);
	json_t *event = json_pack("{s:s, s:o, s:s, s:s, s:o, s:s, s:s, s:o}", "specversion", "1.0",
				  "id", event_uid(e), "source", e->origin, "type", type, "time",
				  cloud_time(e->record->time), "datacontenttype",
				  "application/json", "sequence", sequence, "data", record);

	if (event && *ref_of(e->record, "", subject))
		json_object_set_new(event, "subject", json_string(subject));
	return event;
}
