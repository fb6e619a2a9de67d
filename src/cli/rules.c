/* SPDX-License-Identifier: MIT
 *
 * cordon rules: one row per verb. Finds the verb, loads the rules it wants, calls it.
 */
#include "cli/rules.h"
#include "cli/jsonval.h"
#include "cli/verb.h"

#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "conf/names.h"
#include "flow/usable.h"

static const struct verb {
	struct cli_verb verb;
	const char *usage;
	enum {
		RULES_NONE,  /* it needs none */
		RULES_NAMED, /* those of --rules, or the default packs */
		RULES_HERE,  /* its operands are directories, as with --rules */
		RULES_GIVEN, /* the same, and it does not take the default packs */
	} rules;
	int (*run)(struct rules_view *v);
} verbs[] = {
	{{"list", NULL, 0, 0}, "list", RULES_NAMED, rules_list},
	{{"stats", NULL, 0, 0}, "stats", RULES_NAMED, rules_stats},
	{{"show", NULL, 1, 1}, "show ID", RULES_NAMED, rules_show},
	{{"check", NULL, 0, REQUEST_LIST_MAX}, "check DIR", RULES_GIVEN, rules_check},
	{{"test", NULL, 0, REQUEST_LIST_MAX}, "test DIR", RULES_HERE, rules_test},
	{{"fetch", NULL, 0, 1}, "fetch", RULES_NONE, rules_fetch},
};

static const char *usage_at(unsigned i)
{
	return i < ARRAY_SIZE(verbs) ? verbs[i].usage : NULL;
}

static const struct verb *verb_named(const char *name)
{
	for (size_t i = 0; name && i < ARRAY_SIZE(verbs); i++)
		if (strcmp(verbs[i].verb.name, name) == 0)
			return &verbs[i];
	return NULL;
}

/* What is wrong with a call that names no verb, or gives it too much or too little. */
static void complain(const struct cli_call *call, struct err *err)
{
	const char *name = call->argc ? call->argv[0] : NULL;
	const struct verb *verb = verb_named(name);
	char usages[NAMES_MAX];

	if (verb) {
		err_set(err, ERR_USAGE, "rules %s: too %s operands", name,
			call->argc - 1 < verb->verb.least ? "few" : "many");
		err_cure(err, "cordon rules %s", verb->usage);
		return;
	}
	if (name)
		err_set(err, ERR_USAGE, "rules: there is no \"%.32s\"", name);
	else
		err_set(err, ERR_USAGE, "missing verb");
	err_cure(err, "cordon rules %s; cordon rules --help",
		 names_join(usage_at, usages, sizeof(usages)));
}

static const struct verb *verb_of(const struct cli_call *call, struct err *err)
{
	const struct verb *verb = cli_find_verb(call, verbs, ARRAY_SIZE(verbs), sizeof(verbs[0]));

	if (!verb)
		complain(call, err);
	return verb;
}

static void tell_places(const struct places *p)
{
	char words[2 * sizeof(struct err)];

	if (!places_note(p, words, sizeof(words)))
		return;
	fputs("cordon: ", stderr);
	cli_print_text(stderr, words);
	fputc('\n', stderr);
}

static int load(struct rules_view *v, const struct verb *verb, struct err *err)
{
	const char *directory[PACKS_SOURCES_MAX];
	struct packs_options options = {
		.directory = directory,
		.places = places_of_user(&v->set->arena, NULL),
		.fresh = v->all,
		.pack = {v->call->strict, v->all, rules_on_report, v},
	};
	size_t here = verb->rules >= RULES_HERE ? (size_t)v->call->argc - 1 : 0;

	if (verb->rules == RULES_NONE)
		return 0;
	tell_places(&options.places);
	if (verb->rules == RULES_GIVEN && !here && !v->call->rulesc) {
		err_set(err, ERR_USAGE, "which rules?");
		err_cure(err, "cordon rules %s DIR", verb->verb.name);
		return -1;
	}
	for (size_t i = 0; i < here; i++)
		directory[options.directories++] = v->call->argv[1 + i];
	for (size_t i = 0; i < v->call->rulesc; i++)
		directory[options.directories++] = v->call->rules[i];
	if (packs_load(v->set, &options, err) < 0)
		return -1;
	/* To check what is broken is what that is for. */
	return verb->rules < RULES_HERE || v->pack->errors ? 0 : usable_rules(v->set, err);
}

int cli_rules(struct cli_call *call)
{
	AUTO_FREE struct packs *set = calloc(1, sizeof(*set));
	struct rules_view v = {.call = call, .set = set, .pack = set ? &set->pack : NULL};
	struct err err;
	const struct verb *verb = verb_of(call, &err);

	if (!verb)
		return rules_fail(call, STATUS_USAGE, &err);
	if (!set) {
		err_memory(&err);
		return rules_fail(call, STATUS_FAILED, &err);
	}
	v.all = verb->run == rules_check;
	v.reports = v.all && call->json ? jsonval_array() : NULL;
	int status = STATUS_FAILED;
	if (load(&v, verb, &err) == 0)
		status = verb->run(&v);
	else
		rules_fail(call, status = err.code == ERR_USAGE ? STATUS_USAGE : STATUS_FAILED,
			   &err);
	json_decref(v.reports);
	packs_done(set);
	return status;
}
