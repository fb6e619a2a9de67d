/* SPDX-License-Identifier: MIT
 *
 * cordon doctor: for every layer, whether it holds here, shown by trying what it must stop.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "cli/jsonval.h"
#include "flow/doctor.h"

static void print_people(const struct doctor *d)
{
	for (int l = 0; l < LAYER_COUNT; l++) {
		const struct wire_probe *p = &d->probe[l];
		const struct layer_row *row = layer_row((enum layer)l);
		printf("  %-9s %s  %s\n", row->name, p->active ? "holds  " : "MISSING", row->help);
		if (!p->active && p->cause[0])
			printf("  %-9s          because: %s\n", "", p->cause);
		if (!p->active && p->cure[0])
			printf("  %-9s          try: %s\n", "", p->cure);
	}
	puts("");
	for (int t = 0; t < TIER_COUNT; t++)
		printf("  --tier %-10s %s%s%s\n", tier_row((enum tier)t)->name,
		       d->works[t] ? "works here" : "does not work here", d->works[t] ? "" : "; ",
		       d->cause[t]);
}

static void print_json(const struct doctor *d)
{
	json_t *layers = json_object(), *tiers = json_object(), *causes = json_object();

	for (int l = 0; l < LAYER_COUNT; l++) {
		const struct wire_probe *p = &d->probe[l];
		json_object_set_new(layers, layer_row((enum layer)l)->name,
				    json_pack("{s:b, s:s, s:s}", "holds", p->active, "cause",
					      p->cause, "cure", p->cure));
	}
	for (int t = 0; t < TIER_COUNT; t++) {
		const char *name = tier_row((enum tier)t)->name;
		json_object_set_new(tiers, name, json_boolean(d->works[t]));
		if (!d->works[t])
			json_object_set_new(causes, name, json_string(d->cause[t]));
	}
	json_t *o = json_pack("{s:o, s:o, s:o}", "layers", layers, "tiers", tiers, "tier_causes",
			      causes);
	jsonval_dump(o, 0);
}

/* 0: the default tier works here; 125: it does not. */
int cli_doctor(struct cli_call *call)
{
	AUTO_FREE struct doctor *d = calloc(1, sizeof(*d));
	struct err err;

	if (!d)
		return 125;
	if (doctor_run(d, &err) < 0)
		return cli_fail(call, &err);
	if (call->json)
		print_json(d);
	else
		print_people(d);
	return d->works[TIER_FULL] ? 0 : 125;
}
