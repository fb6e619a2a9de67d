/* SPDX-License-Identifier: MIT
 *
 * Each step takes the origin so far and may only lower it, after the one place where it is set from
 * what is known.
 */
#include "origin/origin.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static void say(struct origin_answer *a, const char *fmt, ...)
{
	va_list ap;

	if (a->count == ORIGIN_REASONS_MAX)
		return;
	va_start(ap, fmt);
	vsnprintf(a->reason[a->count++], ORIGIN_REASON_MAX, fmt, ap);
	va_end(ap);
}

static void lower(struct origin_answer *a, enum origin to, const char *why)
{
	if (to < a->origin) {
		a->origin = to;
		say(a, "%s: %s", origin_name(to), why);
	}
}

static const char *why_exposed(const struct origin_ask *ask)
{
	if (!ask->domain)
		return "exposed: nobody knows what was read before";
	if (!ask->is_shared)
		return "exposed: untrusted content was read in this domain";
	return ask->domain->sources
		       ? "exposed: no domain was named, and in the one that is meant then "
			 "untrusted "
			 "content was read"
		       : "exposed: no domain was named, so nobody knows what was read before";
}

/* What the domain and the host say together. A floor is never argued away: the host may say that
 * the user typed this, but not that nothing was read. */
static void set_from_host(const struct origin_ask *ask, struct origin_answer *a)
{
	bool clean = ask->domain && ask->domain->floor.integrity >= INTEGRITY_TOOL;

	if (ask->attested && ask->declared == ORIGIN_USER) {
		a->origin = ORIGIN_USER;
		say(a, "user: the host attests that the user typed it");
	} else if (clean) {
		a->origin = ORIGIN_AGENT;
		say(a, "agent: nothing untrusted was read in this domain");
	} else if (!ask->domain && ask->attested && ask->declared == ORIGIN_AGENT) {
		a->origin = ORIGIN_AGENT;
		say(a, "agent: the host attests that nothing untrusted was read");
	} else {
		a->origin = ORIGIN_EXPOSED;
		say(a, "%s", why_exposed(ask));
	}
}

static void lower_by_ties(const struct origin_ask *ask, struct origin_answer *a)
{
	size_t untrusted = 0, hostile = 0;
	char words[96];

	for (size_t i = 0; i < ask->sources; i++) {
		if (ask->tie[i] == TIE_NONE || ask->of_tied[i] >= INTEGRITY_TOOL)
			continue;
		untrusted++;
		hostile += ask->of_tied[i] == INTEGRITY_HOSTILE;
	}
	snprintf(words, sizeof(words), "parts of it tie to %zu untrusted source%s", untrusted,
		 untrusted == 1 ? "" : "s");
	if (untrusted)
		lower(a, ORIGIN_DERIVED, words);
	if (hostile)
		lower(a, ORIGIN_HOSTILE, "parts of it tie to a hostile source");
}

void origin_of(const struct origin_ask *ask, struct origin_answer *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (ask->plan == PLAN_GOOD) {
		ret->origin = ORIGIN_PLAN;
		say(ret, "plan: %s", plan_answer_words(ask->plan));
	} else {
		if (ask->plan != PLAN_NONE)
			say(ret, "no plan: %s%s%s", plan_answer_words(ask->plan),
			    ask->plan_why ? ": " : "", ask->plan_why ? ask->plan_why : "");
		set_from_host(ask, ret);
		lower_by_ties(ask, ret);
		if (ask->inputs && ask->inputs->integrity < INTEGRITY_TOOL)
			lower(ret, ORIGIN_EXPOSED,
			      ask->inputs_why ? ask->inputs_why
					      : "it is given something untrusted");
	}
	if (ask->declared < ORIGIN_COUNT)
		lower(ret, ask->declared,
		      ask->declared_why ? ask->declared_why : "whoever sent it says so");
	if (ask->grade >= GRADE_DENIES)
		lower(ret, ORIGIN_HOSTILE, "a finding of the deny grade is in the code");
}
