/* SPDX-License-Identifier: MIT
 *
 * The last hash is an item, so that a run does not look for it in the log. The item is for this
 * only: what was decided by which policy is in the verdicts themselves.
 */
#include "store/in_force.h"

#include <string.h>

#define KEY "policy"

static void fail(struct store_tx *tx, const struct err *err)
{
	if (!tx->failed.code)
		tx->failed = *err;
}

static void append(const struct in_force *policy, const struct store_item *last,
		   const char *const *refs, size_t refc, struct store_tx *tx)
{
	const char *all[IN_FORCE_REFS_MAX + 1] = {IN_FORCE_REF};
	AUTO_JCS struct jcs body = {0};
	struct err err;

	memcpy(all + 1, refs, refc * sizeof(*refs));
	jcs_init(&body, RECORD_BODY_MAX);
	if (policy->file)
		jcs_str(&body, "file", policy->file);
	if (last->version)
		jcs_hex(&body, "from", last->value, IN_FORCE_SHA256);
	jcs_hex(&body, "policy_sha256", policy->sha256, IN_FORCE_SHA256);
	jcs_str(&body, "profile", policy->profile);
	if (jcs_finish(&body, &err) < 0)
		fail(tx, &err);
	else
		store_append(tx, RECORD_POLICY, all, refc + 1, &body);
}

void in_force_tell(struct store *s, const struct in_force *policy, const char *const *refs,
		   size_t refc, struct store_tx *tx)
{
	AUTO_ITEM struct store_item last = {0};
	struct err err;

	if (store_get(s, STORE_SETTING, KEY, &last, &err) < 0) {
		fail(tx, &err);
	} else if (refc > IN_FORCE_REFS_MAX) {
		err_set(&err, ERR_LIMIT, "a record has too many names");
		fail(tx, &err);
	} else if (last.version && last.len != IN_FORCE_SHA256) {
		err_set(&err, ERR_INPUT, "which policy was the last is damaged");
		fail(tx, &err);
	} else if (last.version && memcmp(last.value, policy->sha256, IN_FORCE_SHA256) == 0) {
		store_expect(tx, STORE_SETTING, KEY, last.version);
	} else {
		append(policy, &last, refs, refc, tx);
		store_put(tx, STORE_SETTING, KEY, policy->sha256, IN_FORCE_SHA256, last.version);
	}
}
