/* SPDX-License-Identifier: MIT
 *
 * Plan tokens: this exact code was fixed before anything untrusted was read. Signed, so that the agent
 * can carry it; bound to all that could change what the code does, so that it is good for nothing else.
 * What was read later enters such code only as data.
 */
#ifndef CORDON_ORIGIN_PLAN_H
#define CORDON_ORIGIN_PLAN_H

#include "model/request.h"
#include "origin/domain.h"

enum {
	PLAN_LANG_MAX = 16,
	PLAN_SUFFIX_MAX = 8,
	PLAN_TEXT_MAX = 512, /* of the token, with the NUL */
	PLAN_RUNS_MAX = 1000000,
};
#define PLAN_TIME_MAX_US ((uint64_t)30 * 24 * 3600 * 1000000) /* thirty days */

struct plan {
	struct id id, domain;
	uint32_t epoch;
	uint8_t code_sha256[KEEPER_SHA256], policy_sha256[KEEPER_SHA256];
	char lang[PLAN_LANG_MAX + 1];
	char suffix[PLAN_SUFFIX_MAX + 1]; /* of the file in the box: Node goes by it */
	unsigned caps;			  /* at most these */
	enum integrity least;		  /* what inputs must at least be */
	enum secrecy most;		  /* and how secret at most */
	uint64_t from_us, to_us;	  /* not before, not after */
	uint32_t runs;			  /* at most */
	/* Of what comes with the code and can be code: plan_rest. Zero: nothing does. */
	uint8_t rest_sha256[KEEPER_SHA256];
};

/* Arguments, environment, virtual environment and programs: NODE_OPTIONS, BASH_ENV or an argument that
 * is evaluated make other code of the same bytes. All zero when there is none of them. */
void plan_rest(const struct request *r, uint8_t ret[KEEPER_SHA256]);

/* Id, domain and epoch are made here. The domain must not have been exposed. That the code does not
 * make code of its inputs, the caller knows. */
int plan_mint(struct keeper *k, const struct domain *d, const struct plan *ask, char *token,
	      struct err *err);

enum plan_answer {
	PLAN_NONE, /* no token */
	PLAN_GOOD,
	PLAN_FORGED, /* not ours, or not a token */
	PLAN_OTHER_CODE,
	PLAN_OTHER_LANG,
	PLAN_OTHER_SUFFIX,
	PLAN_OTHER_DOMAIN,
	PLAN_OTHER_EPOCH,
	PLAN_OTHER_POLICY,
	PLAN_OTHER_REST,
	PLAN_MORE_CAPS,
	PLAN_INPUTS,
	/* what its caller finds, after it was good */
	PLAN_MAKES_CODE,
	PLAN_MODULES,
	PLAN_PROGRAMS,
	PLAN_EARLY,
	PLAN_LATE,
	PLAN_SPENT,
	PLAN_ANSWERS,
};
const char *plan_answer_words(enum plan_answer answer);

/* What is about to run. */
struct plan_use {
	const uint8_t *code_sha256, *policy_sha256;
	const char *lang, *suffix;
	unsigned caps;
	const struct label *inputs;
	const struct domain *domain;
	uint64_t now_us;
	const uint8_t *rest_sha256; /* plan_rest; NULL: nothing comes with the code */
};
/* Pure. *RET is what the token says when it is ours. */
enum plan_answer plan_check(const uint8_t public[KEY_PUBLIC], const char *token,
			    const struct plan_use *use, struct plan *ret);
/* Uses up one run, in the transaction that starts it. PLAN_SPENT when none is left; ERR only for
 * the store's. */
int plan_spend(struct keeper *k, const struct plan *plan, struct store_tx *tx,
	       enum plan_answer *ret, struct err *err);

#endif
