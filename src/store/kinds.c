/* SPDX-License-Identifier: MIT
 *
 * The names of the kinds of items, and the errors and limits that all backends share.
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
	err_set(err, ERR_CONFLICT, "another process has changed %s %s", store_kind_name(op->kind),
		op->key);
	err_cure(err, "read it again and decide again");
	return -1;
}

int store_no_format(const char *what, uint64_t version, struct err *err)
{
	err_set(err, ERR_REFUSED, "%s has format %llu; this cordon reads formats %d to %d", what,
		(unsigned long long)version, STORE_FORMAT_OLDEST, STORE_FORMAT);
	err->sys_errno = STORE_NO_FORMAT;
	if (version > STORE_FORMAT) {
		err_cause(err, "a newer version of cordon wrote it");
		err_cure(err, "install that version again, or restore an older backup (cordon "
			      "state restore)");
	} else {
		err_cause(err, "it is damaged, or too old to be upgraded");
		err_cure(err, "use the version of cordon that made it, or begin a new state: "
			      "--state DIR");
	}
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
