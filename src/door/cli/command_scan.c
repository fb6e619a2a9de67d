/* SPDX-License-Identifier: MIT
 *
 * cordon scan: loads the rules, scans files and directories, and prints the findings. Nothing is
 * reported elsewhere.
 */
#include "door/cli/scan_files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/scope.h"
#include "read/view.h"
#include "show/terminal.h"

struct options {
	unsigned mode, lane, type, kind; /* rows of their tables */
	bool has_type, has_kind, has_fail_on;
	unsigned fail_on; /* a severity */
	unsigned format;
	bool effects, no_code_view, inactive;
};

CLI_OWN(struct options)

static void on_finding(void *context, const struct scan_finding *f)
{
	struct scan *s = context;
	enum severity severity = f->finding->rule->severity;
	unsigned fail_on = s->fail_on;

	s->failing +=
		f->finding->undecided || severity <= fail_on || fail_on >= SEVERITY_INFORMATIONAL;
	if (s->format->finding)
		s->format->finding(s, f);
}

static void on_error(void *context, const char *name, const struct err *err)
{
	struct scan *s = context;
	struct err named = *err;

	scan_progress(s, NULL);
	if (s->format->error) {
		s->format->error(s, name, err);
		return;
	}
	fflush(stdout);
	if (*name)
		err_context(&named, "%.256s", name);
	terminal_print_error(&named);
}

static void on_note(void *context, const char *name, size_t line, const char *words)
{
	struct scan *s = context;

	scan_progress(s, NULL);
	if (s->format->note)
		s->format->note(s, name, line, words);
}

static void on_effects(void *context, const struct scan_file *file, const struct code_view *view)
{
	struct scan *s = context;

	if (s->format->effects)
		s->format->effects(s, file, view);
}

/* A bad rule is reported and skipped. */
static void on_report(void *context, const struct rule_report *r)
{
	char words[640];

	snprintf(words, sizeof(words), "rule left out or broken: %s%s%s", r->id, *r->id ? ": " : "",
		 r->words);
	on_note(context, r->file, r->line, words);
}

static int start(struct scan *s, const struct cli_call *call, struct err *err)
{
	const struct options *o = options_of(call);
	struct packs_options packs = {.directory = call->rules,
				      .directories = call->rulesc,
				      .places = places_of_user(&s->rules->arena, call->state),
				      .pack = {call->strict, false, on_report, s}};
	struct engine_options options = {.mode = (enum detect_mode)o->mode,
					 .lane = (enum lane)o->lane,
					 .inactive = o->inactive};
	char words[2 * sizeof(struct err)];

	if (places_note(&packs.places, words, sizeof(words)))
		on_note(s, "", 0, words);
	if (packs_open(s->rules, &packs, &options, err) < 0)
		return -1;
	s->scanner.engine = s->rules->engine;
	s->scanner.thread = s->rules->thread;
	if (s->rules->refused) {
		snprintf(words, sizeof(words),
			 "%zu patterns of the rules are not valid regular expressions and match "
			 "nothing; "
			 "the first: %s (cordon rules check DIR names them)",
			 s->rules->refused, s->rules->first_refused.message);
		on_note(s, "", 0, words);
	}
	return 0;
}

static void scan_operands(struct scan *s, const struct cli_call *call)
{
	for (int i = 0; i < call->argc; i++)
		if (strcmp(call->argv[i], "-") == 0)
			scan_stdin(s);
		else
			scan_path(s, AT_FDCWD, call->argv[i], call->argv[i], true);
	scan_progress(s, NULL);
}

static int status(const struct scan *s)
{
	if (s->scanner.totals.errors)
		return CLI_STATUS_FAILED;
	return s->failing || s->scanner.totals.findings > SCAN_FINDINGS_MAX ? CLI_STATUS_BAD : 0;
}

static int fail(struct scan *s, const struct err *err)
{
	if (s->out)
		scan_error(&s->scanner, "", err);
	else
		terminal_print_error(err);
	return err->code == ERR_USAGE ? CLI_STATUS_USAGE : CLI_STATUS_FAILED;
}

static int scan(struct scan *s, const struct cli_call *call)
{
	struct err err;
	int result = 0;

	if (!call->argc) {
		err_set(&err, ERR_USAGE, "no file to scan is given");
		err_cure(&err, "cordon scan FILE, DIR or - for standard input");
		result = fail(s, &err);
	} else if (start(s, call, &err) < 0) {
		result = fail(s, &err);
	} else {
		s->begun = true;
		scan_operands(s, call);
	}
	scan_end(&s->scanner);
	s->format->end(s);
	return result ? result : status(s);
}

static int run_scan(struct cli_call *call)
{
	AUTO_FREE struct packs *rules = calloc(1, sizeof(*rules));
	const struct scan_format *format =
		scan_format_at(call->json ? scan_format_find("json") : options_of(call)->format);
	const struct options *o = options_of(call);
	struct scan s = {.rules = rules,
			 .format = format,
			 .mode = o->mode,
			 .lane = o->lane,
			 .fail_on = o->has_fail_on ? o->fail_on : SEVERITY_INFORMATIONAL,
			 .shows_effects = o->effects};
	struct scan_options options = {.mode = (enum detect_mode)o->mode,
				       .has_type = o->has_type,
				       .has_kind = o->has_kind,
				       .type = (enum event_type)o->type,
				       .kind = (enum scan_kind)o->kind,
				       .reader = o->no_code_view ? NULL : &view_reader};
	struct scan_sink sink = {&s, on_finding, on_error, on_note, on_effects};
	struct err err;
	int ready = !rules ? err_memory(&err) : format->begin ? format->begin(&s, &err) : 0;

	if (ready < 0) {
		terminal_print_error(&err);
		return CLI_STATUS_FAILED;
	}
	scan_begin(&s.scanner, NULL, NULL, &options, &sink); /* the engine is not loaded yet */
	s.progress = terminal_has_colour(stderr);
	s.start_ns = s.progress_ns = io_now_ns();
	int result = scan(&s, call);
	packs_done(rules);
	return result;
}

static const char *lane_at(unsigned i)
{
	const struct word *w = vocab_at(VOCAB_LANE, i);

	return w ? w->name : NULL;
}

static const char *severity_at(unsigned i)
{
	const struct word *w = vocab_at(VOCAB_SEVERITY, i);

	return w ? w->name : NULL;
}

static const char *event_at(unsigned i)
{
	const struct word *w = vocab_at(VOCAB_EVENT, i);

	return w ? w->name : NULL;
}

static int set_type(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	options_of(c)->has_type = true;
	return cli_choose(event_at, o, v, &options_of(c)->type, err);
}

static int set_kind(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	options_of(c)->has_kind = true;
	return cli_choose(scan_kind_name, o, v, &options_of(c)->kind, err);
}

static int set_fail_on(struct cli_call *c, const struct cli_option *o, const char *v,
		       struct err *err)
{
	options_of(c)->has_fail_on = true;
	return cli_choose(severity_at, o, v, &options_of(c)->fail_on, err);
}

static const struct cli_option scan_options[] = {
	CLI_RULES_ROW,
	CLI_CHOICE(struct options, lane, "lane", "L", lane_at,
		   "the first, with all rules, is the default"),
	CLI_CHOICE(struct options, mode, "mode", "M", detect_mode_name, CLI_MODE_HELP),
	{"type", "EVENT", "llm_input, tool_call ...; else rules for every event are asked",
	 .set = set_type},
	{"kind", "K", "else by name", .set = set_kind, .choice = scan_kind_name},
	CLI_CHOICE(struct options, format, "format", "F", scan_format_name,
		   "the first is the default"),
	{"json", NULL, "the same as --format json", .set = cli_set_json},
	{"fail-on", "SEV", "exit with 1 from there up; else any", .set = set_fail_on,
	 .choice = severity_at},
	CLI_FLAG(struct options, effects, "effects", "list what the scanned programs would do"),
	CLI_FLAG(struct options, no_code_view, "no-code-view", "scan programs as text only"),
	CLI_FLAG(struct options, inactive, "inactive", "use drafts and deprecated rules too"),
	CLI_STRICT_ROW,
	{0}};

static const struct cli_exit scan_exits[] = {
	{"0", "clean, or nothing at or above --fail-on"},
	{"1", "findings at or above --fail-on"},
	{"2", "wrong usage, or no rules are installed"},
	{"125", "some files could not be scanned; all others were"},
	{"", ""}};

static const struct cli_combination scan_combinations[] = {
	{"effects", NOT_WITH, "no-code-view"}, {"json", NOT_WITH, "format"}, {0}};

COMMAND(scan) = {
	.name = "scan",
	.order = 30,
	.synopsis = "[options] FILE|DIR|-...",
	.help = "look for attacks on agents in texts, code and events",
	.example = "cordon scan --lane alert --fail-on high skills/",
	.options = scan_options,
	.combinations = scan_combinations,
	.exits = scan_exits,
	.docs = {scan_docs},
	.usage_status = 2,
	.takes_operands = true,
	.run = run_scan,
};
