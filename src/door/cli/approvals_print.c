/* SPDX-License-Identifier: MIT
 *
 * Prints a request with all that a person needs for an answer: what and why, its origin, its
 * effects, the code, what is new, and what a denial means. Nothing is truncated. Lines begin with
 * words of Cordon's; untrusted text follows them.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "approval/act.h"
#include "approval/summary.h"
#include "base/account.h"
#include "base/scope.h"
#include "conf/profile.h"
#include "door/cli/approvals.h"
#include "policy/policy.h"
#include "show/jsonval.h"
#include "show/terminal.h"
#include "show/ties.h"
#include "store/buf.h"

enum { LABEL_WIDTH = 12, LIMITS_MAX = LIMIT_COUNT * (APPROVAL_TEXT_MAX + 2) + 1 };
#define MORE "           .. " /* as wide as a label with what is before it */

/* The formatted text may be untrusted: it is escaped. */
void approvals_line(const char *label, const char *fmt, ...)
{
	AUTO_FREE char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	int n = vasprintf(&text, fmt, ap);
	va_end(ap);
	struct terminal_style how = {.to = stdout, .more = MORE, .width = terminal_width(stdout)};
	int column = printf("  %-*s", LABEL_WIDTH, label);
	terminal_text(&how, (size_t)column, n < 0 ? "(no memory to show it)" : text);
	putchar('\n');
	if (n < 0)
		text = NULL;
}

const char *approvals_when(uint64_t time, uint64_t now, char *buf, size_t size)
{
	static const struct {
		uint64_t ms;
		const char *name;
	} units[] = {{86400000, "d"}, {3600000, "h"}, {60000, "m"}, {1000, "s"}};
	uint64_t away = time > now ? time - now : now - time;
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(units) && away < units[i].ms)
		i++;
	snprintf(buf, size, "%s%llu%s%s", time > now ? "in " : "",
		 (unsigned long long)(away / units[i].ms), units[i].name, time > now ? "" : " ago");
	return buf;
}

static void show_texts(const char *label, const struct approval_list *l)
{
	const struct approval_text *t = l->list;

	for (size_t i = 0; i < l->count; i++)
		approvals_line(i ? "" : label, "%s", t[i].text);
}

static void show_votes(const struct approval *a, uint64_t now)
{
	const struct approval_vote *v = a->status.votes.list;
	char when[64];

	for (size_t i = 0; i < a->status.votes.count; i++)
		approvals_line(approval_is_confirmation(&v[i]) ? "confirmed" : "signed by",
			       "%s, for %s, valid until %s", v[i].name,
			       scope_name((unsigned)v[i].scope),
			       approvals_when(v[i].expires, now, when, sizeof(when)));
}

static const char *account_words(uint64_t uid, char *ret, size_t size)
{
	if (uid == ACCOUNT_UNKNOWN)
		return "an account in a user namespace";
	snprintf(ret, size, "uid %llu", (unsigned long long)uid);
	return ret;
}

static void show_question(const struct approval *a, uint64_t now)
{
	const struct approval_request *r = &a->request;
	enum approval_state state = approval_state_at(a, now);
	char when[64], who[64], caps[64];

	if (state == APPROVAL_PENDING)
		approvals_line("wanted", "%llu %s must agree; the request expires %s",
			       (unsigned long long)r->approvers,
			       r->approvers == 1 ? "person" : "people",
			       approvals_when(r->expires, now, when, sizeof(when)));
	show_votes(a, now);
	if (a->status.reason[0])
		approvals_line("because", "%s", a->status.reason);
	show_texts("why", &r->reasons);
	approvals_line("wants", "%s", caps_words((unsigned)r->caps, caps, sizeof(caps)));
	approvals_line("requester", "%s, %s, conversation %s",
		       account_words(r->uid, who, sizeof(who)),
		       approvals_when(r->created, now, when, sizeof(when)),
		       r->conversation[0] ? r->conversation : "(none)");
}

/* An untrusted name comes last in its line: otherwise it could imitate the words after it. */
static void show_tie(const struct report_tie *e, size_t number)
{
	const char *kind = source_kind_name(e->kind), *how = e->tie ? e->tie : e->how;
	char there[64] = "";

	if (e->source_to > e->source_from)
		snprintf(there, sizeof(there), "bytes %llu-%llu of ",
			 (unsigned long long)e->source_from, (unsigned long long)e->source_to);
	if (e->code_to > e->code_from)
		approvals_line("source",
			       "[%zu] bytes %llu-%llu of the code tie by %s to %s%s %s: %s", number,
			       (unsigned long long)e->code_from, (unsigned long long)e->code_to,
			       how, there, kind, e->source, e->name);
	else
		approvals_line("source",
			       "[%zu] not its own bytes, but found in its %s: %s%s %s: %s", number,
			       how, there, kind, e->source, e->name);
}

static void show_origin(const struct approval_request *r)
{
	const struct approval_evidence *e = r->evidence.list;
	struct report_tie ties[APPROVAL_EVIDENCE_MAX];

	for (size_t i = 0; i < r->evidence.count; i++)
		ties[i] = approvals_tie(&e[i]);
	size_t count = ties_merge(ties, r->evidence.count);
	approvals_line("origin", "%s: %s", origin_name((unsigned)r->origin),
		       origin_help((unsigned)r->origin));
	for (size_t i = 0; i < count; i++)
		show_tie(&ties[i], i + 1);
	if (r->evidence_more)
		approvals_line("source", "and %llu more ties that are not listed",
			       (unsigned long long)r->evidence_more);
}

static void show_findings(const struct approval_request *r)
{
	const struct approval_finding *f = r->findings.list;

	approvals_line("findings", "%s: %s", grade_name((unsigned)r->grade),
		       grade_help((unsigned)r->grade));
	for (size_t i = 0; i < r->findings.count; i++)
		approvals_line("", "%s (%s): %s", f[i].rule, f[i].severity, f[i].title);
	if (r->findings_more)
		approvals_line("", "and %llu more that are not listed",
			       (unsigned long long)r->findings_more);
}

static void show_limits(const struct approval_request *r)
{
	const struct tier_row *tier = tier_row((enum tier)r->tier);
	const struct approval_text *t = r->limits.list;
	AUTO_BUF struct buf all = {.most = LIMITS_MAX};

	for (size_t i = 0; i < r->limits.count; i++)
		buf_printf(&all, "%s%s", i ? ", " : "", t[i].text);
	buf_add(&all, "", 1);
	approvals_line("limits", "%s", all.failed ? "(no memory to show them)" : (char *)all.data);
	approvals_line("tier", "%s: %s", tier->name, tier->help);
}

static void show_reach(const struct approval_request *r)
{
	show_texts("it could", &r->reach);
	for (unsigned c = 0; c < CAP_COUNT; c++)
		if (!(r->caps & CAP_BIT(c)))
			approvals_line("it cannot", "%s", cap_reach((enum cap)c));
	const struct profile *p = profile_find(r->lang);
	if (!r->exec.count && p && !p->programs)
		approvals_line("it cannot", "start any program");
	show_limits(r);
	show_texts("effects", &r->effects);
	if (r->effects_more)
		approvals_line("", "and %llu more that are not listed",
			       (unsigned long long)r->effects_more);
}

static void hex(const uint8_t sha256[APPROVAL_SHA256], char ret[2 * APPROVAL_SHA256 + 1])
{
	for (size_t i = 0; i < APPROVAL_SHA256; i++)
		snprintf(ret + 2 * i, 3, "%02x", sha256[i]);
}

static void show_inputs(const struct approval_request *r)
{
	static const char *const modes[] = {"none", "read-only", "overlay", "read-write"};
	const struct approval_input *in = r->inputs.list;
	char sha256[2 * APPROVAL_SHA256 + 1];

	if (!approval_is_changes(r))
		approvals_line("runs as", "main%s, in %s", r->suffix, r->lang);
	show_texts("arguments", &r->args);
	show_texts("environment", &r->env);
	for (size_t i = 0; i < r->inputs.count; i++) {
		hex(in[i].sha256, sha256);
		approvals_line("input", "%s", sha256);
		approvals_line("", "%llu bytes, %llu entries: %s", (unsigned long long)in[i].bytes,
			       (unsigned long long)in[i].entries, in[i].name);
	}
	show_texts("programs", &r->exec);
	show_texts("hosts", &r->net);
	if (r->venv[0])
		approvals_line("virtualenv", "%s", r->venv);
	if (r->workspace[0])
		approvals_line("workspace", "%s, %s", modes[r->workspace_mode & 3], r->workspace);
	hex(r->policy_sha256, sha256);
	approvals_line("policy", "%s", sha256);
	hex(r->box_sha256, sha256);
	approvals_line("box", "%s", sha256);
}

/* An act runs no code: its words are shown as the code. */
static bool is_act(const struct approval_request *r)
{
	return strcmp(r->lang, APPROVAL_ACT) == 0;
}

void approvals_show_grant(const struct approval *a, uint64_t now)
{
	approvals_grant(a, &(struct approval_vote){.scope = a->request.scope,
						   .expires = now + a->request.ttl_ms});
}

void approvals_show_answer(const struct approval *a, uint64_t now)
{
	if (approval_state_at(a, now) != APPROVAL_PENDING)
		return;
	approvals_line("to deny", "cordon approvals deny %s --reason \"...\"", a->id);
	approvals_line("", "%s; the requester sees your reason",
		       approval_is_changes(&a->request) ? "nothing is written"
		       : is_act(&a->request)		? "nothing is changed"
							: "it is not run");
	approvals_line("to approve", "cordon approvals approve %s%s", a->id,
		       a->request.confirmation ? "" : " --key FILE --as NAME");
	for (unsigned i = 0; i <= a->request.scope; i++)
		if (approval_scope_is_for(&a->request, (enum scope)i))
			approvals_line("", "--scope %s: %s%s", scope_name(i), scope_help(i),
				       i ? "" : " (the default)");
	approvals_show_grant(a, now);
	approvals_line("no answer", "the request is denied when it expires");
}

void approvals_show_request(const struct approval *a, uint64_t now)
{
	struct summary_line line[SUMMARY_LINES];
	struct arena arena = {0};
	size_t count = approval_summary(a, now, &arena, line);

	printf("%s: %s\n", a->id, approval_state_name(approval_state_at(a, now)));
	for (size_t i = 0; i < count; i++)
		approvals_line(line[i].label, "%s", line[i].text);
	arena_done(&arena);
}

void approvals_grant(const struct approval *a, const struct approval_vote *vote)
{
	struct arena arena = {0};

	const char *words = vote->scope == SCOPE_GRANT
				    ? approval_grant_words(&a->request, vote->expires, &arena)
				    : NULL;

	if (words)
		approvals_line("grant", "%s", words);
	arena_done(&arena);
}

void approvals_headline(const struct approval_request *r)
{
	struct arena arena = {0};

	approvals_line("asks to", "%s", approval_headline(r, &arena));
	arena_done(&arena);
}

static void show_act(const struct approval_request *r)
{
	const struct approval_text *t = r->args.list;
	struct arena arena = {0};
	size_t count = 0;

	for (size_t i = 0; i < r->args.count; i++) {
		const char *words = approval_act_words(r, t[i].text, &arena);
		if (words)
			approvals_line(count++ ? "" : r->name, "%s", words);
	}
	arena_done(&arena);
}

void approvals_details(const struct approval *a, uint64_t now)
{
	puts("details");
	show_question(a, now);
	if (is_act(&a->request)) {
		show_act(&a->request);
		return;
	}
	show_origin(&a->request);
	if (!approval_is_changes(&a->request)) {
		show_findings(&a->request);
		show_reach(&a->request);
	}
	show_inputs(&a->request);
}
