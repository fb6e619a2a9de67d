/* SPDX-License-Identifier: MIT
 *
 * Shows a result to a person in a few lines. Strings from the box are escaped.
 */
#include "show/run_summary.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/scope.h"
#include "conf/units.h"
#include "detect/findings.h"
#include "show/hint.h"
#include "show/terminal.h"
#include "show/ties.h"
#include "trust/directory.h"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* A shell tries one name in several directories: one hint is enough. */
static bool is_hinted(const struct result *r, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (strcmp(r->denials[i].call, r->denials[at].call) == 0 &&
		    strcmp(base_name(r->denials[i].target), base_name(r->denials[at].target)) == 0)
			return true;
	return false;
}

/* What was asked for and not given is among the effects. */
static bool is_asked(const struct wire_denial *d, const struct request *req)
{
	return req->netc && strcmp(d->call, "socket") == 0;
}

static void say_denials(const struct result *r, const struct request *req)
{
	char line[512], hint[HINT_MAX];

	for (size_t i = 0; i < r->telemetry.explainedc && i < 8; i++)
		terminal_say("it says: ", r->telemetry.explained[i]);
	for (size_t i = 0; i < r->denialc && i < 8; i++) {
		const struct wire_denial *d = &r->denials[i];
		snprintf(line, sizeof(line), "%.31s%s%.200s (%.95s)%s", d->call,
			 d->target[0] ? " " : "", d->target, d->rule,
			 d->count > 1 ? ", repeatedly" : "");
		terminal_say("refused: ", line);
		if (!is_hinted(r, i) && !is_asked(d, req) && hint_of_denial(d, hint))
			terminal_say("  try: ", hint);
	}
	if (r->denialc > 8) {
		snprintf(line, sizeof(line), "%zu more; --json lists %s", r->denialc - 8,
			 r->wire.denials_cut ? "them, and there were others" : "all");
		terminal_say("refused: ", line);
	}
}

/* Prints refused hosts and the reasons. */
static void say_egress(const struct result *r)
{
	char line[EGRESS_RULE_MAX + EGRESS_NAME_MAX + 64], hint[HINT_MAX];
	size_t said = 0, refused = 0;

	for (size_t i = 0; i < r->egressc; i++) {
		const struct egress_row *e = &r->egress[i];
		if (e->verdict != EGRESS_REFUSED || ++refused > 8)
			continue;
		snprintf(line, sizeof(line), "%s:%u (%s)", e->name[0] ? e->name : e->address,
			 e->port, e->rule);
		if (!e->port)
			snprintf(line, sizeof(line), "%s (%s)", e->name, e->rule);
		said++;
		terminal_say("refused: ", line);
		if (hint_of_egress(e, hint))
			terminal_say("  try: ", hint);
	}
	if (refused > said) {
		snprintf(line, sizeof(line), "%zu more hosts; --json lists them", refused - said);
		terminal_say("refused: ", line);
	}
}

static void say_changes(const struct result *r)
{
	static const char *const marks[] = {"+ ", "~ ", "- "};
	char line[600];

	for (size_t i = 0; i < r->changec; i++) {
		const struct change *c = &r->changes[i];
		snprintf(line, sizeof(line), "%s%.512s", marks[c->change], c->path);
		terminal_say("", line);
	}
	if (r->changes_cut)
		terminal_say("", "more changes than can be listed");
	if (r->report && r->report->pending)
		terminal_say("  try: ", r->report->pending);
}

/* The run waits for an approval: prints the reasons and the command that shows the request. */
static void say_pending(const struct report *r)
{
	struct report_tie ties[REPORT_TIES_MAX];
	char line[256];

	memcpy(ties, r->tie, r->tiec * sizeof(*ties));
	size_t count = ties_merge(ties, r->tiec);
	terminal_say("", "not run yet: a person is asked");
	for (size_t i = 0; i < r->reasonc; i++)
		terminal_say("  because: ", r->reason[i]);
	for (size_t i = 0; i < count && i < 4; i++) {
		const struct report_tie *t = &ties[i];
		if (t->code_to > t->code_from)
			snprintf(line, sizeof(line), "bytes %llu to %llu stand in %.100s",
				 (unsigned long long)t->code_from, (unsigned long long)t->code_to,
				 t->name);
		else
			snprintf(line, sizeof(line), "parts of its %.30s stand in %.100s",
				 t->how[0] ? t->how : t->tie, t->name);
		terminal_say("  because: ", line);
	}
	snprintf(line, sizeof(line), "cordon approvals show %s", r->approval);
	terminal_say("  try: ", line);
}

static void say_end(const struct result *r)
{
	char line[160], value[32];

	if (r->status == STATUS_TIMED_OUT) {
		terminal_say("", "stopped: the time limit (--time) was reached");
	} else if (r->wire.limit < LIMIT_COUNT) {
		const struct limit_row *row = limit_row((enum limit_id)r->wire.limit);
		snprintf(line, sizeof(line), "%s the %s limit (--%s%s%s)",
			 r->status == STATUS_LIMIT ? "stopped:" : "it ran into", row->name,
			 row->name, r->wire.limit_value ? " " : "",
			 r->wire.limit_value ? units_format(row->unit, r->wire.limit_value, value,
							    sizeof(value))
					     : "");
		terminal_say("", line);
	} else if (r->status == STATUS_SIGNALED) {
		snprintf(line, sizeof(line), "killed by signal %d (%s)", r->signal,
			 r->wire.killed_by_rule ? "for a call on the kill list"
						: strsignal(r->signal));
		terminal_say("", line);
	}
}

static bool is_unread(const struct report *r)
{
	for (size_t i = 0; r && i < r->findingc; i++)
		if (strcmp(r->finding[i].rule, UNDECIDED_CODE_ID) == 0)
			return true;
	return false;
}

/* The cause of exposure matters only if a command can change it, or if the run wants an effect.
 * Otherwise the line would only disturb the program's output. */
static bool tells_exposure(const struct report *r)
{
	return r && r->cause && (r->effectc || strncmp(r->cause, "directory ", 10) == 0);
}

/* CAUSE is like "/a b is untrusted": the path ends before the words. */
static void say_trust(const char *cause)
{
	struct arena a = {0};

	for (int why = 0; why < DIRECTORY_GOOD; why++) {
		const char *words = directory_why_words((enum directory_why)why);
		size_t len = strlen(cause), tail = strlen(words);
		if (len <= tail || strcmp(cause + len - tail, words) != 0)
			continue;
		char *path = arena_printf(&a, "%.*s", (int)(len - tail - 1), cause);
		/* A truncated path would name another file. */
		if (strlen(path) < DIRECTORY_CAUSE_MAX)
			terminal_say("  try: ",
				     arena_printf(&a, "cordon trust %s", arena_quote(&a, path)));
		break;
	}
	arena_done(&a);
}

/* Prints what exposed the run, and the command that would change that. */
static void say_exposure(const struct report *r)
{
	if (!tells_exposure(r))
		return;
	terminal_say("exposed: ", r->cause);
	if (strncmp(r->cause, "directory ", 10) == 0)
		say_trust(r->cause + 10);
}

static void say_effects(const struct report *r)
{
	char line[LINE_MAX];

	for (size_t i = 0; r && i < r->effectc; i++) {
		const struct report_effect *e = &r->effect[i];
		if (e->outcome >= OUTCOME_POLICY)
			continue;
		snprintf(line, sizeof(line), "%s: %s %s", outcome_name(e->outcome),
			 cap_name(e->cap), e->object);
		terminal_say("", line);
		snprintf(line, sizeof(line), "cordon approvals show %s", e->waits ? e->waits : "");
		if (e->reason)
			terminal_say("  because: ", e->reason);
		if (e->waits || e->command)
			terminal_say("  try: ", e->waits ? line : e->command);
	}
}

/* Prints hints about refusals that the box did not observe. */
static void say_unseen(const struct result *r, const struct request *req)
{
	const char *unseen = hint_unseen_argument(req);
	char line[512];

	const char *hints[HINTS_MAX];

	for (size_t i = 0, count = hints_of_output(r, hints); i < count; i++)
		terminal_say("  try: ", hints[i]);
	if (!unseen)
		return;
	snprintf(line, sizeof(line), "the argument %.200s is a file that the box does not show",
		 unseen);
	terminal_say("", line);
	terminal_say("  try: ", "--ro PATH shows it, --workspace DIR its directory; --stdin FILE "
				"gives it as input");
}

void run_summary_print(const struct result *r, const struct request *req, bool mid_line)
{
	bool unread = is_unread(r->report);
	bool plain = !unread && r->status == STATUS_EXITED && r->exit_code == 0 && !r->changec &&
		     r->wire.limit >= LIMIT_COUNT && !(r->report && r->report->effectc) &&
		     !tells_exposure(r->report);

	fflush(stdout);
	if (mid_line && !plain)
		fputc('\n', stderr);
	if (unread)
		terminal_say("",
			     "its code could not be parsed completely: the rules scanned its text");
	if (r->status == STATUS_PENDING) {
		say_pending(r->report);
		return;
	}
	if (r->status == STATUS_ERROR || r->status == STATUS_REFUSED) {
		terminal_print_error(&r->err);
		return;
	}
	say_exposure(r->report);
	say_effects(r->report);
	say_end(r);
	/* If the program succeeded, its refusals are not reported. */
	if (r->status != STATUS_EXITED || r->exit_code != 0) {
		say_denials(r, req);
		say_egress(r);
		say_unseen(r, req);
	}
	say_changes(r);
}
