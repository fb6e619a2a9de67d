/* SPDX-License-Identifier: MIT
 *
 * cordon completion: prints completion scripts, made from the same structs as the help. There is
 * one function for each shell.
 */
#include <string.h>

#include "base/scope.h"
#include "door/cli/cli.h"

static void bash_option(FILE *to, const struct cli_option *o)
{
	fprintf(to, " %s%s", cli_dashes(o), o->name);
}

static void print_bash(FILE *to, const struct cli_command *const *commands)
{
	fputs("_cordon()\n{\n\tlocal cur=${COMP_WORDS[COMP_CWORD]}\n"
	      "\tif [ \"$COMP_CWORD\" = 1 ]; then\n\t\tCOMPREPLY=($(compgen -W '",
	      to);
	for (unsigned i = 0; cli_command_at(commands, i); i++)
		fprintf(to, "%s%s", i ? " " : "", cli_command_at(commands, i)->name);
	fputs("' -- \"$cur\"))\n\t\treturn\n\tfi\n\tcase ${COMP_WORDS[1]} in\n", to);
	for (unsigned i = 0; cli_command_at(commands, i); i++) {
		fprintf(to, "\t%s) COMPREPLY=($(compgen -W '", cli_command_at(commands, i)->name);
		cli_each_option(cli_command_at(commands, i), bash_option, to);
		fputs("' -- \"$cur\") $(compgen -f -- \"$cur\")) ;;\n", to);
	}
	fputs("\tesac\n}\ncomplete -o filenames -F _cordon cordon\n", to);
}

/* Escapes the syntax of zsh's _arguments inside quotes. */
static void zsh_text(FILE *to, const char *text)
{
	for (; *text; text++)
		if (*text == '\'')
			fputs("'\\''", to);
		else if (strchr("[]:\\", *text))
			fprintf(to, "\\%c", *text);
		else
			fputc(*text, to);
}

static void zsh_option(FILE *to, const struct cli_option *o)
{
	fprintf(to, "\t\t\t'*%s%s%s[", cli_dashes(o), o->name,
		!o->value    ? ""
		: o->name[1] ? "="
			     : "+");
	zsh_text(to, o->help);
	fputc(']', to);
	if (o->value) {
		fputc(':', to);
		zsh_text(to, o->value);
		fputs(":_files", to);
	}
	fputs("' \\\n", to);
}

static void print_zsh(FILE *to, const struct cli_command *const *commands)
{
	fputs("#compdef cordon\n_cordon()\n{\n\tlocal -a commands\n\tcommands=(\n", to);
	for (unsigned i = 0; cli_command_at(commands, i); i++) {
		fprintf(to, "\t\t'%s:", cli_command_at(commands, i)->name);
		zsh_text(to, cli_command_at(commands, i)->help);
		fputs("'\n", to);
	}
	fputs("\t)\n\tif (( CURRENT == 2 )); then\n\t\t_describe command "
	      "commands\n\t\treturn\n\tfi\n"
	      "\tlocal command=$words[2]\n\tshift words\n\t(( CURRENT-- ))\n\tcase $command in\n",
	      to);
	for (unsigned i = 0; cli_command_at(commands, i); i++) {
		fprintf(to, "\t%s)\n\t\t_arguments \\\n", cli_command_at(commands, i)->name);
		cli_each_option(cli_command_at(commands, i), zsh_option, to);
		fputs("\t\t\t'*:file:_files'\n\t\t;;\n", to);
	}
	fputs("\tesac\n}\n"
	      "if [ \"$funcstack[1]\" = _cordon ]; then\n\t_cordon \"$@\"\nelse\n"
	      "\tcompdef _cordon cordon\nfi\n",
	      to);
}

static const struct {
	const char *name;
	void (*print)(FILE *to, const struct cli_command *const *commands);
} shells[] = {{"bash", print_bash}, {"zsh", print_zsh}};

static int print_completion(struct cli_call *call)
{
	const char *asked = call->argc ? call->argv[0] : shells[0].name;
	struct err err;

	for (size_t i = 0; call->argc < 2 && i < ARRAY_SIZE(shells); i++)
		if (strcmp(shells[i].name, asked) == 0) {
			shells[i].print(stdout, call->commands);
			return 0;
		}
	if (call->argc > 1)
		err_set(&err, ERR_USAGE, "only one shell is accepted");
	else
		err_set(&err, ERR_USAGE, "there is no completion for \"%.64s\" (bash or zsh)",
			asked);
	return cli_fail(call, &err);
}

COMMAND(completion) = {
	.name = "completion",
	.order = 210,
	.synopsis = "[bash|zsh]",
	.help = "print the completion script for a shell; for bash, if none is named",
	.example = "source <(cordon completion bash)",
	.takes_operands = true,
	.runs_unconfigured = true,
	.run = print_completion,
};
