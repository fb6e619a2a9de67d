/* SPDX-License-Identifier: MIT
 *
 * Every command. make writes one ROW(name) for each line COMMAND(name) of src/door/cli/ to
 * command_list.h.
 */
#include "door/cli/cli.h"

#define ROW(name) extern COMMAND(name);
#include "command_list.h"
#undef ROW

const struct cli_command *const cli_commands[] = {
#define ROW(name) &command_##name,
#include "command_list.h"
#undef ROW
	NULL};
