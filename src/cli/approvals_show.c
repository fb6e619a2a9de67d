/* SPDX-License-Identifier: MIT
 *
 * cordon approvals show: everything a person needs to answer, in the order in which they ask: what
 * and why, where it came from, what it could do, the code itself, what is new, what a no means.
 * Nothing is cut. Words of ours are at the beginning of lines, words of others behind them.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/account.h"
#include "base/scope.h"
#include "cli/approvals.h"
#include "cli/jsonval.h"
#include "cli/shown.h"
#include "cli/ties.h"
#include "conf/profile.h"
#include "policy/policy.h"
#include "store/buf.h"

enum { LABEL_WIDTH = 12, LIMITS_MAX = LIMIT_COUNT * (APPROVAL_TEXT_MAX + 2) + 1 };
#define MORE "           .. " /* as wide as a label with what is before it */

/* What FMT makes may hold words of others: it is shown escaped. */
void approvals_line(const char *label, const char *fmt, ...)
{
	AUTO_FREE char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	int n = vasprintf(&text, fmt, ap);
	va_end(ap);
	struct shown how = {.to = stdout, .more = MORE, .width = shown_width(stdout)};
	int column = printf("  %-*s", LABEL_WIDTH, label);
	shown_text(&how, (size_t)column, n < 0 ? "(no memory to show it)" : text);
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
		approvals_line("signed by", "%s (uid %llu), for %s, good until %s", v[i].name,
			       (unsigned long long)v[i].uid, scope_name((unsigned)v[i].scope),
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

	printf("%s: %s\n", a->id, approval_state_name(state));
	if (state == APPROVAL_PENDING)
		approvals_line("wanted", "%llu %s must agree; the question ends %s",
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

/* What others call a thing comes last in its line: behind it they could go on in our words. */
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

bool approvals_is_changes(const struct approval_request *r)
{
	return strcmp(r->lang, "diff") == 0;
}

static void show_inputs(const struct approval_request *r)
{
	static const char *const modes[] = {"none", "read-only", "overlay", "read-write"};
	const struct approval_input *in = r->inputs.list;
	char sha256[2 * APPROVAL_SHA256 + 1];

	if (!approvals_is_changes(r))
		approvals_line("runs as", "main%s, in %s", r->suffix, r->lang);
	show_texts("arguments", &r->args);
	show_texts("environment", &r->env);
	hex(r->stdin_sha256, sha256);
	approvals_line("stdin", "%s", sha256);
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

static void show_answer(const struct approval *a, uint64_t now)
{
	if (approval_state_at(a, now) != APPROVAL_PENDING)
		return;
	approvals_line("to deny", "cordon approvals deny %s --reason \"...\"", a->id);
	approvals_line("", "%s; the requester is told, with your reason",
		       approvals_is_changes(&a->request) ? "nothing is written" : "it is not run");
	approvals_line("to approve", "cordon approvals approve %s --key FILE", a->id);
	approvals_line("", "the widest scope: %s, %s", scope_name((unsigned)a->request.scope),
		       scope_help((unsigned)a->request.scope));
	approvals_line("or nothing", "when the time is over it is denied");
}

void approvals_show_request(const struct approval *a, uint64_t now)
{
	show_question(a, now);
	show_origin(&a->request);
	show_findings(&a->request);
	show_reach(&a->request);
	show_inputs(&a->request);
}

static int show_text(struct approvals *v, const struct approval *a, struct err *err)
{
	struct approval_code code = {0};

	approvals_show_request(a, v->now);
	if (approval_load_code(v->store, a, &code, err) < 0)
		return -1;
	approvals_code(a, &code);
	int r = approvals_diff(v, a, &code, err);
	free((void *)code.data);
	if (r == 0)
		show_answer(a, v->now);
	return r;
}

static int show_json(struct approvals *v, const struct approval *a, struct err *err)
{
	struct approval_code code = {0};
	json_t *all = approvals_json(a, v->now);

	if (approval_load_code(v->store, a, &code, err) < 0) {
		json_decref(all);
		return -1;
	}
	approvals_add_code_json(all, &code);
	free((void *)code.data);
	jsonval_print(all);
	return 0;
}

int approvals_show(struct approvals *v)
{
	AUTO_APPROVAL struct approval a = {0};
	struct err err;

	if (approval_load(v->store, v->call->argv[1], &a, &err) < 0 ||
	    approval_settle(v->store, &a, v->now, &err) < 0 ||
	    (v->call->json ? show_json : show_text)(v, &a, &err) < 0)
		return approvals_fail(v->call, &err);
	return 0;
}
