/* SPDX-License-Identifier: MIT
 *
 * cordon man: the manual page, made from the tables. A row that exists is documented.
 */
#include <string.h>

#include "base/scope.h"
#include "conf/profile.h"
#include "conf/units.h"
#include "door/cli/cli.h"
#include "gate/gate_state.h"
#include "policy/policy.h"
#include "rule/vocab.h"
#include "trust/signers.h"

/* Variables that are not keys of the configuration. */
static const struct word variables[] = {
	{CONFIG_STORE_URL, "a PostgreSQL server that keeps the log, postgres://..."},
	{"CORDON_BINARY", "the program that the Python client starts"},
	{"XDG_CONFIG_HOME", "where the user's configuration is; else ~/.config"},
	{"XDG_STATE_HOME", "where the state is; else ~/.local/state, for root /var/lib"},
	{"XDG_DATA_HOME", "where fetched rules are; else ~/.local/share"},
	{"XDG_CACHE_HOME", "where compiled rules are; else ~/.cache"},
	{"NO_COLOR", "if it is set, no colour"},
};

static const struct word files[] = {
	{CONFIG_FILE, "the operator's configuration; only root may be able to change it"},
	{SIGNERS_FILE, "the people whom root enrolled, with their SSH keys"},
	{"~/.config/cordon/config.yaml", "the user's configuration"},
	{"~/.local/state/cordon", "the state directory; of root /var/lib/cordon; mode 0700"},
	{"~/.local/state/cordon/log.db", "the log and the gate's items, an SQLite database"},
	{"~/.local/state/cordon/heads", "a line for each transaction of the log"},
	{"~/.local/state/cordon/log.key", "the secret key that signs the log"},
	{"~/.local/state/cordon/hash.key", "the secret key of the hashes in the log"},
	{"~/.local/state/cordon/keeper", "the socket of cordon-keeper, while there is a live box"},
	{"~/.local/state/cordon/overlays", "pending changes"},
	{"~/.local/state/cordon/" STATE_URL_FILE,
	 "one line, the PostgreSQL server that keeps the log"},
	{"~/.local/share/cordon/rules", "fetched rules"},
	{CORDON_SHARE "/rules", "the built-in rules"},
	{"~/.cache/cordon", "compiled rules; it can be removed"},
};

/* roff makes a hyphen of a minus, and a request of a leading dot. */
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

static void man_json(FILE *to, const struct cli_command *const *commands)
{
	fputs(".SH JSON\n", to);
	for (unsigned i = 0; cli_command_at(commands, i); i++)
		for (const struct json_doc *const *d = cli_command_at(commands, i)->docs; *d; d++)
			for (const struct json_doc *o = *d; o->name; o++)
				for (const struct json_field *f = o->fields; f->name; f++) {
					fprintf(to, ".TP\n.B %s%s%s\n", o->name,
						*o->name ? "." : "", f->name);
					roff(to, f->help);
					fputc('\n', to);
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

static void man_row(FILE *to, const char *name, const char *what)
{
	fputs(".TP\n.B ", to);
	roff(to, name);
	fputc('\n', to);
	roff(to, what);
	fputc('\n', to);
}

static void man_config(FILE *to)
{
	struct arena arena = {0};
	struct config_key k;
	const char *last = "";

	fputs(".SH CONFIGURATION\n", to);
	for (unsigned i = 0; config_key_at(i, &arena, &k); i++)
		man_row(to, k.name,
			arena_printf(&arena, "%s; %s%s%s", k.takes, k.help,
				     k.fallback ? "; default " : "", k.fallback ? k.fallback : ""));
	fputs(".SH ENVIRONMENT\n", to);
	for (unsigned i = 0; config_key_at(i, &arena, &k); i++)
		if (k.variable && strcmp(k.variable, last) != 0)
			man_row(to, last = k.variable,
				arena_printf(&arena, "%s of the configuration", k.name));
	for (size_t i = 0; i < ARRAY_SIZE(variables); i++)
		man_row(to, variables[i].name, variables[i].help);
	fputs(".SH FILES\n", to);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		man_row(to, files[i].name, files[i].help);
	arena_done(&arena);
}

/* The words of the rule format, under a heading for each field that takes them. */
static void man_rules(FILE *to)
{
	static const char *const places[VOCAB_COUNT] = {
		[VOCAB_SEVERITY] = "severity",
		[VOCAB_STATUS] = "status",
		[VOCAB_MATURITY] = "maturity",
		[VOCAB_LANE] = "lane",
		[VOCAB_SOURCE] = "agent_source.type",
		[VOCAB_EVENT] = "type of an event",
		[VOCAB_FIELD] = "field",
		[VOCAB_OPERATOR] = "operator",
		[VOCAB_COMPARE] = "operator of a metric",
		[VOCAB_METHOD] = "detection.method",
		[VOCAB_TARGET] = "tags.scan_target",
		[VOCAB_CONFIDENCE] = "tags.confidence",
		[VOCAB_ACTION] = "response.actions",
		[VOCAB_CATEGORY] = "tags.category",
		[VOCAB_INDICATOR] = "type of an indicator",
	};

	fputs(".SH RULE FORMAT\n", to);
	for (int v = 0; v < VOCAB_COUNT; v++) {
		fprintf(to, ".SS %s\n", places[v]);
		for (unsigned i = 0; vocab_at((enum vocab)v, i); i++)
			man_row(to, vocab_at((enum vocab)v, i)->name,
				vocab_at((enum vocab)v, i)->help);
	}
}

static void man_limits(FILE *to)
{
	fputs(".SH LIMITS\n", to);
	for (int i = 0; i < LIMIT_COUNT; i++) {
		const struct limit_row *row = limit_row((enum limit_id)i);
		char fallback[32] = "none", command[32], least[32], most[32];
		if (row->fallback)
			units_format(row->unit, row->fallback, fallback, sizeof(fallback));
		units_format(row->unit, row->min, least, sizeof(least));
		units_format(row->unit, row->max, most, sizeof(most));
		fprintf(to, ".TP\n.B %s\n", row->name);
		roff(to, row->help);
		fprintf(to, "; default %s", fallback);
		if (row->command)
			fprintf(to, ", of cordon exec and cordon box %s",
				units_format(row->unit, row->command, command, sizeof(command)));
		fprintf(to, "; at least %s, at most %s\n", least, most);
	}
}

static void man_examples(FILE *to, const struct cli_command *const *commands)
{
	fputs(".SH EXAMPLES\n", to);
	for (unsigned i = 0; cli_command_at(commands, i); i++) {
		const struct cli_command *c = cli_command_at(commands, i);
		man_row(to, c->example, c->help);
	}
}

static void man_tables(FILE *to, const struct cli_command *const *commands)
{
	man_limits(to);
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
	man_config(to);
	man_rules(to);
	man_json(to, commands);
	fputs(".SH EXIT STATUS\n", to);
	for (unsigned i = 0; cli_command_at(commands, i); i++) {
		const struct cli_command *c = cli_command_at(commands, i);
		for (const struct cli_exit *e = c->exits; e && *e->status; e++)
			fprintf(to, ".TP\n.B %s: %s\n%s\n", c->name, e->status, e->meaning);
	}
}

static int print_man(struct cli_call *call)
{
	const struct cli_command *const *commands = call->commands;
	FILE *to = stdout;

	fputs(".TH CORDON 1\n.SH NAME\ncordon \\- run code as if it were hostile\n.SH SYNOPSIS\n",
	      to);
	for (unsigned i = 0; cli_command_at(commands, i); i++) {
		const char *synopsis = cli_command_at(commands, i)->synopsis;
		fprintf(to, ".B cordon %s\n", cli_command_at(commands, i)->name);
		roff(to, synopsis);
		fputs(*synopsis ? "\n.br\n" : ".br\n", to);
	}
	fputs(".SH COMMANDS\n", to);
	for (unsigned i = 0; cli_command_at(commands, i); i++) {
		const struct cli_command *c = cli_command_at(commands, i);
		fprintf(to, ".SS %s\n%s.\n", c->name, c->help);
		cli_each_option(c, man_option, to);
	}
	man_tables(to, commands);
	man_examples(to, commands);
	return 0;
}

COMMAND(man) = {
	.name = "man",
	.order = 200,
	.synopsis = "",
	.help = "print the manual page",
	.example = "cordon man | man -l -",
	.runs_unconfigured = true,
	.run = print_man,
};
