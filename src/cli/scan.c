/* SPDX-License-Identifier: MIT
 *
 * cordon scan: loads the rules, makes the engine, scans what it was given, tells what it found.
 * Nothing is reported to anybody but the caller.
 */
#include "cli/scan.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/scope.h"

enum { STATUS_FOUND = 1, STATUS_USAGE = 2, STATUS_FAILED = 125 };
enum { PROGRESS_NS = 100000000, NAME_SHOWN = 40 };

static const struct scan_format *const formats[] = {&scan_text_format, &scan_json_format,
						    &scan_sarif_format};

const struct scan_format *scan_format_at(unsigned i)
{
	return i < ARRAY_SIZE(formats) ? formats[i] : NULL;
}

void scan_progress(struct scan *s, const char *name)
{
	uint64_t now = s->progress ? io_now_ns() : 0;

	if (!s->progress)
		return;
	if (!name) {
		if (s->mid_progress)
			fputs("\r\033[K", stderr);
		s->mid_progress = false;
		return;
	}
	if (now - s->progress_ns < PROGRESS_NS)
		return;
	s->progress_ns = now;
	fprintf(stderr, "\r\033[K%zu files, %zu findings  ", s->scanner.totals.files,
		s->scanner.totals.findings);
	cli_print_text(stderr, strlen(name) > NAME_SHOWN ? name + strlen(name) - NAME_SHOWN : name);
	fflush(stderr);
	s->mid_progress = true;
}

const char *scan_lane_name(const struct rule *rule)
{
	return vocab_at(VOCAB_LANE, scan_lane(rule))->name;
}

const char *scan_status(const struct scan *s)
{
	if (s->scanner.totals.errors)
		return "error";
	return s->scanner.totals.findings ? "findings" : "clean";
}

static void on_finding(void *context, const struct scan_finding *f)
{
	struct scan *s = context;
	enum severity severity = f->finding->rule->severity;
	unsigned fail_on = s->call->scan.fail_on;

	s->failing +=
		f->finding->undecided || severity <= fail_on || fail_on >= SEVERITY_INFORMATIONAL;
	s->format->finding(s, f);
}

static void on_error(void *context, const char *name, const struct err *err)
{
	struct scan *s = context;

	scan_progress(s, NULL);
	s->format->error(s, name, err);
}

static void on_note(void *context, const char *name, size_t line, const char *words)
{
	struct scan *s = context;

	scan_progress(s, NULL);
	s->format->note(s, name, line, words);
}

static void on_effects(void *context, const struct scan_file *file, const struct code_view *view)
{
	struct scan *s = context;

	s->format->effects(s, file, view);
}

/* A bad rule is told and left out; the scan goes on with the others. */
static void on_report(void *context, const struct rule_report *r)
{
	char words[640];

	snprintf(words, sizeof(words), "rule left out or broken: %s%s%s", r->id, *r->id ? ": " : "",
		 r->words);
	on_note(context, r->file, r->line, words);
}

static int start(struct scan *s, struct err *err)
{
	const struct cli_scan *o = &s->call->scan;
	struct packs_options packs = {.directory = s->call->rules,
				      .directories = s->call->rulesc,
				      .places = places_of_user(&s->rules->arena, NULL),
				      .pack = {s->call->strict, false, on_report, s}};
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
			 "%zu patterns of the rules are no regular expressions and match nothing; "
			 "the first: %s (cordon rules check DIR names them)",
			 s->rules->refused, s->rules->first_refused.message);
		on_note(s, "", 0, words);
	}
	return 0;
}

static void scan_operands(struct scan *s)
{
	const struct cli_call *call = s->call;

	for (int i = 0; i < call->argc; i++)
		if (strcmp(call->argv[i], "-") == 0)
			scan_stdin(s);
		else
			scan_path(s, AT_FDCWD, call->argv[i], call->argv[i], true);
	for (size_t i = 0; i < call->request.argc; i++)
		scan_path(s, AT_FDCWD, call->request.argv[i], call->request.argv[i], true);
	scan_progress(s, NULL);
}

static int status(const struct scan *s)
{
	if (s->scanner.totals.errors)
		return STATUS_FAILED;
	return s->failing || s->scanner.totals.findings > SCAN_FINDINGS_MAX ? STATUS_FOUND : 0;
}

static int fail(struct scan *s, const struct err *err)
{
	if (s->out)
		scan_error(&s->scanner, "", err);
	else
		cli_print_error(err);
	return err->code == ERR_USAGE ? STATUS_USAGE : STATUS_FAILED;
}

static int scan(struct scan *s)
{
	struct err err;
	int result = 0;

	if (!s->call->argc && !s->call->request.argc) {
		err_set(&err, ERR_USAGE, "scan what?");
		err_cure(&err, "cordon scan FILE, DIR or - for standard input");
		result = fail(s, &err);
	} else if (start(s, &err) < 0) {
		result = fail(s, &err);
	} else {
		s->begun = true;
		scan_operands(s);
	}
	scan_end(&s->scanner);
	s->format->end(s);
	return result ? result : status(s);
}

int cli_scan(struct cli_call *call)
{
	AUTO_FREE struct packs *rules = calloc(1, sizeof(*rules));
	const struct scan_format *format =
		call->scan.format ? call->scan.format
				  : (call->json ? &scan_json_format : &scan_text_format);
	const struct cli_scan *o = &call->scan;
	struct scan s = {.call = call, .rules = rules, .format = format};
	struct scan_options options = {.mode = (enum detect_mode)o->mode,
				       .has_type = o->has_type,
				       .has_kind = o->has_kind,
				       .type = (enum event_type)o->type,
				       .kind = (enum scan_kind)o->kind,
				       .no_code_view = o->no_code_view};
	struct scan_sink sink = {&s, on_finding, on_error, on_note, on_effects};
	struct err err;
	int ready = rules ? format->begin(&s, &err) : err_memory(&err);

	if (ready < 0) {
		cli_print_error(&err);
		return STATUS_FAILED;
	}
	scan_begin(&s.scanner, NULL, NULL, &options, &sink); /* there is no engine yet */
	s.progress = cli_has_colour(stderr);
	s.start_ns = s.progress_ns = io_now_ns();
	int result = scan(&s);
	packs_done(rules);
	return result;
}
