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
#include "cli/usable.h"

enum { STATUS_FOUND = 1, STATUS_USAGE = 2, STATUS_FAILED = 125 };
enum { PROGRESS_NS = 100000000, NAME_SHOWN = 40 };

static const struct scan_format *const formats[] = {&scan_text_format, &scan_json_format,
						    &scan_sarif_format};

const struct scan_format *scan_format_at(unsigned i)
{
	return i < ARRAY_SIZE(formats) ? formats[i] : NULL;
}

void scan_error(struct scan *s, const char *file, const struct err *err)
{
	scan_progress(s, NULL);
	s->totals.errors++;
	if (s->totals.errors <= SCAN_REMARKS_MAX)
		s->format->error(s, file, err);
}

void scan_note(struct scan *s, const char *file, size_t line, const char *words)
{
	scan_progress(s, NULL);
	s->format->note(s, file, line, words);
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
	fprintf(stderr, "\r\033[K%zu files, %zu findings  ", s->totals.files, s->totals.findings);
	cli_print_text(stderr, strlen(name) > NAME_SHOWN ? name + strlen(name) - NAME_SHOWN : name);
	fflush(stderr);
	s->mid_progress = true;
}

const char *scan_lane(const struct rule *rule)
{
	for (unsigned lane = LANE_COUNT - 1; lane > LANE_HUNT; lane--)
		if (rule_is_live(rule, (enum lane)lane))
			return vocab_at(VOCAB_LANE, lane)->name;
	return vocab_at(VOCAB_LANE, LANE_HUNT)->name;
}

const char *scan_status(const struct scan *s)
{
	if (s->totals.errors)
		return "error";
	return s->totals.findings ? "findings" : "clean";
}

/* A bad rule is told and left out; the scan goes on with the others. */
static void on_report(void *context, const struct rule_report *r)
{
	struct scan *s = context;
	char words[640];

	snprintf(words, sizeof(words), "rule left out or broken: %s%s%s", r->id, *r->id ? ": " : "",
		 r->words);
	scan_note(s, r->file, r->line, words);
}

static int start(struct scan *s, struct err *err)
{
	const struct cli_scan *o = &s->call->scan;
	struct pack_options packs = {s->call->strict, false, on_report, s};
	struct engine_options options = {.mode = (enum detect_mode)o->mode,
					 .lane = (enum lane)o->lane,
					 .inactive = o->inactive};
	char words[640];

	if (packs_load(s->rules, s->call, NULL, 0, &packs, err) < 0 ||
	    usable_rules(s->rules, err) < 0 || packs_start(s->rules, &options, err) < 0 ||
	    usable_engine(s->rules, &options, err) < 0)
		return -1;
	if (s->rules->refused) {
		snprintf(words, sizeof(words),
			 "%zu patterns of the rules are no regular expressions and match nothing; "
			 "the first: %s",
			 s->rules->refused, s->rules->first_refused.message);
		scan_note(s, "", 0, words);
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

/* What was not looked at is not harmless. */
static void fail_closed(struct scan *s)
{
	if (!s->totals.errors || s->verdict == DETECT_DENY)
		return;
	s->verdict = DETECT_DENY;
	snprintf(s->reason, sizeof(s->reason), "DENY: %zu inputs could not be scanned",
		 s->totals.errors);
}

static int status(const struct scan *s)
{
	if (s->totals.errors)
		return STATUS_FAILED;
	return s->failing || s->totals.findings > SCAN_FINDINGS_MAX ? STATUS_FOUND : 0;
}

static int fail(struct scan *s, const struct err *err)
{
	if (s->out)
		scan_error(s, "", err);
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
	fail_closed(s);
	s->format->end(s);
	return result ? result : status(s);
}

int cli_scan(struct cli_call *call)
{
	AUTO_FREE struct packs *rules = calloc(1, sizeof(*rules));
	const struct scan_format *format =
		call->scan.format ? call->scan.format
				  : (call->json ? &scan_json_format : &scan_text_format);
	struct scan s = {.call = call, .rules = rules, .format = format};
	struct err err;
	int ready = rules ? format->begin(&s, &err) : err_set(&err, ERR_SYSTEM, "out of memory");

	if (ready < 0) {
		cli_print_error(&err);
		return STATUS_FAILED;
	}
	s.verdict = DETECT_ALLOW;
	s.progress = cli_has_colour(stderr);
	s.totals.start_ns = s.progress_ns = io_now_ns();
	int result = scan(&s);
	packs_done(rules);
	return result;
}
