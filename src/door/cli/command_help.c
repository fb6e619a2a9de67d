/* SPDX-License-Identifier: MIT
 *
 * cordon help.
 */
#include "door/cli/cli.h"

static int help(struct cli_call *call)
{
	const struct cli_command *cmd =
		call->argc == 1 ? cli_find_command(call->commands, call->argv[0]) : NULL;
	struct err err;

	if (cmd)
		cli_help(stdout, cmd);
	else if (call->argc == 0)
		cli_help_all(call->commands, stdout);
	if (cmd || call->argc == 0)
		return 0;
	if (call->argc > 1)
		err_set(&err, ERR_USAGE, "only one command is accepted");
	else
		cli_no_such_command(call->commands, call->argv[0], &err);
	return cli_fail(call, &err);
}

COMMAND(help) = {
	.name = "help",
	.order = 220,
	.synopsis = "[COMMAND]",
	.help = "show a command's options, example and exit status",
	.example = "cordon help run",
	.takes_operands = true,
	.runs_unconfigured = true,
	.run = help,
};
