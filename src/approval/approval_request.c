/* SPDX-License-Identifier: MIT
 *
 * The table of what an approval binds, and the digests. Each row is part of the binding that people
 * sign. Rows of the subject must be equal when a later run asks whether it is covered. Rows that
 * describe one request (time, nonce, file name) are not part of the subject. Evidence is not either:
 * the program runs without the withheld effect, and its output may become a source that its code ties
 * to.
 */
#include <sodium.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "approval/approval_private.h"
#include "base/account.h"
#include "base/digest.h"
#include "model/spec.h"

#define MAGIC "cordon approval request 5\n"

enum {
	B = 1 << APPROVAL_BINDING,
	S = B | 1 << APPROVAL_SUBJECT,		/* within the conversation */
	A = S | 1 << APPROVAL_SUBJECT_ANYWHERE, /* in any conversation */
};

#define MS_LATEST ((uint64_t)1 << 50)
#define ID_MOST UINT32_MAX
#define COUNT_MOST ((uint64_t)1 << 32)

#define NUMBER(s, m, most, in)                                                                     \
	{                                                                                          \
#m, FIELD_NUMBER, offsetof(s, m), most, in, NULL, 0                                \
	}
#define BYTES(s, m, in)                                                                            \
	{                                                                                          \
#m, FIELD_BYTES, offsetof(s, m), sizeof(((s *)0)->m), in, NULL, 0                  \
	}
#define TEXT(s, m, in)                                                                             \
	{                                                                                          \
#m, FIELD_TEXT, offsetof(s, m), APPROVAL_TEXT_MAX, in, NULL, 0                     \
	}
#define SHORT_TEXT(m, most, in)                                                                    \
	{                                                                                          \
#m, FIELD_TEXT, offsetof(struct approval_request, m), most, in, NULL, 0            \
	}
#define LIST(m, rows, type, most, in)                                                              \
	{                                                                                          \
#m, FIELD_LIST, offsetof(struct approval_request, m), most, in, rows, sizeof(type) \
	}
#define R struct approval_request

static const struct field text_row[] = {TEXT(struct approval_text, text, FIELD_ALWAYS), {0}};

static const struct field input_row[] = {
	TEXT(struct approval_input, name, FIELD_ALWAYS),
	BYTES(struct approval_input, sha256, FIELD_ALWAYS),
	NUMBER(struct approval_input, entries, COUNT_MOST, FIELD_ALWAYS),
	NUMBER(struct approval_input, bytes, COUNT_MOST, FIELD_ALWAYS),
	{0}};

static const struct field evidence_row[] = {
	TEXT(struct approval_evidence, source, FIELD_ALWAYS),
	TEXT(struct approval_evidence, name, FIELD_ALWAYS),
	TEXT(struct approval_evidence, how, FIELD_ALWAYS),
	NUMBER(struct approval_evidence, kind, FROM_COUNT - 1, FIELD_ALWAYS),
	NUMBER(struct approval_evidence, code_from, COUNT_MOST, FIELD_ALWAYS),
	NUMBER(struct approval_evidence, code_to, COUNT_MOST, FIELD_ALWAYS),
	NUMBER(struct approval_evidence, source_from, COUNT_MOST, FIELD_ALWAYS),
	NUMBER(struct approval_evidence, source_to, COUNT_MOST, FIELD_ALWAYS),
	{0}};

static const struct field finding_row[] = {TEXT(struct approval_finding, rule, FIELD_ALWAYS),
					   TEXT(struct approval_finding, title, FIELD_ALWAYS),
					   TEXT(struct approval_finding, severity, FIELD_ALWAYS),
					   {0}};

static const struct field change_row[] = {
	TEXT(struct approval_change, path, FIELD_ALWAYS),
	NUMBER(struct approval_change, change, 3, FIELD_ALWAYS),
	NUMBER(struct approval_change, before_type, 4, FIELD_ALWAYS),
	NUMBER(struct approval_change, before_mode, 07777, FIELD_ALWAYS),
	NUMBER(struct approval_change, before_size, COUNT_MOST, FIELD_ALWAYS),
	NUMBER(struct approval_change, after_type, 4, FIELD_ALWAYS),
	NUMBER(struct approval_change, after_mode, 07777, FIELD_ALWAYS),
	NUMBER(struct approval_change, after_size, COUNT_MOST, FIELD_ALWAYS),
	BYTES(struct approval_change, before_sha256, FIELD_ALWAYS),
	BYTES(struct approval_change, after_sha256, FIELD_ALWAYS),
	TEXT(struct approval_change, note, FIELD_ALWAYS),
	NUMBER(struct approval_change, shown, APPROVAL_SHOWNS - 1, FIELD_ALWAYS),
	NUMBER(struct approval_change, added, COUNT_MOST, FIELD_ALWAYS),
	NUMBER(struct approval_change, removed, COUNT_MOST, FIELD_ALWAYS),
	{0}};

static const struct field attachment_row[] = {
	TEXT(struct approval_attachment, name, FIELD_ALWAYS),
	BYTES(struct approval_attachment, sha256, FIELD_ALWAYS),
	NUMBER(struct approval_attachment, len, APPROVAL_ATTACHED_MAX, FIELD_ALWAYS),
	{0}};

const struct field request_fields[] = {
	BYTES(R, code_sha256, A),
	NUMBER(R, code_len, APPROVAL_CODE_MAX, A),
	TEXT(R, lang, A),
	TEXT(R, name, B),
	SHORT_TEXT(title, APPROVAL_TITLE_MAX, B),
	SHORT_TEXT(purpose, APPROVAL_PURPOSE_MAX, B),
	TEXT(R, suffix, A),
	LIST(args, text_row, struct approval_text, APPROVAL_LIST_MAX, A),
	LIST(env, text_row, struct approval_text, APPROVAL_LIST_MAX, A),
	BYTES(R, stdin_sha256, A),
	LIST(inputs, input_row, struct approval_input, APPROVAL_LIST_MAX, A),
	LIST(changes, change_row, struct approval_change, APPROVAL_LIST_MAX, A),
	LIST(attachments, attachment_row, struct approval_attachment, APPROVAL_ATTACHMENTS_MAX, A),
	TEXT(R, workspace, A),
	NUMBER(R, workspace_mode, WORKSPACE_RW, A),
	TEXT(R, venv, A),
	LIST(exec, text_row, struct approval_text, APPROVAL_LIST_MAX, A),
	LIST(net, text_row, struct approval_text, APPROVAL_LIST_MAX, A),
	LIST(secret, text_row, struct approval_text, APPROVAL_LIST_MAX, A),
	LIST(limits, text_row, struct approval_text, LIMIT_COUNT, A),
	NUMBER(R, tier, TIER_COUNT - 1, A),
	NUMBER(R, caps, CAP_ALL, A),
	NUMBER(R, origin, ORIGIN_COUNT - 1, B),
	NUMBER(R, grade, GRADE_COUNT - 1, A),
	LIST(reasons, text_row, struct approval_text, APPROVAL_LIST_MAX, B),
	LIST(reach, text_row, struct approval_text, APPROVAL_LIST_MAX, B),
	LIST(effects, text_row, struct approval_text, APPROVAL_LIST_MAX, B),
	NUMBER(R, effects_more, COUNT_MOST, B),
	LIST(evidence, evidence_row, struct approval_evidence, APPROVAL_EVIDENCE_MAX, B),
	NUMBER(R, evidence_more, COUNT_MOST, B),
	LIST(findings, finding_row, struct approval_finding, APPROVAL_FINDINGS_MAX, A),
	NUMBER(R, findings_more, COUNT_MOST, A),
	BYTES(R, policy_sha256, A),
	BYTES(R, box_sha256, A),
	NUMBER(R, uid, ID_MOST, A),
	NUMBER(R, pgid, ID_MOST, B),
	TEXT(R, conversation, S),
	NUMBER(R, nameless, 1, B),
	NUMBER(R, scope, SCOPE_COUNT - 1, B),
	NUMBER(R, approvers, APPROVAL_APPROVERS_MAX, A),
	NUMBER(R, ttl_ms, APPROVAL_MS_MAX, B),
	NUMBER(R, confirmation, 1, A),
	NUMBER(R, created, MS_LATEST, B),
	NUMBER(R, expires, MS_LATEST, B),
	BYTES(R, nonce, B),
	{0}};

/* The encoded size of a row, even if it exceeds its maximum. */
static size_t bytes_of(const struct field *f, const struct approval_request *r)
{
	struct field one[] = {*f, {0}};
	AUTO_BUF struct buf out = {.most = SIZE_MAX / 4};

	if (f->type != FIELD_BYTES)
		one[0].most = UINT64_MAX;
	fields_encode(one, r, FIELD_ALWAYS, &out);
	return out.len;
}

/* A list with too many elements, or NULL. */
static const struct field *long_list(const struct approval_request *r, size_t *ret_count)
{
	for (const struct field *f = request_fields; f->name; f++) {
		const struct approval_list *l = (const void *)((const char *)r + f->offset);
		if (f->type != FIELD_LIST || l->count <= f->most)
			continue;
		*ret_count = l->count;
		return f;
	}
	return NULL;
}

/* Names the part that exceeds its maximum. */
static int too_large(const struct approval_request *r, struct err *err)
{
	size_t all = 0, most = 0, count = 0;
	const struct field *largest = request_fields, *list = long_list(r, &count);

	for (const struct field *f = request_fields; f->name; f++) {
		size_t bytes = bytes_of(f, r);
		all += bytes;
		if (bytes > most)
			largest = f, most = bytes;
	}
	if (list) {
		err_set(err, ERR_REFUSED, "approval request too large: %zu %s", count, list->name);
		err_cause(err, "the maximum is %llu", (unsigned long long)list->most);
	} else {
		err_set(err, ERR_REFUSED, "approval request too large: %zu bytes beside the code",
			all);
		err_cause(err, "the maximum is %d, and %d for one text; \"%s\" has %zu",
			  APPROVAL_BYTES_MAX, APPROVAL_TEXT_MAX, largest->name, most);
	}
	err_cure(err, "pass data as a file: --stdin FILE, or in --workspace DIR");
	return -1;
}

int request_encode(const struct approval_request *r, struct buf *out, struct err *err)
{
	*out = (struct buf){.most = APPROVAL_BYTES_MAX};
	buf_str(out, MAGIC);
	fields_encode(request_fields, r, FIELD_ALWAYS, out);
	return out->failed ? too_large(r, err) : 0;
}

/* Rejects values that the encoder never writes. */
static bool makes_sense(const struct approval_request *r)
{
	if (r->approvers < 1 || r->ttl_ms < 1 || r->expires <= r->created ||
	    r->expires - r->created > APPROVAL_MS_MAX)
		return false;
	const struct approval_evidence *e = r->evidence.list;
	for (size_t i = 0; i < r->evidence.count; i++)
		if (e[i].code_from > e[i].code_to || e[i].code_to > r->code_len ||
		    e[i].source_from > e[i].source_to)
			return false;
	return true;
}

int request_decode(const uint8_t *data, size_t len, struct arena *a, struct approval_request *ret,
		   struct err *err)
{
	size_t magic = sizeof(MAGIC) - 1;

	if (len < magic || len > APPROVAL_BYTES_MAX || memcmp(data, MAGIC, magic) != 0)
		return err_set(err, ERR_INPUT, "not a request of this version");
	if (fields_decode(request_fields, data + magic, len - magic, a, ret, err) < 0)
		return -1;
	return makes_sense(ret) ? 0 : err_set(err, ERR_INPUT, "the request has impossible values");
}

/* Each digest has a prefix of its own: none can be taken for another, or for the hash of a file. */
static const char *const prefixes[] = {
	[APPROVAL_BINDING] = "cordon approval binding 1\n",
	[APPROVAL_SUBJECT] = "cordon approval subject 1\n",
	[APPROVAL_SUBJECT_ANYWHERE] = "cordon approval subject anywhere 1\n",
};

int approval_digest(const struct approval_request *r, enum approval_digest which,
		    uint8_t ret[APPROVAL_SHA256], struct err *err)
{
	AUTO_BUF struct buf out = {.most = APPROVAL_BYTES_MAX};

	buf_str(&out, prefixes[which]);
	fields_encode(request_fields, r, 1U << which, &out);
	if (out.failed)
		return too_large(r, err);
	digest_of(ret, out.data, out.len);
	return 0;
}

void approval_init(struct approval_request *r)
{
	*r = (struct approval_request){.lang = "",
				       .name = "",
				       .title = "",
				       .purpose = "",
				       .suffix = "",
				       .workspace = "",
				       .venv = "",
				       .conversation = "",
				       .uid = account_here(),
				       .pgid = (uint64_t)getpgrp()};
	digest_of(r->stdin_sha256, "", 0);
	digest_of(r->code_sha256, "", 0);
}

bool approval_id_is_good(const char *id)
{
	return strlen(id) == APPROVAL_ID && strspn(id, "0123456789abcdef") == APPROVAL_ID;
}

void approval_done(struct approval *a)
{
	arena_done(&a->arena);
	*a = (struct approval){0};
}

int approval_set_binding(struct approval *a, struct err *err)
{
	if (approval_digest(&a->request, APPROVAL_BINDING, a->binding, err) < 0)
		return -1;
	sodium_bin2hex(a->id, sizeof(a->id), a->binding, APPROVAL_ID / 2);
	return 0;
}

enum { CHANGE_DIRECTORY = 2 }; /* as in overlay/overlay.h */

bool approval_is_changes(const struct approval_request *r)
{
	return strcmp(r->lang, "diff") == 0;
}

/* The scopes of each kind of request, and those that hold for more than one use. */
static const struct {
	const char *lang; /* NULL: a run */
	unsigned may, last;
} kinds[] = {
	{"act", 1U << SCOPE_ONCE, 0},
	{"diff", 1U << SCOPE_ONCE | 1U << SCOPE_DIFF | 1U << SCOPE_GRANT, 1U << SCOPE_DIFF},
	{NULL, 1U << SCOPE_ONCE | 1U << SCOPE_PROGRAM | 1U << SCOPE_GRANT, 1U << SCOPE_PROGRAM},
};

static size_t kind_of(const struct approval_request *r)
{
	size_t i = 0;

	while (kinds[i].lang && strcmp(kinds[i].lang, r->lang) != 0)
		i++;
	return i;
}

bool approval_scope_is_for(const struct approval_request *r, enum scope scope)
{
	return kinds[kind_of(r)].may >> scope & 1;
}

bool approval_scope_lasts(const struct approval_request *r, enum scope scope)
{
	return kinds[kind_of(r)].last >> scope & 1;
}

bool approval_change_gives(const struct approval_change *c)
{
	return c->before_type != CHANGE_DIRECTORY && c->after_type != CHANGE_DIRECTORY;
}
