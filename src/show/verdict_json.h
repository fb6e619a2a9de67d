/* SPDX-License-Identifier: MIT
 *
 * The gate's verdict as JSON fields, the same in every object that has them. A field without a
 * value is null or an empty list.
 */
#ifndef CORDON_SHOW_VERDICT_H
#define CORDON_SHOW_VERDICT_H

#include <jansson.h>

#include "model/report.h"
#include "show/jsonval.h"

/* All zero: no verdict. In lists, GRADE_COUNT, FROM_COUNT and NULL mean unknown. */
struct verdict_view {
	const char *verdict, *origin; /* names; or NULL */
	const struct report_tie *tie;
	const struct report_finding *finding;
	size_t tiec, findingc;
	const char *ref, *id; /* its name in the log: REF:ID; ID NULL: it has none */
};

extern const struct json_field verdict_fields[], verdict_tie_fields[], verdict_rule_fields[],
	verdict_record_fields[];

/* Adds the fields to O. */
void verdict_add(json_t *o, const struct verdict_view *view);
/* Prints FIELDS of OF with the verdict's fields. */
void verdict_print(const struct json_field *fields, const void *of,
		   const struct verdict_view *view);
/* The verdict in a report; R may be NULL. */
struct verdict_view verdict_of_report(const struct report *r);

/* A record of the log by number and hash; or null. */
json_t *verdict_record_json(const struct report_record *r);

#endif
