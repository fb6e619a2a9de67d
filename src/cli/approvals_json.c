/* SPDX-License-Identifier: MIT
 *
 * A parked request as JSON: rows, as everywhere. Texts of others are data: what is no UTF-8 in them
 * is written out, and the code itself is base64 then.
 */
#include <sodium.h>
#include <string.h>

#include "base/account.h"
#include "cli/approvals.h"
#include "cli/gate.h"
#include "cli/jsonval.h"
#include "cli/verdict.h"
#include "trust/attribute.h"

static json_t *hex(const uint8_t *data, size_t len)
{
	char text[2 * KEY_SIGNATURE + 1];

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
static const struct cli_field input_fields[] = {
	{"name", "what it is, and where", i_name},
	{"sha256", "of all that is in it", i_sha256},
	{"entries", "files, directories and links below it", i_entries},
	{"bytes", "of all its files", i_bytes},
	{0}};

TEXT_OF(v_name, struct approval_vote, name)
WORD_OF(v_scope, struct approval_vote, scope, scope_name)
NUMBER_OF(v_uid, struct approval_vote, uid)
NUMBER_OF(v_time, struct approval_vote, time)
NUMBER_OF(v_expires, struct approval_vote, expires)
HEX_OF(v_key, struct approval_vote, public)
HEX_OF(v_signature, struct approval_vote, signature)
static const struct cli_field vote_rows[] = {{"name", "", v_name},
					     {"scope", "", v_scope},
					     {"uid", "", v_uid},
					     {"time", "", v_time},
					     {"expires", "", v_expires},
					     {"key", "", v_key},
					     {"signature", "", v_signature},
					     {0}};

HEX_OF(r_code_sha256, struct approval_request, code_sha256)
TEXT_OF(r_lang, struct approval_request, lang)
TEXT_OF(r_name, struct approval_request, name)
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
FIELD(r_caps, struct approval_request, gate_set_json((unsigned)v->caps, cap_name))
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
FIELD(r_single, struct approval_request, json_boolean(v->single_user))
NUMBER_OF(r_created, struct approval_request, created)
NUMBER_OF(r_expires, struct approval_request, expires)

static const struct cli_field request_rows[] = {
	{"reasons", "why, in words", r_reasons},
	{"evidence_more", "ties that are not listed", r_evidence_more},
	{"findings", "the grade of what the rules found", r_grade},
	{"rules_more", "findings that are not listed", r_rules_more},
	{"wants", "effects that it wants", r_caps},
	{"could", "what it could reach, in words", r_reach},
	{"effects", "what the code does, as far as it was read", r_effects},
	{"effects_more", "effects that are not listed", r_effects_more},
	{"lang", "the language", r_lang},
	{"name", "what the caller calls the file", r_name},
	{"suffix", "how the file's name ends in the box", r_suffix},
	{"code_sha256", "of the code", r_code_sha256},
	{"args", "the program's arguments", r_args},
	{"env", "its environment", r_env},
	{"stdin_sha256", "of its standard input", r_stdin},
	{"inputs", "what the host gives it, by content", r_inputs},
	{"workspace", "a directory of the host, or empty", r_workspace},
	{"workspace_mode", "none, ro, overlay or rw", r_mode},
	{"venv", "a virtual environment of the host, or empty", r_venv},
	{"exec", "programs of the host that it may start", r_exec},
	{"net", "hosts that it may connect to, beside those of the policy", r_net},
	{"secrets", "secrets that it wants to use", r_secret},
	{"limits", "name and value of each", r_limits},
	{"tier", "how strong the box is", r_tier},
	{"policy_sha256", "of the policy", r_policy},
	{"box_sha256", "of the box it would get", r_box},
	{"uid", "who asks, or null in a user namespace", r_uid},
	{"conversation", "that it comes out of", r_conversation},
	{"scope", "the widest that may be given", r_scope},
	{"approvers", "how many people must agree", r_approvers},
	{"ttl_ms", "how long their word is good for", r_ttl},
	{"single_user", "whether the requester's own account may approve", r_single},
	{"created", "ms since 1970", r_created},
	{"expires", "when the question ends", r_expires},
	{0}};

/* People are told one of both: the form of the code, or how it ties as it is. */
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
	verdict_add(all, &(struct verdict_said){.verdict = verdict_name(VERDICT_ASK),
						.origin = origin_name((unsigned)r->origin),
						.tie = ties,
						.tiec = r->evidence.count,
						.finding = found,
						.findingc = r->findings.count,
						.ref = "apr",
						.id = a->id});
}

json_t *approvals_json(const struct approval *a, uint64_t now)
{
	json_t *all = jsonval_object(request_rows, &a->request);

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

void approvals_add_code_json(json_t *all, const struct approval_code *code)
{
	json_t *encoding = jsonval_encoding(code->data, code->len);

	json_object_set_new(all, "code", jsonval_text(code->data, code->len));
	if (encoding)
		json_object_set_new(all, "code_encoding", encoding);
}
