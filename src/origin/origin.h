/* SPDX-License-Identifier: MIT
 *
 * Where did this code come from? One pure question over what is known: the domain it comes out of,
 * what its host says, its plan, what it ties to, what was found in it. Answers are given with their
 * reasons, in words. What is not known is exposed; what is said of it can lower the answer always
 * and raise it only if the host attests it.
 */
#ifndef CORDON_ORIGIN_ORIGIN_H
#define CORDON_ORIGIN_ORIGIN_H

#include "origin/attribute.h"
#include "origin/plan.h"

enum { ORIGIN_REASONS_MAX = 8, ORIGIN_REASON_MAX = 128 };

struct origin_ask {
	const struct domain *domain; /* NULL: not known */
	bool is_shared;		     /* nobody named one: it is the one of all who do not */
	enum origin declared;	     /* ORIGIN_COUNT: nobody said */
	const char *declared_why;    /* who says so, in words; NULL: whoever sent it */
	bool attested;		     /* by the host, not by the agent */
	enum plan_answer plan;
	const char *plan_why;	       /* more about it, in words; or NULL */
	const enum tie *tie;	       /* of each source */
	const enum integrity *of_tied; /* and its integrity */
	size_t sources;
	enum grade grade;	    /* of the code */
	const struct label *inputs; /* joined; NULL: there are none */
	const char *inputs_why;	    /* they are what they are, in words; or NULL */
};

/* All zero: hostile. */
struct origin_answer {
	enum origin origin;
	size_t count;
	char reason[ORIGIN_REASONS_MAX][ORIGIN_REASON_MAX];
};

void origin_of(const struct origin_ask *ask, struct origin_answer *ret);

#endif
