/* SPDX-License-Identifier: MIT
 *
 * cordon rules convert: every rule in another system's words; what cannot be said there is told on
 * standard error, a line each, and by the exit status: whoever goes on must know of the gap.
 * Deprecated rules and drafts are not converted: they do not run here either.
 */
#include "cli/convert.h"
#include "cli/rules.h"

static size_t tell_left_out(const struct rule *rule, const struct err *err)
{
	fputs("cordon: ", stderr);
	cli_print_text(stderr, rule->id);
	fputs(" is left out: ", stderr);
	cli_print_text(stderr, err->message);
	fputc('\n', stderr);
	return 1;
}

/* Returns how many things it does not say there. */
static size_t tell_lost(const struct convert_target *to, const struct rule *rule)
{
	char note[CONVERT_NOTE_MAX];
	size_t lost = 0;

	for (size_t i = 0; !to->is_whole && i < rule->conditionc; i++) {
		if (!convert_note(rule, i, note))
			continue;
		lost++;
		fputs("cordon: ", stderr);
		cli_print_text(stderr, rule->id);
		fputs(" finds more there: ", stderr);
		cli_print_text(stderr, note);
		fputc('\n', stderr);
	}
	return lost;
}

static void add(const struct cli_call *call, const struct convert_target *to, json_t *made,
		const char *id, json_t *all)
{
	if (!to->is_text) {
		json_array_append(all, made);
	} else if (call->json) {
		json_array_append_new(all, json_pack("{s:s, s:O}", "id", id, "query", made));
	} else {
		fwrite(json_string_value(made), 1, json_string_length(made), stdout);
		fputs("\n\n", stdout);
	}
}

int rules_convert(struct rules_view *v)
{
	const struct convert_target *to = v->call->scan.to;
	json_t *all = json_array();
	size_t left_out = 0;
	struct err err;

	if (!to) {
		json_decref(all);
		err_set(&err, ERR_USAGE, "convert to what?");
		err_cure(&err, "--to json, splunk or elastic");
		return rules_fail(v->call, STATUS_USAGE, &err);
	}
	for (size_t i = 0; i < v->pack->rulec; i++) {
		const struct rule *rule = &v->pack->rule[i];
		if (!rule_is_live(rule, LANE_HUNT))
			continue;
		json_t *made = to->make(rule, &err);
		if (made)
			add(v->call, to, made, rule->id, all);
		left_out += made ? tell_lost(to, rule) : tell_left_out(rule, &err);
		json_decref(made);
	}
	if (to->is_text && !v->call->json)
		json_decref(all);
	else if (rules_print_json(all) != 0)
		return STATUS_FAILED;
	return left_out ? STATUS_FOUND : 0;
}
