/* SPDX-License-Identifier: MIT
 *
 * A result as one JSON object. Each field is a row: its name, what it means, and the function that
 * makes it; the manual page is made from the same rows, and docs/JSON.md is held to them. Strings
 * from the box are data: nothing in them can become a field.
 */
#include <jansson.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "cli/cli.h"
#include "cli/events.h"
#include "cli/gate.h"
#include "cli/jsonval.h"
#include "cli/scan.h"
#include "cli/stream.h"
#include "cli/verdict.h"
#include "model/report.h"

struct run_view {
	const struct result *result;
	enum tier tier;
	struct stream out[2];
};

FIELD(wall_ms, struct wire_result, jsonval_number(v->wall_ms))
FIELD(cpu_ms, struct wire_result, jsonval_number(v->cpu_ms))
FIELD(memory_peak, struct wire_result, jsonval_number(v->memory_peak))
FIELD(pids_peak, struct wire_result, jsonval_number(v->pids_peak))

static const struct cli_field usage_fields[] = {
	{"wall_ms", "milliseconds from its first instruction to the end of all processes", wall_ms},
	{"cpu_ms", "CPU time of all processes, in milliseconds", cpu_ms},
	{"memory_peak", "the most memory at a time, in bytes", memory_peak},
	{"pids_peak", "the most processes and threads at a time", pids_peak},
	{0}};

FIELD(gap_total, struct stream, jsonval_number(v->total))
FIELD(gap_omitted, struct stream, jsonval_number(v->omitted))
FIELD(gap_at, struct stream, jsonval_number(v->gap_at))

static const struct cli_field gap_fields[] = {
	{"total", "bytes that the program printed", gap_total},
	{"omitted", "bytes that are missing", gap_omitted},
	{"at", "the offset at which they are missing", gap_at},
	{0}};

#define WORD(member) jsonval_text(v->member, strnlen(v->member, sizeof(v->member)))
#define WORD_ENCODING(member) jsonval_encoding(v->member, strnlen(v->member, sizeof(v->member)))

FIELD(denial_call, struct wire_denial, WORD(call))
FIELD(denial_target, struct wire_denial, WORD(target))
FIELD(denial_encoding, struct wire_denial, WORD_ENCODING(target))
FIELD(denial_rule, struct wire_denial, WORD(rule))
FIELD(denial_count, struct wire_denial, jsonval_number(v->count))

const struct cli_field cli_denial_fields[] = {
	{"call", "the system call's name", denial_call},
	{"target", "what it was about, for the reader only", denial_target},
	{"target_encoding", "base64, where the target is not UTF-8", denial_encoding},
	{"rule", "why it was refused", denial_rule},
	{"count", "how many times", denial_count},
	{0}};

FIELD(egress_name, struct egress_row, jsonval_readable(v->name))
FIELD(egress_address, struct egress_row, json_string(v->address))
FIELD(egress_port, struct egress_row, jsonval_number(v->port))
FIELD(egress_verdict, struct egress_row, json_string(egress_verdict_name(v->verdict)))
FIELD(egress_rule, struct egress_row, jsonval_readable(v->rule))
FIELD(egress_out, struct egress_row, jsonval_number(v->bytes_out))
FIELD(egress_in, struct egress_row, jsonval_number(v->bytes_in))
FIELD(egress_ms, struct egress_row, jsonval_number(v->wall_ms))

static const struct cli_field egress_fields[] = {
	{"name", "the host's; empty: it gave an address", egress_name},
	{"address", "where that really is; empty: nobody looked", egress_address},
	{"port", "0: it only asked for the name", egress_port},
	{"verdict", "connected, failed or refused", egress_verdict},
	{"rule", "that allowed it; else why it was refused", egress_rule},
	{"bytes_out", "sent; the kernel's count", egress_out},
	{"bytes_in", "received; the end of the stream counts as one", egress_in},
	{"wall_ms", "milliseconds from the call to the end of the connection", egress_ms},
	{0}};

static const char *const kinds[CHANGE_KINDS] = {"created", "modified", "deleted"};
static const char *const types[CHANGE_TYPES] = {"file", "directory", "link", "other"};

static json_t *octal(uint32_t mode)
{
	return json_sprintf("%04o", mode & 07777);
}

FIELD(change_path, struct change, jsonval_text(v->path, v->path_len))
FIELD(change_encoding, struct change, jsonval_encoding(v->path, v->path_len))
FIELD(change_kind, struct change, json_string(kinds[v->change]))
FIELD(change_type, struct change, v->change == CHANGE_DELETED ? NULL : json_string(types[v->type]))
FIELD(change_mode, struct change, v->change == CHANGE_DELETED ? NULL : octal(v->mode))
FIELD(change_size, struct change, v->change == CHANGE_DELETED ? NULL : jsonval_number(v->size))

static const struct cli_field change_fields[] = {
	{"path", "relative to the workspace", change_path},
	{"path_encoding", "base64, where the path is not UTF-8", change_encoding},
	{"change", "created, modified or deleted", change_kind},
	{"type", "file, directory, link or other; not for deleted", change_type},
	{"mode", "four octal digits; not for deleted", change_mode},
	{"size", "bytes; not for deleted", change_size},
	{0}};

FIELD(error_kind, struct err, json_string(err_row(v)->name))
FIELD(error_layer, struct err, jsonval_readable(v->layer))
FIELD(error_message, struct err, jsonval_readable(v->message))
FIELD(error_cause, struct err, jsonval_readable(v->cause))
FIELD(error_cure, struct err, jsonval_readable(v->cure))

static const struct cli_field error_fields[] = {
	{"kind", "usage, input, layer, system, limit, refused or conflict", error_kind},
	{"layer", "the layer that is to blame, or empty", error_layer},
	{"message", "what failed", error_message},
	{"cause", "why, found by looking; or empty", error_cause},
	{"cure", "what to do about it; or empty", error_cure},
	{0}};

static json_t *explained(const struct result_telemetry *t)
{
	json_t *list = json_array();

	for (size_t i = 0; i < t->explainedc; i++)
		json_array_append_new(list, jsonval_readable(t->explained[i]));
	return list;
}

FIELD(telemetry_told, struct result_telemetry, jsonval_number(v->told))
FIELD(telemetry_dropped, struct result_telemetry, jsonval_number(v->dropped))
FIELD(telemetry_explained, struct result_telemetry, explained(v))

static const struct cli_field telemetry_fields[] = {
	{"told", "events that came and were told", telemetry_told},
	{"dropped", "events that came and were not: too many, or none", telemetry_dropped},
	{"explained", "refusals in the program's own words, with its lines", telemetry_explained},
	{0}};

static json_t *limit_name(const struct result *r)
{
	if (r->status == STATUS_TIMED_OUT)
		return json_string(limit_row(LIMIT_TIME)->name);
	return r->wire.limit < LIMIT_COUNT
		       ? json_string(limit_row((enum limit_id)r->wire.limit)->name)
		       : json_null();
}

static json_t *truncated(const struct run_view *v)
{
	static const char *const names[] = {"stdout", "stderr"};
	json_t *o = json_object();

	for (int i = 0; i < 2; i++)
		if (v->out[i].omitted)
			json_object_set_new(o, names[i], jsonval_object(gap_fields, &v->out[i]));
	return o;
}

static json_t *layers(uint32_t active)
{
	json_t *list = json_array();

	for (int l = 0; l < LAYER_COUNT; l++)
		if (active & LAYER_BIT(l))
			json_array_append_new(list, json_string(layer_row((enum layer)l)->name));
	return list;
}

static json_t *ran(const struct result *r)
{
	return r->ran == RAN_PERHAPS ? json_null() : json_boolean(r->ran == RAN_ENDED);
}

static json_t *sha256(const struct result *r)
{
	char hex[2 * sizeof(r->sha256) + 1];

	if (!r->has_sha256)
		return json_null();
	for (size_t i = 0; i < sizeof(r->sha256); i++)
		snprintf(hex + 2 * i, 3, "%02x", r->sha256[i]);
	return json_string(hex);
}

/* What the gate said; null where it had no say. */
static const struct report *gate_of(const struct run_view *v)
{
	const struct report *r = v->result->report;

	return r && r->has_verdict ? r : NULL;
}

static json_t *reasons(const struct run_view *v)
{
	const struct report *r = gate_of(v);
	json_t *list = json_array();

	for (size_t i = 0; r && i < r->reasonc; i++)
		json_array_append_new(list, jsonval_readable(r->reason[i]));
	return list;
}

static json_t *approval_id(const struct run_view *v)
{
	const struct report *r = v->result->report;

	return r && r->approval[0] ? json_string(r->approval) : json_null();
}

static json_t *approved_by(const struct report *r)
{
	json_t *list = json_array();

	for (size_t i = 0; r && i < r->approverc; i++)
		json_array_append_new(list, jsonval_readable(r->approver[i]));
	return list;
}

/* As the records have it, which must be there. */
static json_t *verdict_hash(const struct run_view *v, size_t at)
{
	const struct report *r = v->result->report;

	return r && r->verdict_record.is_there
		       ? gate_hex_json((const uint8_t *)r + at, REPORT_SHA256)
		       : json_null();
}

static json_t *result_hash(const struct run_view *v)
{
	const struct report *r = v->result->report;

	return r && r->result_record.is_there ? gate_hex_json(r->result_sha256, REPORT_SHA256)
					      : json_null();
}

static json_t *record_of(const struct run_view *v, size_t at)
{
	const struct report *r = v->result->report;

	return r ? verdict_record_json((const struct report_record *)((const char *)r + at))
		 : json_null();
}

#define EFFECT(function, expression) FIELD(function, struct report_effect, expression)
EFFECT(effect_cap, json_string(cap_name(v->cap)))
EFFECT(effect_object, jsonval_readable(v->object))
EFFECT(effect_outcome, json_string(outcome_name(v->outcome)))
EFFECT(effect_done, json_boolean(v->done))
EFFECT(effect_by, jsonval_word(v->by))
EFFECT(effect_waits, jsonval_word(v->waits))
EFFECT(effect_command, v->command ? jsonval_readable(v->command) : json_null())
EFFECT(effect_reason, v->reason ? jsonval_readable(v->reason) : json_null())

const struct cli_field gate_effect_fields[] = {
	{"effect", "write, net or secret", effect_cap},
	{"object", "the path, HOST:PORT or the secret's name", effect_object},
	{"outcome", "policy or ticket: given; waits; withheld", effect_outcome},
	{"done", "it has happened", effect_done},
	{"by", "policy, or the ticket that gave it; or null", effect_by},
	{"waits", "the id of the request that waits for a person; or null", effect_waits},
	{"command", "that would allow it; or null", effect_command},
	{"reason", "why it was not given or asked about, or what the approval is for; or null",
	 effect_reason},
	{0}};

json_t *gate_effects_json(const struct report *r)
{
	return jsonval_list(gate_effect_fields, r->effect, sizeof(r->effect[0]), r->effectc);
}

static json_t *report_text(const struct run_view *v, size_t at)
{
	const char *text = v->result->report ? (const char *)v->result->report + at : "";

	return *text ? json_string(text) : json_null();
}

#define RUN(function, expression) FIELD(function, struct run_view, expression)

RUN(run_status, json_string(status_name(v->result->status)))
RUN(run_ran, ran(v->result))
RUN(run_recorded, json_boolean(v->result->recorded))
RUN(run_exit, v->result->status == STATUS_EXITED ? jsonval_number((uint64_t)v->result->exit_code)
						 : json_null())
RUN(run_signal, v->result->signal ? jsonval_number((uint64_t)v->result->signal) : json_null())
RUN(run_limit, limit_name(v->result))
RUN(run_stdout, json_incref(v->out[0].text))
RUN(run_stdout_encoding, json_string(v->out[0].encoding))
RUN(run_stdout_bytes, jsonval_number(v->out[0].total))
RUN(run_stderr, json_incref(v->out[1].text))
RUN(run_stderr_encoding, json_string(v->out[1].encoding))
RUN(run_stderr_bytes, jsonval_number(v->out[1].total))
RUN(run_truncated, truncated(v))
RUN(run_usage, jsonval_object(usage_fields, &v->result->wire))
RUN(run_counted_by, json_string(v->result->wire.cgroup))
RUN(run_tier, json_string(tier_row(v->tier)->name))
RUN(run_layers, layers(v->result->wire.layers))
RUN(run_denials, jsonval_list(cli_denial_fields, v->result->denials, sizeof(struct wire_denial),
			      v->result->denialc))
RUN(run_denials_cut, json_boolean(v->result->wire.denials_cut))
RUN(run_telemetry, jsonval_object(telemetry_fields, &v->result->telemetry))
RUN(run_egress,
    jsonval_list(egress_fields, v->result->egress, sizeof(struct egress_row), v->result->egressc))
RUN(run_egress_cut, json_boolean(v->result->egress_cut))
RUN(run_changes,
    jsonval_list(change_fields, v->result->changes, sizeof(struct change), v->result->changec))
RUN(run_changes_cut, json_boolean(v->result->changes_cut))
RUN(run_conversation, report_text(v, offsetof(struct report, conversation)))
RUN(run_state, gate_of(v) ? json_string(gate_of(v)->exposed ? "exposed" : "clean") : json_null())
RUN(run_cause, gate_of(v) && gate_of(v)->cause ? jsonval_readable(gate_of(v)->cause) : json_null())
RUN(run_effects_cut, json_boolean(v->result->report && v->result->report->effect_more))
RUN(run_effects, v->result->report ? gate_effects_json(v->result->report) : json_array())
RUN(run_sha256, sha256(v->result))
RUN(run_reasons, reasons(v))
RUN(run_evidence_cut, json_boolean(gate_of(v) && gate_of(v)->tie_more))
RUN(run_rules_cut, json_boolean(gate_of(v) && gate_of(v)->finding_more))
RUN(run_approval, approval_id(v))
RUN(run_approved_by, approved_by(v->result->report))
RUN(run_policy, verdict_hash(v, offsetof(struct report, policy_sha256)))
RUN(run_pack, verdict_hash(v, offsetof(struct report, pack)))
RUN(run_result_hash, result_hash(v))
RUN(run_verdict_record, record_of(v, offsetof(struct report, verdict_record)))
RUN(run_result_record, record_of(v, offsetof(struct report, result_record)))
RUN(run_error, v->result->err.code ? jsonval_object(error_fields, &v->result->err) : json_null())

static const struct cli_field run_fields[] = {
	{"status", "exited, signaled, timed_out, limit, refused, pending or error", run_status},
	{"ran", "whether it ran and ended; null: perhaps, something of Cordon's broke", run_ran},
	{"exit_code", "the program's own status, if it exited; else null", run_exit},
	{"signal", "the signal that ended it, or null; 31: a call on the kill list", run_signal},
	{"limit", "the limit that was touched, or null", run_limit},
	{"stdout", "what it printed: at most --output bytes, first and last half", run_stdout},
	{"stdout_encoding", "utf-8, or base64 where it is not UTF-8", run_stdout_encoding},
	{"stdout_bytes", "how many bytes it printed in all", run_stdout_bytes},
	{"stderr", "the same for standard error", run_stderr},
	{"stderr_encoding", "utf-8 or base64", run_stderr_encoding},
	{"stderr_bytes", "how many bytes it printed there in all", run_stderr_bytes},
	{"truncated", "for each stream that was cut, what is missing", run_truncated},
	{"usage", "what it used", run_usage},
	{"counted_by", "v1 or v2 (cgroups), or watcher; empty without a count", run_counted_by},
	{"tier", "the tier that was asked for", run_tier},
	{"layers", "the layers that were active", run_layers},
	{"denials", "the calls that were refused", run_denials},
	{"denials_cut", "there were more than are listed", run_denials_cut},
	{"telemetry", "with --telemetry: what the program said of itself", run_telemetry},
	{"egress", "with --net: every attempt to reach a host", run_egress},
	{"egress_cut", "there were more than are listed", run_egress_cut},
	{"changes", "what changed in the workspace's overlay", run_changes},
	{"changes_cut", "there were more than are listed", run_changes_cut},
	{"conversation", "that it belongs to; or null", run_conversation},
	{"state", "clean or exposed", run_state},
	{"cause", "what exposed it; or null", run_cause},
	{"effects", "what became of each effect that it wanted", run_effects},
	{"effects_cut", "there were more than are listed", run_effects_cut},
	{"code_sha256", "of the bytes that ran; null if that cannot be said", run_sha256},
	{"reasons", "for both, in words", run_reasons},
	{"evidence_cut", "there were more than are listed", run_evidence_cut},
	{"rules_cut", "there were more than are listed", run_rules_cut},
	{"approval_id", "of the question to people, or of their yes; or null", run_approval},
	{"approved_by", "who agreed, by name", run_approved_by},
	{"policy_sha256", "of the policy that decided; or null", run_policy},
	{"pack", "of the rules it was scanned with; or null", run_pack},
	{"result_sha256", "of its result, as the log has it; or null", run_result_hash},
	{"verdict_record", "number and hash of the verdict's record; or null", run_verdict_record},
	{"result_record", "number and hash of the result's record; or null", run_result_record},
	{"recorded", "the log knows how it ended, or why it did not run", run_recorded},
	{"error", "why it could not be run or finished, or null", run_error},
	{0}};

static const struct cli_object objects[] = {{"", run_fields},
					    {"", verdict_fields},
					    {"truncated.stdout", gap_fields},
					    {"usage", usage_fields},
					    {"denials[]", cli_denial_fields},
					    {"telemetry", telemetry_fields},
					    {"egress[]", egress_fields},
					    {"changes[]", change_fields},
					    {"effects[]", gate_effect_fields},
					    {"evidence[]", verdict_tie_fields},
					    {"rules[]", verdict_rule_fields},
					    {"verdict_record", verdict_record_fields},
					    {"result_record", verdict_record_fields},
					    {"error", error_fields}};

const struct cli_object *cli_object_at(unsigned i)
{
	if (i < ARRAY_SIZE(objects))
		return &objects[i];
	i -= ARRAY_SIZE(objects);
	for (unsigned events = 0;; events++)
		if (!events_object_at(events)) {
			if (i < events)
				return events_object_at(i);
			i -= events;
			break;
		}
	for (unsigned scans = 0;; scans++)
		if (!scan_object_at(scans))
			return i < scans ? scan_object_at(i) : gate_object_at(i - scans);
}

static json_t *object_of(const struct run_view *v)
{
	struct verdict_said said = verdict_of_report(v->result->report);
	json_t *o = jsonval_object(run_fields, v);

	verdict_add(o, &said);
	return o;
}

json_t *cli_json(const struct result *r, enum tier tier)
{
	struct run_view v = {.result = r, .tier = tier};

	for (int i = 0; i < 2; i++)
		stream_init(&v.out[i], &r->out[i]);
	json_t *o = object_of(&v);
	for (int i = 0; i < 2; i++)
		json_decref(v.out[i].text);
	return o;
}

json_t *cli_json_live(const struct result *r, enum tier tier)
{
	struct run_view v = {.result = r, .tier = tier};

	for (int i = 0; i < 2; i++)
		v.out[i] = (struct stream){.total = r->out[i].total,
					   .omitted = capture_omitted(&r->out[i]),
					   .gap_at = r->out[i].head_len};
	return object_of(&v);
}

void cli_print_json(const struct result *r, enum tier tier)
{
	jsonval_dump(cli_json(r, tier), 0); /* main looks whether all was written */
}
