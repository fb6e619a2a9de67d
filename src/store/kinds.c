/* SPDX-License-Identifier: MIT
 *
 * The kinds of items by name, and the few words that all backends share.
 */
#include <string.h>

#include "store/backend.h"

static const char *const names[STORE_KINDS] = {
	[STORE_HEAD] = "head",		 [STORE_CONVERSATION] = "conversation",
	[STORE_SOURCE] = "source",	 [STORE_FINGERPRINTS] = "fingerprints",
	[STORE_APPROVAL] = "approval",	 [STORE_TICKET] = "ticket",
	[STORE_DIRECTORY] = "directory", [STORE_KEY] = "key",
	[STORE_SETTING] = "setting",
};

const char *store_kind_name(enum store_kind kind)
{
	return names[kind];
}

/* Keys are below 0x7f, so the last byte can always go up by one. */
void store_prefix_end(const char *prefix, char ret[STORE_KEY_MAX + 1])
{
	size_t len = strlen(prefix);

	memcpy(ret, prefix, len + 1);
	if (len)
		ret[len - 1]++;
}

int store_conflict(const struct store_op *op, struct err *err)
{
	err_set(err, ERR_CONFLICT, "%s %s has been changed meanwhile", store_kind_name(op->kind),
		op->key);
	err_cure(err, "read it again and decide again");
	return -1;
}

int store_wait(const struct store_options *options)
{
	return options->wait_ms > 0 ? options->wait_ms : STORE_WAIT_MS;
}

int store_busy(int wait_ms, struct err *err)
{
	err_set(err, ERR_SYSTEM, "another process has held the log for %d ms", wait_ms);
	err_cure(err, "find the process that holds it; nothing runs without a record");
	return -1;
}
