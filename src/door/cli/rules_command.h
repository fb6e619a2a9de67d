/* SPDX-License-Identifier: MIT
 *
 * What the verbs of `cordon rules` share. Titles and file names come from outside: they are escaped
 * for people.
 */
#ifndef CORDON_CLI_RULES_COMMAND_H
#define CORDON_CLI_RULES_COMMAND_H

#include <jansson.h>

#include "detect/packs.h"
#include "door/cli/cli.h"

struct rules_options {
	unsigned mode;
	bool code_view;
};

struct rules_view {
	struct cli_call *call;
	const struct rules_options *options;
	struct packs *set;
	struct pack *pack; /* part of SET */
	json_t *reports;   /* or NULL */
	bool all;	   /* check: warnings too, on standard output */
};

/* The verbs. Each returns the exit status. */
int rules_list(struct rules_view *v);
int rules_show(struct rules_view *v);
int rules_check(struct rules_view *v);
int rules_stats(struct rules_view *v);
int rules_test(struct rules_view *v);
int rules_fetch(struct rules_view *v);

/* rules_show.c */
void rules_on_report(void *context, const struct rule_report *r);
/* Reports patterns that are not regular expressions, after the set is compiled. Returns -1 if
 * there are any and --strict is given. */
int rules_tell_dead(struct rules_view *v, struct err *err);
const char *rules_word(enum vocab vocab, unsigned i);
/* A file name with invalid UTF-8 becomes null. */
json_t *rules_name_json(const char *s);
/* Prints and frees J. Returns 0 or CLI_STATUS_FAILED. */
int rules_print_json(json_t *j);

#endif
