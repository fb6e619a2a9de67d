/* SPDX-License-Identifier: MIT
 *
 * The help, made from the commands: a row that exists is documented.
 */
#include <string.h>

#include "base/nearest.h"
#include "base/scope.h"
#include "conf/name_list.h"
#include "conf/units.h"
#include "door/cli/cli.h"
#include "door/cli/open_state.h"
#include "trust/signers.h"

static void each_row(const struct cli_option *o, void (*each)(FILE *to, const struct cli_option *o),
		     FILE *to)
{
	char help[160 + NAMES_MAX], names[NAMES_MAX];

	for (; o && o->name; o++) {
		struct cli_option row = *o;
		if (o->choice) {
			snprintf(help, sizeof(help), "%s%s%s",
				 names_join(o->choice, names, sizeof(names)), *o->help ? "; " : "",
				 o->help);
			row.help = help;
		}
		each(to, &row);
	}
}

void cli_each_option(const struct cli_command *cmd,
		     void (*each)(FILE *to, const struct cli_option *o), FILE *to)
{
	char help[160 + NAMES_MAX];

	each_row(cmd->options, each, to);
	each_row(cmd->more, each, to);
	for (int i = 0; cmd->takes_limits && i < LIMIT_COUNT; i++) {
		const struct limit_row *row = limit_row((enum limit_id)i);
		char value[32];
		uint64_t usual = limit_default((enum limit_id)i, cmd->runs_commands);
		snprintf(help, sizeof(help), "%s; default %s", row->help,
			 usual ? units_format(row->unit, usual, value, sizeof(value)) : "none");
		struct cli_option o = cli_limit_option(row);
		o.help = help;
		each(to, &o);
	}
	for (const struct cli_option *o = cli_every_options; o->name; o++)
		each(to, o);
}

/* The number of commands that come before CMD. */
static unsigned rank_of(const struct cli_command *const *commands, const struct cli_command *cmd)
{
	unsigned rank = 0;

	for (; *commands; commands++)
		rank += (*commands)->order < cmd->order ||
			((*commands)->order == cmd->order && *commands < cmd);
	return rank;
}

const struct cli_command *cli_command_at(const struct cli_command *const *commands, unsigned i)
{
	for (const struct cli_command *const *at = commands; *at; at++)
		if (rank_of(commands, *at) == i)
			return *at;
	return NULL;
}

const struct cli_command *cli_find_command(const struct cli_command *const *commands,
					   const char *name)
{
	for (; *commands; commands++)
		if (strcmp((*commands)->name, name) == 0)
			return *commands;
	return NULL;
}

void cli_no_such_command(const struct cli_command *const *commands, const char *word,
			 struct err *err)
{
	struct nearest n = nearest_begin(word, strlen(word));

	for (unsigned i = 0; cli_command_at(commands, i); i++)
		nearest_try(&n, cli_command_at(commands, i)->name);
	err_set(err, ERR_USAGE, "there is no command \"%.64s\"", word);
	nearest_say(err, "cordon ", n.name);
	err_cure(err, "cordon --help lists them");
}

enum { HELP_COLUMN = 23 };

static void help_option(FILE *to, const struct cli_option *o)
{
	char left[64];
	int len = snprintf(left, sizeof(left), "%s%s%s%s", cli_dashes(o), o->name,
			   o->value ? " " : "", o->value ? o->value : "");

	fprintf(to, "  %-*s", HELP_COLUMN, left);
	if (len >= HELP_COLUMN)
		fprintf(to, "\n  %-*s", HELP_COLUMN, "");
	fprintf(to, "%s\n", o->help);
}

void cli_help_all(const struct cli_command *const *commands, FILE *to)
{
	fputs("cordon runs code that an agent wrote as if it were hostile.\n\n", to);
	for (unsigned i = 0; cli_command_at(commands, i); i++)
		fprintf(to, "  cordon %-12s %s\n", cli_command_at(commands, i)->name,
			cli_command_at(commands, i)->help);
	fputs("\nTry: cordon run script.py\n     cordon help run\n", to);
}

void cli_help(FILE *to, const struct cli_command *cmd)
{
	fprintf(to, "cordon %s%s%s\n\n%s.\n\n", cmd->name, *cmd->synopsis ? " " : "", cmd->synopsis,
		cmd->help);
	cli_each_option(cmd, help_option, to);
	fprintf(to, "\nExample: %s\n", cmd->example);
	fputs(cmd->exits ? "\nExit status:\n" : "", to);
	for (const struct cli_exit *e = cmd->exits; e && *e->status; e++)
		fprintf(to, "  %-6s %s\n", e->status, e->meaning);
}
