/* SPDX-License-Identifier: MIT
 *
 * cordon rules: finds the verb, loads the rules that it needs, and calls it.
 */
#include "door/cli/rules_command.h"
#include "show/jsonval.h"

#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "detect/usable.h"
#include "show/terminal.h"

CLI_OWN(struct rules_options)

static const struct verb {
	struct cli_verb verb;
	enum {
		RULES_NONE,  /* needs no rules */
		RULES_NAMED, /* those of --rules, or the default packs */
		RULES_HERE,  /* its operands are directories, as with --rules */
		RULES_GIVEN, /* the same, but never the default packs */
	} rules;
	int (*run)(struct rules_view *v);
} verbs[] = {
	{{"list", NULL, 0, 0}, RULES_NAMED, rules_list},
	{{"stats", NULL, 0, 0}, RULES_NAMED, rules_stats},
	{{"show", NULL, 1, 1}, RULES_NAMED, rules_show},
	{{"check", NULL, 0, REQUEST_LIST_MAX}, RULES_GIVEN, rules_check},
	{{"test", NULL, 0, REQUEST_LIST_MAX}, RULES_HERE, rules_test},
	{{"fetch", NULL, 0, 1}, RULES_NONE, rules_fetch},
};

static void tell_places(const struct places *p)
{
	char words[2 * sizeof(struct err)];

	if (!places_note(p, words, sizeof(words)))
		return;
	fputs("cordon: ", stderr);
	terminal_print_text(stderr, words);
	fputc('\n', stderr);
}

static int load(struct rules_view *v, const struct verb *verb, struct err *err)
{
	const char *directory[PACKS_SOURCES_MAX];
	struct packs_options options = {
		.directory = directory,
		.places = places_of_user(&v->set->arena, v->call->state),
		.fresh = v->all,
		.pack = {v->call->strict, v->all, rules_on_report, v},
	};
	size_t here = verb->rules >= RULES_HERE ? (size_t)v->call->argc - 1 : 0;

	if (verb->rules == RULES_NONE)
		return 0;
	tell_places(&options.places);
	/* If the caller names directories, the rules of the configuration are not used. */
	const struct config_list *named = here || verb->rules == RULES_GIVEN
						  ? &v->call->flag_values.rules
						  : &v->call->config.now.rules;
	if (verb->rules == RULES_GIVEN && !here && !named->count) {
		err_set(err, ERR_USAGE, "no directory of rules is given");
		err_cure(err, "cordon rules %s DIR", verb->verb.name);
		return -1;
	}
	for (size_t i = 0; i < here; i++)
		directory[options.directories++] = v->call->argv[1 + i];
	for (size_t i = 0; i < named->count; i++)
		directory[options.directories++] = named->text[i];
	if (packs_load(v->set, &options, err) < 0)
		return -1;
	/* check accepts broken rules. */
	return verb->rules < RULES_HERE || v->pack->errors ? 0 : usable_rules(v->set, err);
}

static int run_rules(struct cli_call *call)
{
	AUTO_FREE struct packs *set = calloc(1, sizeof(*set));
	struct rules_view v = {.call = call,
			       .options = options_of(call),
			       .set = set,
			       .pack = set ? &set->pack : NULL};
	struct err err;
	const struct verb *verb =
		cli_find_verb(call, verbs, ARRAY_SIZE(verbs), sizeof(verbs[0]), &err);

	if (!verb)
		return cli_fail_with(call, CLI_STATUS_USAGE, &err);
	if (!set) {
		err_memory(&err);
		return cli_fail_with(call, CLI_STATUS_FAILED, &err);
	}
	v.all = verb->run == rules_check;
	v.reports = v.all && call->json ? jsonval_array() : NULL;
	int status = CLI_STATUS_FAILED;
	if (load(&v, verb, &err) == 0)
		status = verb->run(&v);
	else
		cli_fail_with(call,
			      status = err.code == ERR_USAGE ? CLI_STATUS_USAGE : CLI_STATUS_FAILED,
			      &err);
	json_decref(v.reports);
	packs_done(set);
	return status;
}

static const struct cli_option rules_options[] = {
	CLI_RULES_ROW,
	CLI_STRICT_ROW,
	CLI_CHOICE(struct rules_options, mode, "mode", "M", detect_mode_name, CLI_MODE_HELP),
	CLI_FLAG(struct rules_options, code_view, "code-view",
		 "test: also read each case as a program"),
	CLI_JSON_ROW,
	{0}};

static const struct cli_exit rules_exits[] = {
	{"0", "no errors"},
	{"1", "check found errors, or a test failed"},
	{"2", "wrong usage, or there is no such rule"},
	{"125", "the rules could not be loaded, fetched or tested"},
	{"", ""}};

static const struct cli_combination rules_combinations[] = {
	{"mode, code-view", ONLY_FOR, "test"}, {"rules, strict", NOT_FOR, "fetch"}, {0}};

COMMAND(rules) = {
	.name = "rules",
	.order = 40,
	.synopsis = "list|stats|show ID|check DIR...|test DIR...|fetch [VERSION] [options]",
	.help = "list, show, check, test and fetch rules",
	.example = "cordon rules test rules",
	.options = rules_options,
	.combinations = rules_combinations,
	.exits = rules_exits,
	.usage_status = 2,
	.takes_operands = true,
	.run = run_rules,
};
