/* SPDX-License-Identifier: MIT
 *
 * Asks whether rules can find anything at all: a directory that is empty, holds only broken rules,
 * or none that is live in the lane, would call everything clean. Rules that measure need no
 * pattern, so their absence alone says nothing.
 */
#include "detect/usable.h"

int usable_rules(const struct packs *set, struct err *err)
{
	if (set->pack.rulec)
		return 0;
	err_set(err, ERR_USAGE, "there are no rules");
	if (set->pack.skipped)
		err_cause(err, "%zu files were left out: no rule could be read from them",
			  set->pack.skipped);
	err_cure(err, "cordon rules check DIR tells what is wrong with them");
	return -1;
}

static bool is_any_live(const struct pack *pack, const struct engine_options *options)
{
	for (size_t i = 0; i < pack->rulec; i++)
		if (options->inactive || rule_is_live(&pack->rule[i], options->lane))
			return true;
	return false;
}

int usable_engine(const struct packs *set, const struct engine_options *options, struct err *err)
{
	if (!is_any_live(&set->pack, options)) {
		err_set(err, ERR_USAGE, "none of the %zu rules is live in the lane %s",
			set->pack.rulec, vocab_at(VOCAB_LANE, options->lane)->name);
		err_cure(err, "--lane hunt is the widest");
		return -1;
	}
	if (set->refused && set->refused == db_count(set->db)) {
		err_set(err, ERR_USAGE, "no pattern of the rules is a regular expression");
		err_cause(err, "%s", set->first_refused.message);
		err_cure(err, "cordon rules check DIR tells what is wrong with them");
		return -1;
	}
	return 0;
}
