/* SPDX-License-Identifier: MIT
 *
 * Shows a result to a person, in a few lines. Strings from the box are data here: what is seen of
 * them has no control characters.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/scope.h"
#include "cli/cli.h"
#include "cli/events.h"
#include "cli/glyph.h"
#include "cli/ties.h"
#include "conf/units.h"
#include "detect/undecided.h"
#include "trust/directory.h"

#define COLOUR_RED "\033[31m"
#define COLOUR_OFF "\033[0m"

bool cli_has_colour(FILE *to)
{
	const char *no = getenv("NO_COLOR");

	return isatty(fileno(to)) && !(no && *no);
}

/* Returns how many bytes it took. */
static unsigned say_char(FILE *to, const unsigned char *p)
{
	char shown[GLYPH_SHOWN_MAX];
	unsigned len = glyph_length(*p), have = 1;

	while (have < len && (p[have] & 0xc0) == 0x80)
		have++;
	uint32_t c = glyph_decode(p, have == len ? len : 1);
	if (c >= GLYPH_BROKEN || glyph_is_obeyed(c) || glyph_is_unseen(c) || glyph_is_format(c)) {
		fwrite(shown, 1, glyph_show(c, shown), to);
		return c >= GLYPH_BROKEN ? 1 : len;
	}
	fwrite(p, 1, len, to);
	return len;
}

void cli_print_text(FILE *to, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	for (unsigned len; *p; p += len)
		len = say_char(to, p);
}

/* Every line of ours begins the same way; a value from outside never starts a line. */
static void say(const char *label, const char *text)
{
	bool colour = cli_has_colour(stderr);

	fprintf(stderr, "%scordon: %s%s", colour ? COLOUR_RED : "", label,
		colour ? COLOUR_OFF : "");
	cli_print_text(stderr, text);
	fputc('\n', stderr);
}

void cli_print_error(const struct err *err)
{
	if (err->layer[0]) {
		char label[64];
		snprintf(label, sizeof(label), "layer %s: ", err->layer);
		say(label, err->message);
	} else {
		say("", err->message);
	}
	if (err->cause[0])
		say("  because: ", err->cause);
	if (err->cure[0])
		say("  try: ", err->cure);
}

int cli_fail(const struct cli_call *call, const struct err *err)
{
	bool told = call->json || call->events;
	struct err why = *err;

	memory_check(&why);
	AUTO_FREE struct result *r = told ? calloc(1, sizeof(*r)) : NULL;
	if (r) {
		result_init(r);
		r->err = why;
		if (call->events)
			events_print_result(r, call->request.tier, 0);
		else
			cli_print_json(r, call->request.tier);
	} else {
		cli_print_error(&why);
	}
	return err_row(&why)->exit_status;
}

void cli_print_lost(void)
{
	struct err err;

	err_set(&err, ERR_SYSTEM, "the output could not be written: some of it is lost");
	err_cure(&err, "look for a full disk or a closed pipe behind standard output");
	cli_print_error(&err);
}

static void say_denials(const struct result *r)
{
	char line[512];

	for (size_t i = 0; i < r->telemetry.explainedc && i < 8; i++)
		say("it says: ", r->telemetry.explained[i]);
	for (size_t i = 0; i < r->denialc && i < 8; i++) {
		const struct wire_denial *d = &r->denials[i];
		snprintf(line, sizeof(line), "%.31s%s%.200s (%.95s)%s", d->call,
			 d->target[0] ? " " : "", d->target, d->rule,
			 d->count > 1 ? ", repeatedly" : "");
		say("refused: ", line);
	}
	if (r->denialc > 8) {
		snprintf(line, sizeof(line), "%zu more; --json lists %s", r->denialc - 8,
			 r->wire.denials_cut ? "them, and there were others" : "all");
		say("refused: ", line);
	}
}

/* Hosts that were not reached, and why. */
static void say_egress(const struct result *r)
{
	char line[EGRESS_RULE_MAX + EGRESS_NAME_MAX + 64];
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
		say("refused: ", line);
	}
	if (refused > said) {
		snprintf(line, sizeof(line), "%zu more hosts; --json lists them", refused - said);
		say("refused: ", line);
	}
}

static void say_changes(const struct result *r)
{
	static const char *const marks[] = {"+ ", "~ ", "- "};
	char line[600];

	for (size_t i = 0; i < r->changec; i++) {
		const struct change *c = &r->changes[i];
		snprintf(line, sizeof(line), "%s%.512s", marks[c->change], c->path);
		say("", line);
	}
	if (r->changes_cut)
		say("", "more changes than can be listed");
	if (r->report && r->report->pending)
		say("  try: ", r->report->pending);
}

/* People are asked: whom to call, and what about. */
static void say_pending(const struct report *r)
{
	struct report_tie ties[REPORT_TIES_MAX];
	char line[256];

	memcpy(ties, r->tie, r->tiec * sizeof(*ties));
	size_t count = ties_merge(ties, r->tiec);
	say("", "not run yet: a person is asked");
	for (size_t i = 0; i < r->reasonc; i++)
		say("  because: ", r->reason[i]);
	for (size_t i = 0; i < count && i < 4; i++) {
		const struct report_tie *t = &ties[i];
		if (t->code_to > t->code_from)
			snprintf(line, sizeof(line), "bytes %llu to %llu stand in %.100s",
				 (unsigned long long)t->code_from, (unsigned long long)t->code_to,
				 t->name);
		else
			snprintf(line, sizeof(line), "parts of its %.30s stand in %.100s",
				 t->how[0] ? t->how : t->tie, t->name);
		say("  because: ", line);
	}
	snprintf(line, sizeof(line), "cordon approvals show %s", r->approval);
	say("  try: ", line);
}

static void say_end(const struct result *r)
{
	char line[160], value[32];

	if (r->status == STATUS_TIMED_OUT) {
		say("", "stopped: the time limit (--time) was reached");
	} else if (r->wire.limit < LIMIT_COUNT) {
		const struct limit_row *row = limit_row((enum limit_id)r->wire.limit);
		snprintf(line, sizeof(line), "%s the %s limit (--%s%s%s)",
			 r->status == STATUS_LIMIT ? "stopped:" : "it ran into", row->name,
			 row->name, r->wire.limit_value ? " " : "",
			 r->wire.limit_value ? units_format(row->unit, r->wire.limit_value, value,
							    sizeof(value))
					     : "");
		say("", line);
	} else if (r->status == STATUS_SIGNALED) {
		snprintf(line, sizeof(line), "killed by signal %d (%s)", r->signal,
			 r->wire.killed_by_rule ? "for a call on the kill list"
						: strsignal(r->signal));
		say("", line);
	}
}

static bool is_unread(const struct report *r)
{
	for (size_t i = 0; r && i < r->findingc; i++)
		if (strcmp(r->finding[i].rule, UNDECIDED_CODE_ID) == 0)
			return true;
	return false;
}

/* What exposed a run matters where a command would change it, or where the run wants an effect. Else the
 * line would only stand in the program's output. */
static bool tells_exposure(const struct report *r)
{
	return r && r->cause && (r->effectc || strncmp(r->cause, "directory ", 10) == 0);
}

/* "directory /a b is untrusted": the path ends where the words begin. */
static void say_trust(const char *cause)
{
	struct arena a = {0};

	for (int why = 0; why < DIRECTORY_GOOD; why++) {
		const char *words = directory_why_words((enum directory_why)why);
		size_t len = strlen(cause), tail = strlen(words);
		if (len <= tail || strcmp(cause + len - tail, words) != 0)
			continue;
		char *path = arena_printf(&a, "%.*s", (int)(len - tail - 1), cause);
		/* A path that is cut would name another file. */
		if (strlen(path) < DIRECTORY_CAUSE_MAX)
			say("  try: ", arena_printf(&a, "cordon trust %s", arena_quote(&a, path)));
		break;
	}
	arena_done(&a);
}

/* One line says what exposed the run, and which command would change that. */
static void say_exposure(const struct report *r)
{
	if (!tells_exposure(r))
		return;
	say("exposed: ", r->cause);
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
		say("", line);
		snprintf(line, sizeof(line), "cordon approvals show %s", e->waits ? e->waits : "");
		if (e->reason)
			say("  because: ", e->reason);
		if (e->waits || e->command)
			say("  try: ", e->waits ? line : e->command);
	}
}

void cli_print_summary(const struct result *r, bool mid_line)
{
	bool unread = is_unread(r->report);
	bool plain = !unread && r->status == STATUS_EXITED && r->exit_code == 0 && !r->changec &&
		     r->wire.limit >= LIMIT_COUNT && !(r->report && r->report->effectc) &&
		     !tells_exposure(r->report);

	fflush(stdout);
	if (mid_line && !plain)
		fputc('\n', stderr);
	if (unread)
		say("", "its code could not be read, or not all: the rules looked at its text");
	if (r->status == STATUS_PENDING) {
		say_pending(r->report);
		return;
	}
	if (r->status == STATUS_ERROR || r->status == STATUS_REFUSED) {
		cli_print_error(&r->err);
		return;
	}
	say_exposure(r->report);
	say_effects(r->report);
	say_end(r);
	/* A refusal that the program shrugged off needs no words. */
	if (r->status != STATUS_EXITED || r->exit_code != 0)
		say_denials(r);
	if (r->status != STATUS_EXITED || r->exit_code != 0)
		say_egress(r);
	say_changes(r);
}
