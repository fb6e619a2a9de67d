/* SPDX-License-Identifier: MIT
 *
 * The last policy's hash is an item, so that a run need not search the log for it. The item has no
 * other use: each verdict names its own policy.
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
		jcs_word(&body, "file", policy->file);
	if (last->version)
		jcs_hex(&body, "from", last->value, IN_FORCE_SHA256);
	jcs_hex(&body, "policy_sha256", policy->sha256, IN_FORCE_SHA256);
	jcs_word(&body, "profile", policy->profile);
	if (jcs_finish(&body, &err) < 0)
		fail(tx, &err);
	else
		store_append(tx, RECORD_POLICY, all, refc + 1, &body);
}

void in_force_record(struct store *s, const struct in_force *policy, const char *const *refs,
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
		err_set(&err, ERR_INPUT, "the setting \"policy\" is damaged");
		fail(tx, &err);
	} else if (last.version && memcmp(last.value, policy->sha256, IN_FORCE_SHA256) == 0) {
		store_expect(tx, STORE_SETTING, KEY, last.version);
	} else {
		append(policy, &last, refs, refc, tx);
		store_put(tx, STORE_SETTING, KEY, policy->sha256, IN_FORCE_SHA256, last.version);
	}
}
