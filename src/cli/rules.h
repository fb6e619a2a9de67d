/* SPDX-License-Identifier: MIT
 *
 * What the verbs of `cordon rules` share: one function a verb, and how they speak. Titles and
 * files' names are data from outside: what a person sees of them has nothing that a terminal would
 * obey.
 */
#ifndef CORDON_CLI_RULES_H
#define CORDON_CLI_RULES_H

#include <jansson.h>

#include "cli/cli.h"
#include "flow/packs.h"

enum { STATUS_FOUND = 1, STATUS_USAGE = 2, STATUS_FAILED = 125 };

struct rules_view {
	struct cli_call *call;
	struct packs *set;
	struct pack *pack; /* the set's */
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
/* Tells of patterns that are no expressions, once the set is compiled. -1: it is strict, and there are
 * some. */
int rules_tell_dead(struct rules_view *v, struct err *err);
const char *rules_word(enum vocab vocab, unsigned i);
/* A file's name may be any bytes; in JSON those that are no UTF-8 leave the name out. */
json_t *rules_name_json(const char *s);
/* Prints J and lets go of it. 0 or STATUS_FAILED. */
int rules_print_json(json_t *j);
/* Whoever asked for JSON gets JSON. Returns STATUS. */
int rules_fail(const struct cli_call *call, int status, const struct err *err);

#endif
