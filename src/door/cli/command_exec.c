/* SPDX-License-Identifier: MIT
 *
 * cordon exec. One command in a box of the profile dev, by default in the current directory. What is
 * scanned, bound and recorded is the command line as a shell would read it, and a shell in the box
 * becomes the program: so its exit status and its signal are those of the run.
 */
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/scope.h"
#include "door/cli/cli.h"
#include "door/cli/own_terminal.h"
#include "live/mounts.h"
#include "show/run_events.h"
#include "show/run_json.h"

/* "exec npm test", each word quoted where a shell would not read it as it is. */
int cli_command_line(struct cli_call *call, const char *program, struct err *err)
{
	struct request *r = &call->request;
	struct arena *a = &call->arena;
	char *line =
		arena_printf(a, "exec %s%s", *program == '-' ? "-- " : "", arena_quote(a, program));

	for (size_t i = 0; i < r->argc && line; i++)
		line = arena_printf(a, "%s %s", line, arena_quote(a, r->argv[i]));
	r->lang = "bash";
	r->file = "command";
	r->code = line ? arena_printf(a, "%s\n", line) : NULL;
	r->argc = 0;
	if (a->failed || !r->code)
		return err_memory(err);
	r->code_len = strlen(r->code);
	return 0;
}

/* In the current directory, where the workspace has it. */
static int choose_directory(struct cli_call *call, struct err *err)
{
	struct request *r = &call->request;
	char cwd[PATH_MAX], real[PATH_MAX];

	if (!getcwd(cwd, sizeof(cwd)))
		return r->workspace ? 0 : err_errno(err, ERR_INPUT, "the current directory");
	if (!r->workspace) {
		r->workspace = arena_dup(&call->arena, cwd);
		r->workspace_mode = WORKSPACE_OVERLAY;
	} else if (realpath(r->workspace, real) && strcmp(cwd, real) != 0 &&
		   path_below(cwd, real)) {
		r->cwd = arena_dup(&call->arena, cwd);
	}
	return 0;
}

static int run_exec(struct cli_call *call)
{
	struct request *r = &call->request;
	struct err err;

	if (call->argc != 1) {
		err_set(&err, ERR_USAGE, "no command is given");
		err_cure(&err, "cordon exec -- npm test");
		return cli_fail(call, &err);
	}
	if (choose_directory(call, &err) < 0 || cli_command_line(call, call->argv[0], &err) < 0)
		return cli_fail(call, &err);
	if (!r->stdin_file && !r->input)
		r->stdin_file = "-";
	call->by_signal = true;
	cli_use_command_limits(call);
	/* Only a live box has terminals. */
	bool can_live = r->tier != TIER_NO_USERNS && r->execution != EXECUTION_SNIPPET;
	if (can_live && !call->json && !call->events && !r->input &&
	    own_terminal_is_wanted(r->stdin_file))
		own_terminal_ask(r);
	return cli_run(call);
}

COMMAND(exec) = {
	.name = "exec",
	.order = 15,
	.synopsis = "[options] -- COMMAND [ARG...]",
	.help = "run one command in a box, in the current directory",
	.example = "cordon exec --diff -- touch new",
	.options = cli_run_options + CLI_RUN_LANG_ROWS,
	.more = cli_code_options,
	.combinations = cli_run_combinations + 1, /* it always has a workspace */
	.exits = cli_run_exits,
	.takes_operands = true,
	.takes_limits = true,
	.runs_commands = true,
	.ahead = cli_begin_box,
	.run = run_exec,
};
