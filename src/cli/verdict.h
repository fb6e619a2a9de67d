/* SPDX-License-Identifier: MIT
 *
 * What the gate said, as every JSON object around it has it: one table of fields. A field that has no
 * value where it stands is null, or an empty list.
 */
#ifndef CORDON_CLI_VERDICT_H
#define CORDON_CLI_VERDICT_H

#include <jansson.h>

#include "cli/cli.h"
#include "model/report.h"

/* All zero: nothing. Lists may have GRADE_COUNT, FROM_COUNT and NULL where nobody knows. */
struct verdict_said {
	const char *verdict, *origin; /* names; or NULL */
	const struct report_tie *tie;
	const struct report_finding *finding;
	size_t tiec, findingc;
	const char *ref, *id; /* its name in the log: REF:ID; ID NULL: it has none */
};

extern const struct cli_field verdict_fields[], verdict_tie_fields[], verdict_rule_fields[],
	verdict_record_fields[];

/* Adds them to O. */
void verdict_add(json_t *o, const struct verdict_said *said);
/* FIELDS of OF, with what was said, on standard output. */
void verdict_print(const struct cli_field *fields, const void *of, const struct verdict_said *said);
/* What a report says; R may be NULL. */
struct verdict_said verdict_of_report(const struct report *r);

/* A record of the log by number and hash; or null. */
json_t *verdict_record_json(const struct report_record *r);

#endif
