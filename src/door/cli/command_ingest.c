/* SPDX-License-Identifier: MIT
 *
 * cordon ingest: the command line of flow/ingest.h. Root opens another account's state with that
 * account's rights, so read the bytes and rules first. Only bytes that are committed are released.
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
#include "door/cli/open_state.h"
#include "show/jsonval.h"
#include "show/terminal.h"
#include "show/verdict_json.h"

struct options {
	const char *name, *release;
	unsigned kind;
	bool has_kind;
};

CLI_OWN(struct options)

struct ingest_view {
	const struct ingest_report *report;
	const struct source *source;
	const char *to; /* the destination of the bytes, or NULL */
	const struct conversation *conversation;
};

#define FOUND(function, expression) FIELD(function, struct report_finding, expression)
FOUND(found_rule, jsonval_readable(v->rule))
FOUND(found_title, jsonval_readable(v->title))
FOUND(found_grade, json_string(grade_name(v->grade)))
FOUND(found_undecided, json_boolean(v->undecided))

static const struct json_field finding_fields[] = {
	{"rule", "its id", found_rule},
	{"title", "the rule's title", found_title},
	{"grade", "the effect of the finding: shown, asks or denies", found_grade},
	{"undecided", "true if a limit stopped the search; counts as found", found_undecided},
	{0}};

#define INGEST(function, expression) FIELD(function, struct ingest_view, expression)
INGEST(field_source, jsonval_id(&v->source->id))
INGEST(field_conversation, jsonval_id(&v->source->conversation))
INGEST(field_state, json_string(v->conversation->exposed_us ? "exposed" : "clean"))
INGEST(field_kind, json_string(source_kind_name(v->source->kind)))
INGEST(field_name, jsonval_readable(v->source->name))
INGEST(field_sha256, jsonval_hex(v->source->sha256, sizeof(v->source->sha256)))
INGEST(field_bytes, jsonval_number(v->source->bytes))
INGEST(field_time, jsonval_number(v->source->time_us / 1000))
INGEST(field_trust, json_string(source_trust_name(v->source->trust)))
INGEST(field_grade, json_string(grade_name(v->source->grade)))
INGEST(field_unread, json_boolean(v->report->inspection.unread))
INGEST(field_count, jsonval_number(v->report->inspection.findings))
INGEST(field_findings,
       jsonval_list(finding_fields, v->report->inspection.finding,
		    sizeof(v->report->inspection.finding[0]), v->report->inspection.listed))
INGEST(field_released, v->to ? jsonval_readable(v->to) : json_null())

static const struct json_field ingest_fields[] = {
	{"source", "the source's id in the log", field_source},
	{"conversation", "the conversation that it was read in", field_conversation},
	{"state", "the state of the conversation now: clean or exposed", field_state},
	{"kind", "the kind of source: web, file, tool_result ...", field_kind},
	{"name", "its name, without secrets and control characters", field_name},
	{"sha256", "SHA-256 of its bytes", field_sha256},
	{"bytes", "its length in bytes", field_bytes},
	{"time", "ms since 1970", field_time},
	{"trust", "hostile or untrusted", field_trust},
	{"grade", "the grade of the gravest finding: none, shown, asks or denies", field_grade},
	{"unread", "true if a part was not text, or too large, and was not scanned", field_unread},
	{"findings_count", "number of findings", field_count},
	{"findings", "the gravest finding of each rule, at most 64", field_findings},
	{"released", "where the bytes were written, or null", field_released},
	{0}};

static void tell(const struct ingest_view *t)
{
	const struct source *s = t->source;
	char hex[ID_HEX];

	printf("%s  %s  %s  ", id_hex(&s->id, hex), source_trust_name(s->trust),
	       source_kind_name(s->kind));
	terminal_words(stdout, s->name);
	putchar('\n');
	for (size_t i = 0; i < t->report->inspection.listed; i++) {
		const struct report_finding *f = &t->report->inspection.finding[i];
		printf("  %-6s  ", f->undecided ? "limit" : grade_name(f->grade));
		terminal_words(stdout, f->rule);
		fputs("  ", stdout);
		terminal_words(stdout, f->title);
		putchar('\n');
	}
	if (t->report->inspection.unread)
		puts("  a part was not text, or too large, and was not scanned");
}

/* *RET_MADE: the file did not exist before. */
static int open_file(const char *to, bool *ret_made)
{
	const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
	int fd = open(to, flags | O_EXCL, 0666);

	*ret_made = fd >= 0;
	return fd < 0 && errno == EEXIST ? open(to, flags, 0666) : fd;
}

/* A terminal obeys control characters: release only to a file or a pipe. */
static int open_release(const char *to, bool *ret_made, struct err *err)
{
	int fd = strcmp(to, "-") == 0 ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
				      : open_file(to, ret_made);

	if (fd < 0)
		return err_errno(err, ERR_INPUT, "%.200s", to);
	if (!isatty(fd))
		return fd;
	close(fd);
	err_set(err, ERR_INPUT, "the document is not written to a terminal");
	err_cure(err, "--release FILE, or standard output into a pipe");
	return -1;
}

/* A file is emptied first; standard output is left as it is. */
static int release(int fd, const char *to, const struct source_released *r, struct err *err)
{
	bool is_ours = strcmp(to, "-") != 0;

	if ((is_ours && ftruncate(fd, 0) < 0 && errno != EINVAL) ||
	    (is_ours && fcntl(fd, F_SETFL, 0) < 0) || io_write_all(fd, r->data, r->len) < 0) {
		err_errno(err, ERR_SYSTEM, "releasing it");
		err_cause(err, "it is recorded, but only a part was released");
		return -1;
	}
	return 0;
}

/* Remove the file that we made, unless another file has its name now. */
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

	return inspect_open_rules(rules, &o, err);
}

/* The text is recorded but withheld from the agent. */
static int refuse(const struct ingest_report *report, struct err *err)
{
	err_set(err, ERR_REFUSED, "not released: a rule withholds this text");
	err_cause(err, "rule %s", report->inspection.denied_by);
	err_cure(err, "cordon rules show %s", report->inspection.denied_by);
	return -1;
}

static int speak(struct cli_call *call, const struct packs *rules, struct ingest_in *in, int to,
		 struct ingest_report *report, struct conversation *c, struct err *err)
{
	AUTO_STATE struct gate_state s = STATE_CLOSED;

	if (cli_open_state(call, STATE_WRITES, &s, err) < 0 ||
	    conversation_find(&s.keeper, call->request.conversation, c, err) < 0 ||
	    ingest(&s, rules, c, in, report, err) < 0)
		return -1;
	if (report->withheld)
		return refuse(report, err);
	return to < 0 ? 0 : release(to, options_of(call)->release, &report->released, err);
}

static int check(const struct cli_call *call, struct err *err)
{
	const struct options *g = options_of(call);

	if (!g->has_kind || !g->name)
		err_set(err, ERR_USAGE, "--kind K and --name URI are required");
	else if (!call->request.conversation)
		err_set(err, ERR_USAGE, "--conversation is required");
	else if (call->argc > 1)
		err_set(err, ERR_USAGE, "only one file is accepted");
	else if (g->release && strcmp(g->release, "-") == 0 && call->json)
		err_set(err, ERR_USAGE, "--json and --release - both use standard output");
	else
		return 0;
	err_cure(err, "cordon ingest --help");
	return -1;
}

static int run(struct cli_call *call, const struct policy *policy, struct packs *rules,
	       struct ingest_report *report, struct conversation *c, struct err *err)
{
	const struct options *g = options_of(call);
	AUTO_FREE char *data = NULL;
	AUTO_CLOSE int to = -1;
	bool made = false;
	size_t len = 0;

	if (check(call, err) < 0)
		return -1;
	if (cli_read_file(call->argc ? call->argv[0] : "-", INGEST_BYTES_MAX, &data, &len, err) <
	    0) {
		if (err->code == ERR_LIMIT)
			err_cure(err, "ingest it in parts, and release it in the same parts");
		return -1;
	}
	if (g->release && (to = open_release(g->release, &made, err)) < 0)
		return -1;
	struct ingest_in in = {.kind = (enum source_kind)g->kind,
			       .name = g->name,
			       .name_len = strlen(g->name),
			       .policy = policy,
			       .data = {data, len}};
	if (open_rules(call, rules, err) == 0 && speak(call, rules, &in, to, report, c, err) == 0)
		return 0;
	if (made)
		unmake(to, g->release);
	return -1;
}

static void print_json(const struct ingest_view *t)
{
	const struct inspection *l = &t->report->inspection;
	char hex[ID_HEX];

	verdict_print(ingest_fields, t,
		      &(struct verdict_view){.finding = l->finding,
					     .findingc = l->listed,
					     .ref = "src",
					     .id = id_hex(&t->source->id, hex)});
}

static int run_ingest(struct cli_call *call)
{
	AUTO_FREE struct packs *rules = calloc(1, sizeof(*rules));
	AUTO_FREE struct ingest_report *report = calloc(1, sizeof(*report));
	const char *to = options_of(call)->release;
	struct conversation c = {0};
	struct policy policy;
	struct err err;

	if (!rules || !report) {
		err_memory(&err);
		return cli_fail_short(call, &err);
	}
	int r = policy_open(&policy, call->policy, &err);
	if (r == 0)
		r = run(call, &policy, rules, report, &c, &err);
	struct ingest_view view = {report, &report->released.source, to, &c};
	if (r == 0 && call->json)
		print_json(&view);
	else if (r == 0 && !(to && strcmp(to, "-") == 0))
		tell(&view);
	ingest_done(report);
	packs_done(rules);
	policy_done(&policy);
	return r == 0 ? 0 : cli_fail_short(call, &err);
}

static int set_kind(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	options_of(c)->has_kind = true;
	return cli_choose(source_kind_name, o, v, &options_of(c)->kind, err);
}

static const struct cli_option ingest_options[] = {
	CLI_CONVERSATION_ROW,
	{"kind", "K", "", .set = set_kind, .choice = source_kind_name},
	CLI_TEXT(struct options, name, "name", "URI", "its name: an address or a path"),
	CLI_TEXT(struct options, release, "release", "TO",
		 "write the bytes to a file, or - for standard output, when they are recorded"),
	{"rules", "DIR", "a directory of rules; may be repeated; default: the configured ones",
	 .set = cli_set_rules, .may_repeat = true},
	{"policy", "FILE",
	 "the policy, which can raise or lower rules; default: the configured one",
	 .set = cli_set_policy},
	CLI_STATE_ROW,
	CLI_JSON_ROW,
	{0}};

static const struct json_doc ingest_docs[] = {{"ingest", ingest_fields},
					      {"ingest", verdict_fields},
					      {"ingest.findings[]", finding_fields},
					      {0}};

static const struct cli_exit ingest_exits[] = {
	{"0", "the document is recorded, and released if --release was given"},
	{"2", "wrong usage, or no rules are installed"},
	{"125", "it could not be read, scanned or recorded, or not completely released"},
	{"126", "refused: a rule withholds the text, or others have access to the state directory"},
	{"", ""}};

COMMAND(ingest) = {
	.name = "ingest",
	.order = 150,
	.synopsis = "--conversation ID --kind K --name URI [options] FILE|-",
	.help = "record a document before an agent reads it",
	.example = "cordon ingest --conversation $C --kind web --name https://example.org/ "
		   "--release - "
		   "page.html",
	.options = ingest_options,
	.exits = ingest_exits,
	.docs = {ingest_docs},
	.usage_status = 2,
	.takes_operands = true,
	.run = run_ingest,
};
