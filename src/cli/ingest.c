/* SPDX-License-Identifier: MIT
 *
 * cordon ingest: the command line's door to flow/ingest.h. The bytes are read and the rules made
 * ready first, because root in somebody's state directory goes on as that somebody; what is released
 * comes out of the commit and from nowhere else.
 */
#include "flow/ingest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "cli/gate.h"
#include "cli/jsonval.h"
#include "cli/shown.h"
#include "cli/verdict.h"

struct told {
	const struct ingest_report *report;
	const struct source *source;
	const char *to; /* where the bytes went, or NULL */
};

#define FOUND(function, expression) FIELD(function, struct report_finding, expression)
FOUND(found_rule, jsonval_readable(v->rule))
FOUND(found_title, jsonval_readable(v->title))
FOUND(found_grade, json_string(grade_name(v->grade)))
FOUND(found_undecided, json_boolean(v->undecided))

const struct cli_field gate_finding_fields[] = {
	{"rule", "its id", found_rule},
	{"title", "the rule's", found_title},
	{"grade", "what the finding may do: shown, asks or denies", found_grade},
	{"undecided", "a limit was reached before it was known", found_undecided},
	{0}};

#define TOLD(function, expression) FIELD(function, struct told, expression)
TOLD(told_source, gate_id_json(&v->source->id))
TOLD(told_domain, gate_id_json(&v->source->domain))
TOLD(told_epoch, jsonval_number(v->source->epoch))
TOLD(told_kind, json_string(source_kind_name(v->source->kind)))
TOLD(told_name, jsonval_readable(v->source->name))
TOLD(told_sha256, gate_hex_json(v->source->sha256, sizeof(v->source->sha256)))
TOLD(told_bytes, jsonval_number(v->source->bytes))
TOLD(told_time, jsonval_number(v->source->time_us / 1000))
TOLD(told_integrity, json_string(integrity_name(v->source->label.integrity)))
TOLD(told_secrecy, json_string(secrecy_name(v->source->label.secrecy)))
TOLD(told_grade, json_string(grade_name(v->source->grade)))
TOLD(told_unread, json_boolean(v->report->look.unread))
TOLD(told_count, jsonval_number(v->report->look.findings))
TOLD(told_findings, jsonval_list(gate_finding_fields, v->report->look.finding,
				 sizeof(v->report->look.finding[0]), v->report->look.listed))
TOLD(told_released, v->to ? jsonval_readable(v->to) : json_null())

const struct cli_field gate_ingest_fields[] = {
	{"source", "its id, as the log has it", told_source},
	{"domain", "that it was read in", told_domain},
	{"epoch", "of the domain", told_epoch},
	{"kind", "web, file, tool_result ...", told_kind},
	{"name", "what it calls itself, without secrets and controls", told_name},
	{"sha256", "of its bytes", told_sha256},
	{"bytes", "how many", told_bytes},
	{"time", "ms since 1970", told_time},
	{"integrity", "hostile or untrusted", told_integrity},
	{"secrecy", "public, internal or secret", told_secrecy},
	{"grade", "of the worst finding: none, shown, asks or denies", told_grade},
	{"unread", "it is no text: the rules have not looked at all of it", told_unread},
	{"findings_count", "how many there were", told_count},
	{"findings", "the worst of each rule, 64 at most", told_findings},
	{"released", "where the bytes were written, or null", told_released},
	{0}};

static void tell(const struct told *t)
{
	const struct source *s = t->source;
	char hex[ID_HEX];

	printf("%s  %s  %s  ", id_hex(&s->id, hex), integrity_name(s->label.integrity),
	       source_kind_name(s->kind));
	shown_words(stdout, s->name);
	putchar('\n');
	for (size_t i = 0; i < t->report->look.listed; i++) {
		const struct report_finding *f = &t->report->look.finding[i];
		printf("  %-6s  ", f->undecided ? "limit" : grade_name(f->grade));
		shown_words(stdout, f->rule);
		fputs("  ", stdout);
		shown_words(stdout, f->title);
		putchar('\n');
	}
	if (t->report->look.unread)
		puts("  it is no text: the rules have not looked at all of it");
}

/* *RET_MADE: the file was not there before. */
static int open_file(const char *to, bool *ret_made)
{
	const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
	int fd = open(to, flags | O_EXCL, 0666);

	*ret_made = fd >= 0;
	return fd < 0 && errno == EEXIST ? open(to, flags, 0666) : fd;
}

/* Bytes on a terminal are obeyed by it: only who asks for a file or a pipe gets them. */
static int open_release(const char *to, bool *ret_made, struct err *err)
{
	int fd = strcmp(to, "-") == 0 ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
				      : open_file(to, ret_made);

	if (fd < 0)
		return err_errno(err, ERR_INPUT, "%.200s", to);
	if (!isatty(fd))
		return fd;
	close(fd);
	err_set(err, ERR_INPUT, "what an agent reads is not shown on a terminal");
	err_cure(err, "--release FILE, or standard output into a pipe");
	return -1;
}

/* Nothing of an earlier file may be left behind them; what standard output is, is not ours. */
static int release(int fd, const char *to, const struct source_released *r, struct err *err)
{
	bool is_ours = strcmp(to, "-") != 0;

	if ((is_ours && ftruncate(fd, 0) < 0 && errno != EINVAL) ||
	    (is_ours && fcntl(fd, F_SETFL, 0) < 0) || io_write_all(fd, r->data, r->len) < 0) {
		err_errno(err, ERR_SYSTEM, "releasing it");
		err_cause(err, "it is recorded, and not released whole");
		return -1;
	}
	return 0;
}

/* Of an ingest that failed nothing is left: a file that is there looks as if it had been released. Not one
 * that is somebody else's by now. */
static void unmake(int fd, const char *to)
{
	struct stat made, there;

	if (fstat(fd, &made) == 0 && lstat(to, &there) == 0 && made.st_dev == there.st_dev &&
	    made.st_ino == there.st_ino)
		unlink(to);
}

static int open_rules(const struct cli_call *call, struct packs *rules, struct err *err)
{
	struct packs_options o = {.directory = call->rules,
				  .directories = call->rulesc,
				  .places = places_of_user(&rules->arena, call->state)};

	return look_rules(rules, &o, err);
}

static int speak(struct cli_call *call, const struct packs *rules, struct ingest_in *in, int to,
		 struct ingest_report *report, struct err *err)
{
	AUTO_STATE struct gate_state s = STATE_CLOSED;
	struct domain d;

	if (gate_begin(call, GATE_WRITES, &s, err) < 0 ||
	    gate_domain(&s, call->gate.domain, call->request.conversation, &d, err) < 0 ||
	    ingest(&s, rules, &d, in, report, err) < 0)
		return -1;
	return to < 0 ? 0 : release(to, call->gate.release, &report->released, err);
}

static int check(const struct cli_call *call, struct err *err)
{
	const struct cli_gate *g = &call->gate;

	if (!g->has_kind || !g->name)
		err_set(err, ERR_USAGE, "what is it, and what is it called? (--kind K --name URI)");
	else if (call->argc > 1 || call->request.argc)
		err_set(err, ERR_USAGE, "one file at a time");
	else if (g->release && strcmp(g->release, "-") == 0 && call->json)
		err_set(err, ERR_USAGE, "--json and --release - both want standard output");
	else
		return 0;
	err_cure(err, "cordon ingest --help");
	return -1;
}

static int run(struct cli_call *call, struct packs *rules, struct ingest_report *report,
	       struct err *err)
{
	const struct cli_gate *g = &call->gate;
	AUTO_FREE char *data = NULL;
	AUTO_CLOSE int to = -1;
	bool made = false;
	size_t len = 0;

	if (check(call, err) < 0)
		return -1;
	if (gate_read(call->argc ? call->argv[0] : "-", INGEST_BYTES_MAX, &data, &len, err) < 0) {
		if (err->code == ERR_LIMIT)
			err_cure(err, "ingest it in parts, and release it in the same parts");
		return -1;
	}
	if (g->release && (to = open_release(g->release, &made, err)) < 0)
		return -1;
	struct ingest_in in = {.kind = (enum source_kind)g->kind,
			       .name = g->name,
			       .name_len = strlen(g->name),
			       .data = {data, len},
			       .label = label_unknown()};
	if (g->has_integrity)
		in.label.integrity = (enum integrity)g->integrity;
	if (g->has_secrecy)
		in.label.secrecy = (enum secrecy)g->secrecy;
	if (open_rules(call, rules, err) == 0 && speak(call, rules, &in, to, report, err) == 0)
		return 0;
	if (made)
		unmake(to, g->release);
	return -1;
}

static void print_json(const struct told *t)
{
	const struct look *l = &t->report->look;
	char hex[ID_HEX];

	verdict_print(gate_ingest_fields, t,
		      &(struct verdict_said){.finding = l->finding,
					     .findingc = l->listed,
					     .ref = "src",
					     .id = id_hex(&t->source->id, hex)});
}

int cli_ingest(struct cli_call *call)
{
	AUTO_FREE struct packs *rules = calloc(1, sizeof(*rules));
	AUTO_FREE struct ingest_report *report = calloc(1, sizeof(*report));
	const char *to = call->gate.release;
	struct err err;
	int r = -1;

	if (rules && report)
		r = run(call, rules, report, &err);
	else
		err_memory(&err);
	struct told told = {report, report ? &report->released.source : NULL, to};
	if (r == 0 && call->json)
		print_json(&told);
	else if (r == 0 && !(to && strcmp(to, "-") == 0))
		tell(&told);
	if (report)
		ingest_done(report);
	if (rules)
		packs_done(rules);
	return r == 0 ? 0 : gate_fail(call, &err);
}
