/* SPDX-License-Identifier: MIT
 *
 * cordon run. Without --json and --events the program's output is passed on as it comes; our own words go to
 * standard error, begin with "cordon: ", and nothing the program prints can look like them.
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
#include "cli/cli.h"
#include "cli/events.h"
#include "cli/relay.h"
#include "flow/run.h"

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

static void pass_on(void *ctx, int stream, const char *data, size_t len)
{
	struct relay *relays = ctx;

	relay_write(&relays[stream], data, len);
}

static int run_json(struct cli_call *call, struct result *r)
{
	const struct request *req = &call->request;
	struct launch_sink quiet = {0};

	flow_run(req, &call->box, &quiet, r);
	cli_print_json(r, req->tier);
	return result_exit_status(r);
}

static int run_events(struct cli_call *call, struct result *r)
{
	const struct request *req = &call->request;
	struct events events;

	events_init(&events, (size_t)req->limit[LIMIT_OUTPUT] / 2);
	struct launch_sink sink = events_sink(&events);
	flow_run(req, &call->box, &sink, r);
	events_finish(&events, r, req->tier);
	return result_exit_status(r);
}

static int run_shown(struct cli_call *call, struct result *r)
{
	const struct request *req = &call->request;
	struct relay relays[2];
	struct relay_line lines[2] = {0};
	struct launch_sink sink = {.output = pass_on, .ctx = relays};

	relay_init(&relays[0], STDOUT_FILENO, (size_t)req->limit[LIMIT_OUTPUT] / 2, &lines[0]);
	relay_init(&relays[1], STDERR_FILENO, (size_t)req->limit[LIMIT_OUTPUT] / 2,
		   relay_is_shared() ? &lines[0] : &lines[1]);
	flow_run(req, &call->box, &sink, r);
	for (int i = 0; i < 2; i++)
		relay_finish(&relays[i], &r->out[i]);
	cli_print_summary(r, relays[1].line->in_line);
	if (!relays[0].lost && !relays[1].lost)
		return result_exit_status(r);
	cli_print_lost();
	return 125;
}

/* For a parent that looks at its child's signal. Not dumpable: the core that some signals leave would
 * be ours. Comes back if what is printed could not be, which main() tells, or if the signal did not
 * end us. */
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

void cli_run_ahead(struct cli_call *call)
{
	struct err untold; /* ignored: flow_run begins a box again and reports the error */

	if (launch_begin(&call->box, &untold) < 0)
		launch_abandon(&call->box);
}

int cli_run(struct cli_call *call)
{
	struct request *req = &call->request;

	if (call->argc != 1)
		return usage(call, call->argc ? "one file at a time; arguments come after --"
					      : "which file?");
	if (call->json && call->events)
		return usage(call, "--json or --events, not both");
	const char *names[] = {call->argv[0], req->stdin_file};
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!cli_names_given(names[i]))
			return no_descriptor(call, names[i]);
	struct result *r = pages_new(sizeof(*r)); /* for as long as we live */
	if (!r)
		return 125;
	req->file = call->argv[0];
	/* What is typed at a terminal is the user's own. */
	req->is_users |= isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
	req->hash_program = call->json || call->events;
	int status = call->events ? run_events(call, r)
		     : call->json ? run_json(call, r)
				  : run_shown(call, r);
	if (call->by_signal && r->signal && status == 128 + r->signal)
		end_by(r->signal);
	result_done(r);
	return status;
}
