/* SPDX-License-Identifier: MIT
 *
 * cordon run. Without --json and --events the program's output is passed on at once. Cordon's own
 * messages go to standard error and begin with "cordon: "; the program cannot imitate them.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/pages.h"
#include "base/scope.h"
#include "conf/name_list.h"
#include "door/cli/cli.h"
#include "door/cli/forward.h"
#include "door/cli/own_terminal.h"
#include "flow/run.h"
#include "show/output_relay.h"
#include "show/run_events.h"
#include "show/run_json.h"
#include "show/run_summary.h"
#include "show/screen_filter.h"
#include "show/terminal.h"

enum { SCREEN_PIECE = 4096 };

static int usage(const struct cli_call *call, const char *message)
{
	struct err err;

	err_set(&err, ERR_USAGE, "%s", message);
	err_cure(&err, "cordon run --help shows how");
	return cli_fail(call, &err);
}

static int no_descriptor(const struct cli_call *call, const char *name)
{
	struct err err;

	err_set(&err, ERR_INPUT, "%.200s: %s", name, strerror(EBADF));
	err_cure(&err, "open it for cordon, or name a file");
	return cli_fail(call, &err);
}

static void begin_program(void *ctx, const struct report *r)
{
	(void)ctx, (void)r;
	forward_begin();
}

static void tell_waiting(void *ctx, const struct report *r)
{
	(void)ctx;
	forward_end();
	fprintf(stderr, "cordon: waiting for people: cordon approvals show %s\n", r->approval);
}

static void pass_on(void *ctx, int stream, const char *data, size_t len)
{
	struct relay *relays = ctx;

	relay_write(&relays[stream], data, len);
}

/* The user's terminal, while the program has one of its own. */
struct screen {
	struct screen_filter filter;
	struct own_terminal terminal;
};

static void show_on_screen(void *ctx, int stream, const char *data, size_t len)
{
	struct screen *screen = ctx;
	char shown[SCREEN_PIECE + 2];

	(void)stream;
	for (size_t part; len; data += part, len -= part) {
		part = len < SCREEN_PIECE ? len : SCREEN_PIECE;
		size_t n = screen_filter(&screen->filter, data, part, shown);
		(void)!io_write_all(STDOUT_FILENO, shown, n);
	}
}

static void take_terminal(void *ctx, int master)
{
	struct screen *screen = ctx;

	own_terminal_begin(&screen->terminal, master);
}

/* If the default tier does not work here, add the command that sets another default. */
static void advise_tier(const struct cli_call *call, struct result *r)
{
	const struct config *c = &call->config;
	char cure[CLI_TIER_CURE_MAX], before[sizeof(r->err.cure)];
	enum tier tier = TIER_COUNT;

	if (r->err.code != ERR_LAYER || c->from[CONFIG_TIER] != CONFIG_DEFAULT)
		return;
	for (int l = 0; l < LAYER_COUNT; l++)
		for (int t = TIER_COUNT - 1; t > 0; t--)
			if (strcmp(layer_row((enum layer)l)->name, r->err.layer) == 0 &&
			    !layer_is_needed((enum layer)l, (enum tier)t))
				tier = (enum tier)t;
	if (tier == TIER_COUNT)
		return;
	cli_tier_cure(c, tier, cure);
	memcpy(before, r->err.cure, sizeof(before));
	/* A truncated command would be another command. */
	if (*before && strlen(before) + strlen(cure) + 20 < sizeof(before))
		err_cure(&r->err, "%s; as the default: %s", before, cure);
	else
		err_cure(&r->err, "%s", cure);
}

static void speak(struct cli_call *call, struct launch_sink *sink, struct result *r)
{
	if (call->by_signal && !call->events) {
		sink->signals = forward_open();
		sink->started = begin_program;
	}
	if (call->kept)
		flow_run_live(&call->request, call->kept, NULL, sink, r);
	else
		flow_run(&call->request, &call->box, sink, r);
	forward_end();
}

static int print_json(struct cli_call *call, struct result *r)
{
	const struct request *req = &call->request;
	struct launch_sink quiet = {0};

	speak(call, &quiet, r);
	advise_tier(call, r);
	run_json_print(r, req->tier);
	return result_exit_status(r);
}

static int print_events(struct cli_call *call, struct result *r)
{
	const struct request *req = &call->request;
	struct events events;

	events_init(&events, (size_t)req->limit[LIMIT_OUTPUT] / 2);
	struct launch_sink sink = events_sink(&events);
	speak(call, &sink, r);
	advise_tier(call, r);
	events_finish(&events, r, req->tier);
	return result_exit_status(r);
}

static int print_output(struct cli_call *call, struct result *r)
{
	const struct request *req = &call->request;
	struct relay relays[2];
	struct relay_line lines[2] = {0};
	struct launch_sink sink = {.output = pass_on, .pending = tell_waiting, .ctx = relays};

	size_t room = call->passes_all ? RELAY_ALL : (size_t)req->limit[LIMIT_OUTPUT] / 2;
	relay_init(&relays[0], STDOUT_FILENO, room, &lines[0]);
	relay_init(&relays[1], STDERR_FILENO, room, relay_is_shared() ? &lines[0] : &lines[1]);
	speak(call, &sink, r);
	for (int i = 0; i < 2; i++)
		relay_finish(&relays[i], &r->out[i]);
	advise_tier(call, r);
	run_summary_print(r, req, relays[1].line->in_line);
	if (!relays[0].lost && !relays[1].lost)
		return result_exit_status(r);
	terminal_print_lost();
	return 125;
}

/* The program has a terminal of its own, so it prints as to any terminal. */
static int run_on_screen(struct cli_call *call, struct result *r)
{
	struct screen screen = {0};
	struct launch_sink sink = {.output = show_on_screen,
				   .pending = tell_waiting,
				   .terminal = take_terminal,
				   .ctx = &screen};

	speak(call, &sink, r);
	if (r->ran == RAN_ENDED)
		(void)!io_write_all(STDOUT_FILENO, SCREEN_RESET, sizeof(SCREEN_RESET) - 1);
	own_terminal_end(&screen.terminal);
	advise_tier(call, r);
	run_summary_print(r, &call->request, false);
	return result_exit_status(r);
}

/* Ends cordon by the program's signal, for a parent that checks its child's signal. Not
 * dumpable: a core file would contain Cordon's memory. Returns if the output could not be
 * written (main reports that), or if the signal did not end the process. */
static void end_by(int sig)
{
	sigset_t set;

	if (fflush(stdout) != 0 || prctl(PR_SET_DUMPABLE, 0) < 0)
		return;
	sigemptyset(&set);
	sigaddset(&set, sig);
	signal(sig, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(sig);
}

void cli_begin_box(struct cli_call *call)
{
	flow_begin_box(&call->box);
}

int cli_run(struct cli_call *call)
{
	struct request *req = &call->request;

	if (req->stdin_file && !cli_names_given(req->stdin_file))
		return no_descriptor(call, req->stdin_file);
	struct result *r = pages_new(sizeof(*r)); /* freed at exit */
	if (!r)
		return 125;
	/* Code that is typed at a terminal is the user's own. */
	req->is_users |= !req->is_exposed && isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
	req->hash_program = call->json || call->events;
	int status = call->events ? print_events(call, r)
		     : call->json ? print_json(call, r)
		     : req->rows  ? run_on_screen(call, r)
				  : print_output(call, r);
	if (call->by_signal && r->signal && status == 128 + r->signal)
		end_by(r->signal);
	result_done(r);
	return status;
}

static int run(struct cli_call *call)
{
	if (call->argc != 1)
		return usage(call, call->argc ? "only one file is accepted; arguments come after --"
					      : "no file to run is given");
	if (!cli_names_given(call->argv[0]))
		return no_descriptor(call, call->argv[0]);
	call->request.file = call->argv[0];
	return cli_run(call);
}

const char *cli_tier_name(unsigned i)
{
	return i < TIER_COUNT ? tier_row((enum tier)i)->name : NULL;
}

static int set_events(struct cli_call *c, const struct cli_option *o, const char *v,
		      struct err *err)
{
	(void)o, (void)v, (void)err;
	c->events = true;
	return 0;
}

static int set_by_signal(struct cli_call *c, const struct cli_option *o, const char *v,
			 struct err *err)
{
	(void)o, (void)v, (void)err;
	c->by_signal = true;
	return 0;
}

static int set_telemetry(struct cli_call *c, const struct cli_option *o, const char *v,
			 struct err *err)
{
	(void)o, (void)v, (void)err;
	c->request.telemetry = true;
	return 0;
}

int cli_set_tier(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	unsigned tier;

	if (cli_choose(cli_tier_name, o, v, &tier, err) < 0)
		return -1;
	c->flag_values.tier = (enum tier)tier;
	c->flag_values.where[CONFIG_TIER] = "--tier";
	return 0;
}

int cli_set_stdin(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o, (void)err;
	c->request.stdin_file = v;
	return 0;
}

static int set_diff(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o, (void)v, (void)err;
	c->request.diff = true;
	return 0;
}

static int set_apply(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o, (void)v, (void)err;
	c->request.apply = true;
	return 0;
}

int cli_set_whole(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o, (void)v, (void)err;
	c->request.whole = true;
	return 0;
}

int cli_set_user(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o, (void)v, (void)err;
	c->request.is_users = true;
	return 0;
}

int cli_set_exposed(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o, (void)v, (void)err;
	c->request.is_exposed = true;
	return 0;
}

static int set_plan(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o, (void)err;
	c->request.plan = v;
	return 0;
}

const struct cli_option cli_run_options[] = {
	{"lang", "L", "else by the file's name", .set = cli_set_lang, .choice = profile_name},
	{"telemetry", NULL, "report Python's audit events; the program can stop and forge them",
	 .set = set_telemetry},
	{"json", NULL, "print one JSON object instead of the program's output",
	 .set = cli_set_json},
	{"events", NULL, "print a line of JSON for each event", .set = set_events},
	{"by-signal", NULL,
	 "end by the signal that killed the program, instead of exiting with 128+N",
	 .set = set_by_signal},
	{"tier", "T", "else what the configuration says, or the first", .set = cli_set_tier,
	 .choice = cli_tier_name},
	{"workspace", "DIR[:ro|:overlay|:rw]",
	 "the directory to work in, at its own path; default :overlay", .set = cli_set_workspace},
	{"whole", NULL, "the workspace may be a home directory, /tmp or the like",
	 .set = cli_set_whole},
	{"diff", NULL, "print the changes in the overlay", .set = set_diff},
	{"apply", NULL, "apply the changes when the program exits with 0, where that is allowed",
	 .set = set_apply},
	{"stdin", "FILE", "the program's standard input; - for that of cordon",
	 .set = cli_set_stdin},
	CLI_CONVERSATION_ROW,
	{"user", NULL, "you attest that the user typed this; at a terminal that is the default",
	 .set = cli_set_user},
	{"exposed", NULL, "something untrusted that Cordon did not see led to this",
	 .set = cli_set_exposed},
	{"plan", "ID", "a plan, made while the conversation was clean (cordon plan)",
	 .set = set_plan},
	CLI_POLICY_ROW,
	{"wait", NULL, "if people are asked, wait for their answer", .set = cli_set_wait},
	CLI_REQUEST_ROWS,
	{"rules", "DIR", "a directory of rules for the scan; may be repeated", .set = cli_set_rules,
	 .may_repeat = true},
	{"state", "DIR", "the state directory; default: the configured one", .set = cli_set_state},
	{0}};

const struct cli_exit cli_run_exits[] = {
	{"N", "the program exited with N; --json tells this from the statuses below"},
	{"75", "it waits for approval; after that, the same command runs it"},
	{"124", "the time limit was reached"},
	{"125", "Cordon could not run it: wrong usage, or a layer is missing"},
	{"126", "refused: by the policy or by people, or they did not answer in time"},
	{"128+N",
	 "the program was killed by signal N; 159: it made a system call on the kill list"},
	{"", ""}};

const struct cli_combination cli_run_combinations[] = {
	{"diff, apply, whole, keep", NEEDS, "workspace"},
	{"plan", NEEDS, "conversation"},
	{"connections, net-out, net-in", NEEDS, "net, secret"},
	{"json", NOT_WITH, "events"},
	{"user", NOT_WITH, "exposed"},
	{0}};

COMMAND(run) = {
	.name = "run",
	.order = 10,
	.synopsis = "[options] FILE|- [-- ARG...]",
	.help = "run code in a box and return its output",
	.example = "cordon run --time 5s --workspace .:overlay --diff job.py -- input.csv",
	.options = cli_run_options,
	.more = cli_code_options,
	.combinations = cli_run_combinations,
	.exits = cli_run_exits,
	.docs = {run_docs, run_event_docs},
	.takes_operands = true,
	.takes_limits = true,
	.ahead = cli_begin_box,
	.run = run,
};
