/* SPDX-License-Identifier: MIT
 *
 * The result of a run as one JSON object.
 */
#ifndef CORDON_SHOW_RUN_JSON_H
#define CORDON_SHOW_RUN_JSON_H

#include "model/layer.h"
#include "model/report.h"
#include "model/result.h"
#include "show/jsonval.h"

json_t *run_json(const struct result *r, enum tier tier);
void run_json_print(const struct result *r, enum tier tier);
/* The same at the end of a stream of events, which has the output already. */
json_t *run_json_without_output(const struct result *r, enum tier tier);
/* What became of each effect. */
json_t *run_effects_json(const struct report *r);

extern const struct json_field run_denial_fields[], run_effect_fields[];
/* For the manual page. */
extern const struct json_doc run_docs[];

#endif
