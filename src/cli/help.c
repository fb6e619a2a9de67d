/* SPDX-License-Identifier: MIT
 *
 * Help and manual page, all from the tables: a row that exists is documented.
 */
#include <string.h>

#include "cli/cli.h"
#include "conf/names.h"
#include "conf/profile.h"
#include "conf/units.h"
#include "policy/policy.h"

static const struct {
	char command[16], status[8], meaning[104];
} exits[] = {
	{"run", "N", "the program's own status, whatever it is; --json tells it from those below"},
	{"run", "75", "people are asked; the same call again runs it when they have agreed"},
	{"run", "124", "the time limit was reached"},
	{"run", "125", "Cordon could not run it: wrong usage, or a layer is missing"},
	{"run", "126", "refused: by policy, by people, or no answer came in time"},
	{"run", "128+N", "killed by signal N; 159: for a call on the kill list"},
	{"scan", "0", "clean, or nothing at or above --fail-on"},
	{"scan", "1", "findings at or above --fail-on"},
	{"scan", "2", "wrong usage, or there are no rules"},
	{"scan", "125", "something could not be scanned; what could be was"},
	{"rules", "0", "nothing is wrong"},
	{"rules", "1", "check found errors, or a test failed"},
	{"rules", "2", "wrong usage, or there is no such rule"},
	{"rules", "125", "the rules could not be loaded, fetched or tested"},
	{"policy", "0", "nothing is wrong"},
	{"policy", "1", "check: the policy is wrong"},
	{"policy", "2", "wrong usage"},
	{"policy", "125", "the policy could not be read"},
	{"approvals", "0", "it is done"},
	{"approvals", "2", "wrong usage"},
	{"approvals", "125", "the state directory or a file could not be read or written"},
	{"approvals", "126", "refused: it is over, or you may not"},
	{"conversation", "0", "it is done"},
	{"conversation", "2", "wrong usage"},
	{"conversation", "125",
	 "the state could not be read or written, or there is no such conversation"},
	{"conversation", "126", "refused: the state directory is not yours alone"},
	{"trust", "0", "it is trusted; list: it is done"},
	{"trust", "2", "wrong usage"},
	{"trust", "125", "there is no such directory, or the state could not be read or written"},
	{"trust", "126", "refused: no person agreed; or the state directory is not yours alone"},
	{"untrust", "0", "it is trusted no longer"},
	{"untrust", "2", "wrong usage"},
	{"untrust", "125",
	 "there is no such directory or entry, or the state could not be read or written"},
	{"untrust", "126", "refused: the state directory is not yours alone"},
	{"grant", "0", "it is granted; list, revoke: it is done"},
	{"grant", "2", "wrong usage"},
	{"grant", "125",
	 "there is no such conversation, directory or ticket; the state could not be read or "
	 "written"},
	{"grant", "126", "refused: no person agreed; or the state directory is not yours alone"},
	{"diff", "0", "they are shown; there may be none"},
	{"diff", "2", "wrong usage"},
	{"diff", "125", "no such conversation or directory, or they could not be read"},
	{"diff", "126", "refused: the state directory is not yours alone"},
	{"apply", "0", "each was decided; those that are not allowed wait, and are told"},
	{"apply", "2", "wrong usage"},
	{"apply", "125",
	 "nothing was applied: the directory changed since; or something could not be read or "
	 "written"},
	{"apply", "126",
	 "refused: the conversation is over; or the state directory is not yours alone"},
	{"reset", "0", "they are dropped; there may be none"},
	{"reset", "2", "wrong usage"},
	{"reset", "125", "no such conversation or directory, or they could not be dropped"},
	{"reset", "126", "refused: the state directory is not yours alone"},
	{"ingest", "0", "it is recorded, and released if that was asked for"},
	{"ingest", "2", "wrong usage, or there are no rules"},
	{"ingest", "125",
	 "not read, scanned or recorded: nothing is released; or not all of it is"},
	{"ingest", "126",
	 "refused: a rule withholds the text; or the state directory is not yours alone"},
	{"plan", "0", "the ticket's id is printed"},
	{"plan", "2", "wrong usage"},
	{"plan", "125", "the code, the policy or the state could not be read or written"},
	{"plan", "126",
	 "refused: the conversation is exposed, the code hostile, or an effect not for clean code"},
	{"audit", "0", "it is done; verify: the log is whole"},
	{"audit", "1", "verify: the log is not what it was"},
	{"audit", "2", "wrong usage"},
	{"audit", "125", "the log could not be read or written; trace: there is no such record"},
	{"audit", "126", "refused: the state directory is not yours alone, or not what was signed"},
};

/* Calls EACH for every option of CMD, limits and those of every command included. */
static void each_row(const struct cli_option *o, void (*each)(FILE *to, const struct cli_option *o),
		     FILE *to)
{
	char help[160 + NAMES_MAX], names[NAMES_MAX];

	for (; o && o->name; o++) {
		struct cli_option row = *o;
		if (o->values) {
			snprintf(help, sizeof(help), "%s%s%s", o->values(names, sizeof(names)),
				 *o->help ? "; " : "", o->help);
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
	for (int i = 0; cmd->options == cli_run_options && i < LIMIT_COUNT; i++) {
		const struct limit_row *row = limit_row((enum limit_id)i);
		char value[32];
		snprintf(help, sizeof(help), "%s; default %s", row->help,
			 row->fallback
				 ? units_format(row->unit, row->fallback, value, sizeof(value))
				 : "none");
		struct cli_option o = {row->name, cli_limit_value(row), help, NULL, NULL};
		each(to, &o);
	}
	for (const struct cli_option *o = cli_every_options; o->name; o++)
		each(to, o);
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

void cli_help_all(FILE *to)
{
	fputs("cordon runs code that an agent wrote as if it were hostile.\n\n", to);
	for (unsigned i = 0; cli_command_at(i); i++)
		fprintf(to, "  cordon %-12s %s\n", cli_command_at(i)->name,
			cli_command_at(i)->help);
	fputs("\nTry: cordon run script.py\n     cordon help run\n", to);
}

void cli_help(FILE *to, const struct cli_command *cmd)
{
	fprintf(to, "cordon %s %s\n\n%s.\n\n", cmd->name, cmd->synopsis, cmd->help);
	cli_each_option(cmd, help_option, to);
	fprintf(to, "\nExample: %s\n", cmd->example);
	for (size_t i = 0, n = 0; i < sizeof(exits) / sizeof(exits[0]); i++)
		if (strcmp(exits[i].command, cmd->name) == 0)
			fprintf(to, "%s  %-6s %s\n", n++ ? "" : "\nExit status:\n", exits[i].status,
				exits[i].meaning);
}

/* roff: a minus would become a hyphen, a leading dot a request. */
static void roff(FILE *to, const char *text)
{
	for (; *text; text++)
		if (*text == '-' || *text == '\\')
			fprintf(to, "\\%c", *text);
		else
			fputc(*text, to);
}

static void man_option(FILE *to, const struct cli_option *o)
{
	fputs(".TP\n.B ", to);
	roff(to, cli_dashes(o));
	roff(to, o->name);
	if (o->value) {
		fputs(" \\fI", to);
		roff(to, o->value);
		fputs("\\fR", to);
	}
	fputc('\n', to);
	roff(to, o->help);
	fputc('\n', to);
}

static void man_json(FILE *to)
{
	fputs(".SH JSON\n", to);
	for (unsigned i = 0; cli_object_at(i); i++) {
		const struct cli_object *o = cli_object_at(i);
		for (const struct cli_field *f = o->fields; f->name; f++) {
			fprintf(to, ".TP\n.B %s%s%s\n", o->name, *o->name ? "." : "", f->name);
			roff(to, f->help);
			fputc('\n', to);
		}
	}
}

static void man_policy(FILE *to)
{
	fputs(".SH POLICY\n", to);
	for (unsigned i = 0; policy_key_at(i); i++) {
		const struct policy_key *k = policy_key_at(i);
		fprintf(to, ".TP\n.B %s%s%s\n", k->map, *k->map ? "." : "", k->name);
		roff(to, k->takes);
		fputs("; ", to);
		roff(to, k->help);
		fputc('\n', to);
	}
}

static void man_tables(FILE *to)
{
	fputs(".SH LANGUAGES\n", to);
	for (unsigned i = 0; profile_at(i); i++)
		fprintf(to, ".TP\n.B %s\n%s\n", profile_at(i)->name, profile_at(i)->help);
	fputs(".SH TIERS\n", to);
	for (int i = 0; i < TIER_COUNT; i++)
		fprintf(to, ".TP\n.B %s\n%s\n", tier_row((enum tier)i)->name,
			tier_row((enum tier)i)->help);
	fputs(".SH LAYERS\n", to);
	for (int i = 0; i < LAYER_COUNT; i++)
		fprintf(to, ".TP\n.B %s\n%s\n", layer_row((enum layer)i)->name,
			layer_row((enum layer)i)->help);
	man_policy(to);
	man_json(to);
	fputs(".SH EXIT STATUS\n", to);
	for (size_t i = 0; i < sizeof(exits) / sizeof(exits[0]); i++)
		fprintf(to, ".TP\n.B %s: %s\n%s\n", exits[i].command, exits[i].status,
			exits[i].meaning);
}

int cli_man(struct cli_call *call)
{
	FILE *to = stdout;

	(void)call;
	fputs(".TH CORDON 1\n.SH NAME\ncordon \\- run code as if it were hostile\n.SH SYNOPSIS\n",
	      to);
	for (unsigned i = 0; cli_command_at(i); i++) {
		const char *synopsis = cli_command_at(i)->synopsis;
		fprintf(to, ".B cordon %s\n", cli_command_at(i)->name);
		roff(to, synopsis);
		fputs(*synopsis ? "\n.br\n" : ".br\n", to);
	}
	fputs(".SH COMMANDS\n", to);
	for (unsigned i = 0; cli_command_at(i); i++) {
		const struct cli_command *c = cli_command_at(i);
		fprintf(to, ".SS %s\n%s.\n", c->name, c->help);
		cli_each_option(c, man_option, to);
		fputs(".PP\nExample:\n.B ", to);
		roff(to, c->example);
		fputc('\n', to);
	}
	man_tables(to);
	return 0;
}
