/* SPDX-License-Identifier: MIT
 *
 * A request as JSON, made from rows. Text of the requester is data: invalid UTF-8 is escaped, and
 * code with invalid UTF-8 is base64.
 */
#include <sodium.h>
#include <string.h>

#include "approval/summary.h"
#include "base/account.h"
#include "door/cli/approvals.h"
#include "door/cli/open_state.h"
#include "show/jsonval.h"
#include "show/verdict_json.h"
#include "trust/evidence/attribute.h"

static json_t *hex(const uint8_t *data, size_t len)
{
	char text[2 * APPROVAL_SHA256 + 1];

	sodium_bin2hex(text, sizeof(text), data, len);
	return json_string(text);
}

static json_t *texts(const struct approval_list *l)
{
	const struct approval_text *t = l->list;
	json_t *all = json_array();

	for (size_t i = 0; i < l->count; i++)
		json_array_append_new(all, jsonval_readable(t[i].text));
	return all;
}

#define TEXT_OF(name, type, member) FIELD(name, type, jsonval_readable(v->member))
#define NUMBER_OF(name, type, member) FIELD(name, type, jsonval_number(v->member))
#define HEX_OF(name, type, member) FIELD(name, type, hex(v->member, sizeof(v->member)))
#define WORD_OF(name, type, member, word) FIELD(name, type, json_string(word((unsigned)v->member)))

TEXT_OF(i_name, struct approval_input, name)
HEX_OF(i_sha256, struct approval_input, sha256)
NUMBER_OF(i_entries, struct approval_input, entries)
NUMBER_OF(i_bytes, struct approval_input, bytes)
static const struct json_field input_fields[] = {
	{"name", "the kind of input, and its path", i_name},
	{"sha256", "SHA-256 of its content", i_sha256},
	{"entries", "number of files, directories and links below it", i_entries},
	{"bytes", "bytes of all its files", i_bytes},
	{0}};

static json_t *side_json(uint64_t type, uint64_t mode, uint64_t size, const uint8_t *sha256)
{
	static const char *const names[] = {"absent", "file", "directory", "link", "other"};

	if (!type)
		return json_null();
	return json_pack("{s:s, s:o, s:I, s:o}", "type", names[type % 5], "mode",
			 json_sprintf("%04o", (unsigned)mode), "size", (json_int_t)size, "sha256",
			 hex(sha256, APPROVAL_SHA256));
}

static json_t *change_name(uint64_t change)
{
	static const char *const names[] = {"created", "modified", "deleted", "mode"};

	return json_string(names[change & 3]);
}

static json_t *shown_name(uint64_t shown)
{
	static const char *const names[] = {"not_text", "text", "too_large"};

	return json_string(names[shown % 3]);
}

FIELD(c_path, struct approval_change, jsonval_text(v->path, strlen(v->path)))
FIELD(c_encoding, struct approval_change, jsonval_encoding(v->path, strlen(v->path)))
FIELD(c_change, struct approval_change, change_name(v->change))
FIELD(c_before, struct approval_change,
      side_json(v->before_type, v->before_mode, v->before_size, v->before_sha256))
FIELD(c_after, struct approval_change,
      side_json(v->after_type, v->after_mode, v->after_size, v->after_sha256))
TEXT_OF(c_note, struct approval_change, note)
FIELD(c_shown, struct approval_change, shown_name(v->shown))
NUMBER_OF(c_added, struct approval_change, added)
NUMBER_OF(c_removed, struct approval_change, removed)
static const struct json_field change_fields[] = {
	{"path", "the path, relative to the directory", c_path},
	{"path_encoding", "base64, where the path is not UTF-8", c_encoding},
	{"change", "created, modified, deleted or mode", c_change},
	{"before", "type, mode, size and sha256, or null", c_before},
	{"after", "the same after the change, or null", c_after},
	{"note", "how it takes effect outside the box, or empty", c_note},
	{"shown", "text: both sides are kept; not_text; too_large", c_shown},
	{"added", "number of added lines", c_added},
	{"removed", "number of removed lines", c_removed},
	{0}};

TEXT_OF(v_name, struct approval_vote, name)
WORD_OF(v_scope, struct approval_vote, scope, scope_name)
FIELD(v_kind, struct approval_vote,
      json_string(approval_is_confirmation(v) ? "confirmation" : "signature"))
NUMBER_OF(v_time, struct approval_vote, time)
NUMBER_OF(v_expires, struct approval_vote, expires)
TEXT_OF(v_signature, struct approval_vote, signature)
static const struct json_field vote_rows[] = {{"name", "", v_name},
					      {"scope", "", v_scope},
					      {"kind", "", v_kind},
					      {"time", "", v_time},
					      {"expires", "", v_expires},
					      {"signature", "", v_signature},
					      {0}};

HEX_OF(r_code_sha256, struct approval_request, code_sha256)
TEXT_OF(r_lang, struct approval_request, lang)
TEXT_OF(r_name, struct approval_request, name)
TEXT_OF(r_title, struct approval_request, title)
TEXT_OF(r_purpose, struct approval_request, purpose)
FIELD(r_changes, struct approval_request,
      jsonval_list(change_fields, v->changes.list, sizeof(struct approval_change),
		   v->changes.count))
TEXT_OF(r_suffix, struct approval_request, suffix)
FIELD(r_args, struct approval_request, texts(&v->args))
FIELD(r_env, struct approval_request, texts(&v->env))
HEX_OF(r_stdin, struct approval_request, stdin_sha256)
FIELD(r_inputs, struct approval_request,
      jsonval_list(input_fields, v->inputs.list, sizeof(struct approval_input), v->inputs.count))
TEXT_OF(r_workspace, struct approval_request, workspace)
static const char *mode_name(unsigned mode)
{
	static const char *const names[] = {"none", "ro", "overlay", "rw"};

	return mode < sizeof(names) / sizeof(names[0]) ? names[mode] : "none";
}
static const char *tier_name(unsigned tier)
{
	return tier_row((enum tier)tier)->name;
}
WORD_OF(r_mode, struct approval_request, workspace_mode, mode_name)
TEXT_OF(r_venv, struct approval_request, venv)
FIELD(r_exec, struct approval_request, texts(&v->exec))
FIELD(r_net, struct approval_request, texts(&v->net))
FIELD(r_limits, struct approval_request, texts(&v->limits))
WORD_OF(r_tier, struct approval_request, tier, tier_name)
FIELD(r_caps, struct approval_request, jsonval_set((unsigned)v->caps, cap_name))
FIELD(r_secret, struct approval_request, texts(&v->secret))
WORD_OF(r_grade, struct approval_request, grade, grade_name)
FIELD(r_reasons, struct approval_request, texts(&v->reasons))
FIELD(r_reach, struct approval_request, texts(&v->reach))
FIELD(r_effects, struct approval_request, texts(&v->effects))
NUMBER_OF(r_effects_more, struct approval_request, effects_more)
NUMBER_OF(r_evidence_more, struct approval_request, evidence_more)
NUMBER_OF(r_rules_more, struct approval_request, findings_more)
HEX_OF(r_policy, struct approval_request, policy_sha256)
HEX_OF(r_box, struct approval_request, box_sha256)
FIELD(r_uid, struct approval_request,
      v->uid == ACCOUNT_UNKNOWN ? json_null() : jsonval_number(v->uid))
TEXT_OF(r_conversation, struct approval_request, conversation)
WORD_OF(r_scope, struct approval_request, scope, scope_name)
NUMBER_OF(r_approvers, struct approval_request, approvers)
NUMBER_OF(r_ttl, struct approval_request, ttl_ms)
FIELD(r_confirmation, struct approval_request, json_boolean(v->confirmation))
NUMBER_OF(r_created, struct approval_request, created)
NUMBER_OF(r_expires, struct approval_request, expires)

static const struct json_field request_rows[] = {
	{"title", "the title from the host, or empty", r_title},
	{"purpose", "the purpose as the agent states it, or empty", r_purpose},
	{"reasons", "why a person is asked, in words", r_reasons},
	{"evidence_more", "number of ties that are not listed", r_evidence_more},
	{"findings", "the grade of the findings", r_grade},
	{"rules_more", "number of findings that are not listed", r_rules_more},
	{"wants", "effects that the run wants", r_caps},
	{"could", "what the run could reach, in words", r_reach},
	{"effects", "what the code does, as far as its text shows", r_effects},
	{"effects_more", "number of effects that are not listed", r_effects_more},
	{"lang", "the language", r_lang},
	{"name", "the file name that the caller gave", r_name},
	{"suffix", "the suffix of the file's name in the box", r_suffix},
	{"code_sha256", "SHA-256 of the code", r_code_sha256},
	{"args", "the program's arguments", r_args},
	{"env", "its environment", r_env},
	{"stdin_sha256", "SHA-256 of its standard input", r_stdin},
	{"inputs", "the inputs of the run, with their hashes", r_inputs},
	{"changes", "the changes that would be written", r_changes},
	{"workspace", "a directory of the host, or empty", r_workspace},
	{"workspace_mode", "none, ro, overlay or rw", r_mode},
	{"venv", "a virtual environment of the host, or empty", r_venv},
	{"exec", "programs of the host that it may start", r_exec},
	{"net", "hosts that it may connect to, beside those of the policy", r_net},
	{"secrets", "secrets that it wants to use", r_secret},
	{"limits", "name and value of each limit", r_limits},
	{"tier", "the tier of the box", r_tier},
	{"policy_sha256", "SHA-256 of the policy", r_policy},
	{"box_sha256", "SHA-256 of the spec of its box", r_box},
	{"uid", "the uid of the requester, or null in a user namespace", r_uid},
	{"conversation", "the conversation it belongs to", r_conversation},
	{"scope", "the widest scope that may be given", r_scope},
	{"approvers", "the number of people who must agree", r_approvers},
	{"ttl_ms", "how long the approval is valid", r_ttl},
	{"confirmation", "whether the requester's own account may confirm it", r_confirmation},
	{"created", "ms since 1970", r_created},
	{"expires", "when the request expires", r_expires},
	{0}};

/* HOW is the decoded form of the code, or else the kind of tie. */
struct report_tie approvals_tie(const struct approval_evidence *e)
{
	struct report_tie t = {.source = e->source,
			       .name = e->name,
			       .how = e->how,
			       .kind = (enum source_kind)e->kind,
			       .code_from = e->code_from,
			       .code_to = e->code_to,
			       .source_from = e->source_from,
			       .source_to = e->source_to};

	for (int i = 0; i < TIE_COUNT; i++)
		if (strcmp(tie_name((enum tie)i), e->how) == 0) {
			t.tie = e->how;
			t.how = "";
		}
	return t;
}

void approvals_add_said(json_t *all, const struct approval *a)
{
	const struct approval_request *r = &a->request;
	const struct approval_evidence *e = r->evidence.list;
	const struct approval_finding *f = r->findings.list;
	struct report_tie ties[APPROVAL_EVIDENCE_MAX];
	struct report_finding found[APPROVAL_FINDINGS_MAX];

	for (size_t i = 0; i < r->evidence.count; i++)
		ties[i] = approvals_tie(&e[i]);
	for (size_t i = 0; i < r->findings.count; i++)
		found[i] = (struct report_finding){.rule = f[i].rule,
						   .title = f[i].title,
						   .severity = f[i].severity,
						   .grade = GRADE_COUNT};
	verdict_add(all, &(struct verdict_view){.verdict = verdict_name(VERDICT_ASK),
						.origin = origin_name((unsigned)r->origin),
						.tie = ties,
						.tiec = r->evidence.count,
						.finding = found,
						.findingc = r->findings.count,
						.ref = "apr",
						.id = a->id});
}

static json_t *summary_json(const struct approval *a, uint64_t now, struct arena *arena)
{
	struct summary_line line[SUMMARY_LINES];
	size_t count = approval_summary(a, now, arena, line);
	json_t *all = json_array();

	for (size_t i = 0; i < count; i++) {
		const char *text = arena_printf(arena, "%s: %s", line[i].label, line[i].text);
		json_array_append_new(all, jsonval_readable(text ? text : ""));
	}
	return all;
}

json_t *approvals_json(const struct approval *a, uint64_t now)
{
	json_t *all = jsonval_object(request_rows, &a->request);
	struct arena arena = {0};

	json_object_set_new(all, "headline",
			    jsonval_readable(approval_headline(&a->request, &arena)));
	json_object_set_new(all, "summary", summary_json(a, now, &arena));
	arena_done(&arena);
	approvals_add_said(all, a);
	json_object_set_new(all, "approval_id", json_string(a->id));
	json_object_set_new(all, "binding", hex(a->binding, sizeof(a->binding)));
	json_object_set_new(all, "status",
			    json_string(approval_state_name(approval_state_at(a, now))));
	json_object_set_new(all, "reason", jsonval_readable(a->status.reason));
	json_object_set_new(all, "uses", jsonval_number(a->status.uses));
	json_object_set_new(all, "signed",
			    jsonval_list(vote_rows, a->status.votes.list,
					 sizeof(struct approval_vote), a->status.votes.count));
	return all;
}

static json_t *kept_json(const struct approval *a, const struct approval_code *code)
{
	const struct approval_attachment *k = a->request.attachments.list;
	const char *at = (const char *)code->data + a->request.code_len;
	json_t *all = json_array();

	for (size_t i = 0; i < a->request.attachments.count; at += k[i++].len) {
		json_t *one = json_pack("{s:o, s:o}", "name", jsonval_readable(k[i].name), "text",
					jsonval_text(at, k[i].len));
		json_t *encoding = jsonval_encoding(at, k[i].len);
		if (encoding)
			json_object_set_new(one, "encoding", encoding);
		json_array_append_new(all, one);
	}
	return all;
}

void approvals_add_code_json(json_t *all, const struct approval *a,
			     const struct approval_code *whole)
{
	const struct approval_code alone = approval_code_alone(&a->request, whole), *code = &alone;
	json_t *encoding = jsonval_encoding(code->data, code->len);

	json_object_set_new(all, "kept", kept_json(a, whole));

	json_object_set_new(all, "code", jsonval_text(code->data, code->len));
	if (encoding)
		json_object_set_new(all, "code_encoding", encoding);
}
