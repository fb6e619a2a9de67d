/* SPDX-License-Identifier: MIT
 *
 * A result as one JSON object. Each field is a row: its name, what it means, and the function that
 * makes it; the manual page is made from the same rows, and from that docs/reference/json.md.
 * Strings from the box are data: nothing in them can become a field.
 */
#include "show/run_json.h"

#include <jansson.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "model/report.h"
#include "show/hint.h"
#include "show/jsonval.h"
#include "show/verdict_json.h"

/* A captured stream. JSON strings are Unicode, so a stream with invalid UTF-8 is base64 as a whole, and
 * the reader gets the exact bytes. */
struct stream {
	json_t *text; /* owned by the caller */
	const char *encoding;
	uint64_t total, omitted;
	size_t gap_at;
};

/* Moves the gap out of a UTF-8 character: half a character would make text look binary. */
static size_t char_start_before(const char *s, size_t at)
{
	size_t back = 0;

	while (back < 4 && at > back && ((unsigned char)s[at - back - 1] & 0xc0) == 0x80)
		back++;
	if (at > back && (unsigned char)s[at - back - 1] >= 0xc0)
		return at - back - 1;
	return at;
}

static size_t char_start_after(const char *s, size_t at, size_t len)
{
	size_t end = at;

	while (end < len && end - at < 3 && ((unsigned char)s[end] & 0xc0) == 0x80)
		end++;
	return end;
}

static void stream_init(struct stream *s, const struct capture *c)
{
	size_t len = 0, gap = 0;
	AUTO_FREE char *all = capture_join(c, &len, &gap);

	*s = (struct stream){.total = c->total, .omitted = capture_omitted(c)};
	if (!all)
		len = 0;
	if (all && s->omitted) {
		size_t before = char_start_before(all, gap),
		       after = char_start_after(all, gap, len);
		memmove(all + before, all + after, len - after);
		s->omitted += after - before;
		len -= after - before;
		s->gap_at = before;
	}
	s->text = json_stringn(all ? all : "", len);
	s->encoding = s->text ? "utf-8" : "base64";
	if (!s->text)
		s->text = jsonval_text(all ? all : "", len);
}

struct run_view {
	const struct result *result;
	enum tier tier;
	struct stream out[2];
};

FIELD(wall_ms, struct wire_result, jsonval_number(v->wall_ms))
FIELD(cpu_ms, struct wire_result, jsonval_number(v->cpu_ms))
FIELD(memory_peak, struct wire_result, jsonval_number(v->memory_peak))
FIELD(pids_peak, struct wire_result, jsonval_number(v->pids_peak))

static const struct json_field usage_fields[] = {
	{"wall_ms", "milliseconds from its first instruction to the end of all processes", wall_ms},
	{"cpu_ms", "CPU time of all processes, in milliseconds", cpu_ms},
	{"memory_peak", "the most memory at a time, in bytes", memory_peak},
	{"pids_peak", "the most processes and threads at a time", pids_peak},
	{0}};

FIELD(gap_total, struct stream, jsonval_number(v->total))
FIELD(gap_omitted, struct stream, jsonval_number(v->omitted))
FIELD(gap_at, struct stream, jsonval_number(v->gap_at))

static const struct json_field gap_fields[] = {
	{"total", "bytes that the program printed", gap_total},
	{"omitted", "bytes that are missing", gap_omitted},
	{"at", "the offset at which they are missing", gap_at},
	{0}};

#define WORD(member) jsonval_text(v->member, strnlen(v->member, sizeof(v->member)))
#define WORD_ENCODING(member) jsonval_encoding(v->member, strnlen(v->member, sizeof(v->member)))

static json_t *hint_json(const char *hint)
{
	return hint ? jsonval_readable(hint) : json_null();
}

FIELD(denial_call, struct wire_denial, WORD(call))
FIELD(denial_target, struct wire_denial, WORD(target))
FIELD(denial_encoding, struct wire_denial, WORD_ENCODING(target))
FIELD(denial_rule, struct wire_denial, WORD(rule))
FIELD(denial_count, struct wire_denial, jsonval_number(v->count))
FIELD(denial_option, struct wire_denial, hint_json(hint_of_denial(v, (char[HINT_MAX]){0})))

const struct json_field run_denial_fields[] = {
	{"call", "the system call's name", denial_call},
	{"target", "what the call was about; for people, not for programs", denial_target},
	{"target_encoding", "base64, where the target is not UTF-8", denial_encoding},
	{"rule", "the rule that refused it", denial_rule},
	{"count", "how often", denial_count},
	{"option", "the option of cordon run that would allow it, or null", denial_option},
	{0}};

FIELD(egress_name, struct egress_row, jsonval_readable(v->name))
FIELD(egress_address, struct egress_row, json_string(v->address))
FIELD(egress_port, struct egress_row, jsonval_number(v->port))
FIELD(egress_verdict, struct egress_row, json_string(egress_verdict_name(v->verdict)))
FIELD(egress_rule, struct egress_row, jsonval_readable(v->rule))
FIELD(egress_out, struct egress_row, jsonval_number(v->bytes_out))
FIELD(egress_in, struct egress_row, jsonval_number(v->bytes_in))
FIELD(egress_ms, struct egress_row, jsonval_number(v->wall_ms))

FIELD(egress_option, struct egress_row, hint_json(hint_of_egress(v, (char[HINT_MAX]){0})))

static const struct json_field egress_fields[] = {
	{"name", "the host's name; empty: the program gave an address", egress_name},
	{"address", "the address that the name was looked up to; empty: it was not looked up",
	 egress_address},
	{"port", "the port; 0: the program only looked up the name", egress_port},
	{"verdict", "connected, failed or refused", egress_verdict},
	{"rule", "the rule that allowed it; if refused, the reason", egress_rule},
	{"option", "the option of cordon run that would allow it, or null", egress_option},
	{"bytes_out", "bytes sent, as the kernel counts them", egress_out},
	{"bytes_in", "bytes received; the end of the stream counts as one byte", egress_in},
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

static const struct json_field change_fields[] = {
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

static const struct json_field error_fields[] = {
	{"kind", "usage, input, layer, system, limit, refused or conflict", error_kind},
	{"layer", "the layer that failed, or empty", error_layer},
	{"message", "what failed", error_message},
	{"cause", "the cause, or empty", error_cause},
	{"cure", "what to do, or empty", error_cure},
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

static const struct json_field telemetry_fields[] = {
	{"told", "events that were reported", telemetry_told},
	{"dropped", "events that were dropped: too many, or malformed", telemetry_dropped},
	{"explained", "refused calls as the program reported them, with the lines of its code",
	 telemetry_explained},
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

/* The gate's report; NULL if the gate did not decide. */
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

/* A hash of the verdict's record, if the record was written. */
static json_t *verdict_hash(const struct run_view *v, size_t at)
{
	const struct report *r = v->result->report;

	return r && r->verdict_record.is_there ? jsonval_hex((const uint8_t *)r + at, REPORT_SHA256)
					       : json_null();
}

static json_t *result_hash(const struct run_view *v)
{
	const struct report *r = v->result->report;

	return r && r->result_record.is_there ? jsonval_hex(r->result_sha256, REPORT_SHA256)
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

const struct json_field run_effect_fields[] = {
	{"effect", "write, net or secret", effect_cap},
	{"object",
	 "the path, HOST:PORT or the secret's name; a path is relative to the workspace, and "
	 "absolute in a directory of --rw",
	 effect_object},
	{"outcome", "policy or ticket: allowed by it; waits: for a person; withheld",
	 effect_outcome},
	{"done", "true if the effect has happened", effect_done},
	{"by", "what allowed it: policy, or a ticket; or null", effect_by},
	{"waits", "the id of the request that waits for a person; or null", effect_waits},
	{"command", "the command that would allow it, or null", effect_command},
	{"reason", "why it was withheld or what the approval covers, or null", effect_reason},
	{0}};

json_t *run_effects_json(const struct report *r)
{
	return jsonval_list(run_effect_fields, r->effect, sizeof(r->effect[0]), r->effectc);
}

static json_t *report_text(const struct run_view *v, size_t at)
{
	const char *text = v->result->report ? (const char *)v->result->report + at : "";

	return *text ? json_string(text) : json_null();
}

static json_t *hints(const struct result *r)
{
	const char *text[HINTS_MAX];
	json_t *list = json_array();

	for (size_t i = 0, count = hints_of_output(r, text); i < count; i++)
		json_array_append_new(list, json_string(text[i]));
	return list;
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
RUN(run_exec, v->result->ran == RAN_NOT ? json_null()
					: json_string(v->result->executes_any ? "any" : "listed"))
RUN(run_layers, layers(v->result->wire.layers))
RUN(run_denials, jsonval_list(run_denial_fields, v->result->denials, sizeof(struct wire_denial),
			      v->result->denialc))
RUN(run_hints, hints(v->result))
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
RUN(run_home, gate_of(v) && gate_of(v)->home ? jsonval_readable(gate_of(v)->home) : json_null())
RUN(run_cause, gate_of(v) && gate_of(v)->cause ? jsonval_readable(gate_of(v)->cause) : json_null())
RUN(run_effects_cut, json_boolean(v->result->report && v->result->report->effect_more))
RUN(run_effects, v->result->report ? run_effects_json(v->result->report) : json_array())
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

static const struct json_field run_fields[] = {
	{"status", "exited, signaled, timed_out, limit, refused, pending or error", run_status},
	{"ran",
	 "true: it ran and ended; false: it did not run; null: unknown, because Cordon itself "
	 "failed",
	 run_ran},
	{"exit_code", "the program's own status, if it exited; else null", run_exit},
	{"signal", "the signal that killed it, or null; 31: it made a system call on the kill list",
	 run_signal},
	{"limit", "the limit that was reached, or null", run_limit},
	{"stdout", "standard output; of more than --output bytes, the first and last half",
	 run_stdout},
	{"stdout_encoding", "utf-8, or base64 where it is not UTF-8", run_stdout_encoding},
	{"stdout_bytes", "bytes that the program printed in all", run_stdout_bytes},
	{"stderr", "standard error, like stdout", run_stderr},
	{"stderr_encoding", "utf-8 or base64", run_stderr_encoding},
	{"stderr_bytes", "bytes of standard error in all", run_stderr_bytes},
	{"truncated", "for each stream that was cut: the missing part", run_truncated},
	{"usage", "the resources that the run used", run_usage},
	{"counted_by", "what counted them: cgroup v1 or v2, or watcher; empty: nothing",
	 run_counted_by},
	{"tier", "the tier that was asked for", run_tier},
	{"exec",
	 "listed: only the program and those of --exec could be executed; any: all that the box "
	 "showed; null: it did not run",
	 run_exec},
	{"layers", "the layers that were active", run_layers},
	{"denials", "the system calls that were refused", run_denials},
	{"denials_cut", "the list is incomplete: there were more entries", run_denials_cut},
	{"hints", "what the errors of a failed program let suspect that the run needs", run_hints},
	{"telemetry", "with --telemetry: the events that the program reported", run_telemetry},
	{"egress", "with --net: every attempt to reach a host", run_egress},
	{"egress_cut", "the list is incomplete: there were more entries", run_egress_cut},
	{"changes", "what changed in the workspace's overlay", run_changes},
	{"changes_cut", "the list is incomplete: there were more entries", run_changes_cut},
	{"home", "with --keep: the directory on the host that was the home directory; or null",
	 run_home},
	{"conversation", "the conversation of the run, or null", run_conversation},
	{"state", "clean or exposed", run_state},
	{"cause", "what exposed it; or null", run_cause},
	{"effects", "each effect that the run wanted, and its outcome", run_effects},
	{"effects_cut", "the list is incomplete: there were more entries", run_effects_cut},
	{"code_sha256", "SHA-256 of the code that ran; null: unknown", run_sha256},
	{"reasons", "the reasons for the verdict and the origin, in words", run_reasons},
	{"evidence_cut", "the list is incomplete: there were more entries", run_evidence_cut},
	{"rules_cut", "the list is incomplete: there were more entries", run_rules_cut},
	{"approval_id", "the approval request, or the approval that was used; or null",
	 run_approval},
	{"approved_by", "names of the people who approved it", run_approved_by},
	{"policy_sha256", "SHA-256 of the policy that decided, or null", run_policy},
	{"pack", "hash of the rules that scanned the code, or null", run_pack},
	{"result_sha256", "SHA-256 of the result in the log, or null", run_result_hash},
	{"verdict_record", "number and hash of the log record of the verdict, or null",
	 run_verdict_record},
	{"result_record", "number and hash of the log record of the result, or null",
	 run_result_record},
	{"recorded", "true if the log has the result, or the reason why it did not run",
	 run_recorded},
	{"error", "the error that stopped the run, or null", run_error},
	{0}};

const struct json_doc run_docs[] = {{"", run_fields},
				    {"", verdict_fields},
				    {"truncated.stdout", gap_fields},
				    {"usage", usage_fields},
				    {"denials[]", run_denial_fields},
				    {"telemetry", telemetry_fields},
				    {"egress[]", egress_fields},
				    {"changes[]", change_fields},
				    {"effects[]", run_effect_fields},
				    {"evidence[]", verdict_tie_fields},
				    {"rules[]", verdict_rule_fields},
				    {"verdict_record", verdict_record_fields},
				    {"result_record", verdict_record_fields},
				    {"error", error_fields},
				    {0}};

static json_t *object_of(const struct run_view *v)
{
	struct verdict_view verdict = verdict_of_report(v->result->report);
	json_t *o = jsonval_object(run_fields, v);

	verdict_add(o, &verdict);
	return o;
}

json_t *run_json(const struct result *r, enum tier tier)
{
	struct run_view v = {.result = r, .tier = tier};

	for (int i = 0; i < 2; i++)
		stream_init(&v.out[i], &r->out[i]);
	json_t *o = object_of(&v);
	for (int i = 0; i < 2; i++)
		json_decref(v.out[i].text);
	return o;
}

json_t *run_json_without_output(const struct result *r, enum tier tier)
{
	struct run_view v = {.result = r, .tier = tier};

	for (int i = 0; i < 2; i++)
		v.out[i] = (struct stream){.total = r->out[i].total,
					   .omitted = capture_omitted(&r->out[i]),
					   .gap_at = r->out[i].head_len};
	return object_of(&v);
}

void run_json_print(const struct result *r, enum tier tier)
{
	jsonval_dump(run_json(r, tier), 0); /* main checks that all was written */
}
