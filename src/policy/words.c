/* SPDX-License-Identifier: MIT
 *
 * A decision in words, for people, the log and the command line. Ids and reasons of rules are the
 * policy's own text; whoever shows them to a terminal escapes them there.
 */
#include <stdio.h>

#include "policy/policy.h"

const char *decision_reason(const struct decision *d, enum cap cap, char *buf, size_t size)
{
	const struct policy_outcome *o = &d->of[cap];

	buf[0] = '\0';
	if (d->refusal)
		snprintf(buf, size, "%s", d->refusal);
	else if (!(d->asked & CAP_BIT(cap)))
		return buf;
	else if (o->rule)
		snprintf(buf, size, "%s: %s by rule %s%s%s", cap_name(cap),
			 verdict_name(o->verdict), o->rule->id, *o->rule->why ? ": " : "",
			 o->rule->why);
	else
		snprintf(buf, size, "%s: %s by profile %s for origin %s (%s), findings: %s%s",
			 cap_name(cap), verdict_name(o->verdict), policy_profile_name(d->profile),
			 origin_name(d->origin), origin_help(d->origin), grade_name(d->grade),
			 d->origin == ORIGIN_HOSTILE ? "; no rule can loosen that" : "");
	return buf;
}

const char *decision_row(const struct decision *d, char *buf, size_t size)
{
	const struct policy_outcome *o = &d->of[d->cap];

	if (d->refusal)
		snprintf(buf, size, "refusal");
	else if (o->rule)
		snprintf(buf, size, "rule/%s", o->rule->id);
	else
		snprintf(buf, size, "profile/%s/%s/%s/%s", policy_profile_name(d->profile),
			 origin_name(d->origin), grade_name(d->grade), cap_name(d->cap));
	return buf;
}

const char *caps_words(unsigned caps, char *buf, size_t size)
{
	size_t len = 0;

	snprintf(buf, size, "none");
	for (unsigned c = 0; c < CAP_COUNT && len < size; c++)
		if (caps & CAP_BIT(c))
			len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? ", " : "",
						cap_name(c));
	return buf;
}
