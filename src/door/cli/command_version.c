/* SPDX-License-Identifier: MIT
 *
 * cordon version.
 */
#include "base/version.h"
#include "door/cli/cli.h"

static int print_version(struct cli_call *call)
{
	(void)call;
	puts("cordon " CORDON_VERSION);
	return 0;
}

COMMAND(version) = {
	.name = "version",
	.order = 190,
	.synopsis = "",
	.help = "print the version",
	.example = "cordon version",
	.runs_unconfigured = true,
	.run = print_version,
};
