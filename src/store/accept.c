/* SPDX-License-Identifier: MIT
 *
 * Writes the record of an accepted loss. The numbers of transactions go on after the lost ones, so
 * that no number, and no version of an item, is used twice.
 */
#include "store/accept.h"

#include "store/chain.h"

int store_accept(struct store *s, struct store_tx *tx, const struct accept_lost *lost,
		 const char *by, struct err *err)
{
	AUTO_JCS struct jcs body = {0};
	const char *ref = ACCEPT_REF;

	jcs_init(&body, RECORD_BODY_MAX);
	jcs_word(&body, "by", by);
	jcs_int(&body, "from", (int64_t)lost->from);
	jcs_int(&body, "records", (int64_t)lost->records);
	jcs_int(&body, "to", (int64_t)lost->to);
	if (jcs_finish(&body, err) < 0)
		return -1;
	/* The lost transactions may have used or revoked any of these. */
	if (lost->to) {
		store_clear(tx, STORE_APPROVAL);
		store_clear(tx, STORE_TICKET);
	}
	store_append(tx, RECORD_ACCEPT, &ref, 1, &body);
	if (tx->failed.code) {
		*err = tx->failed;
		return -1;
	}
	return chain_accept(s, tx, lost->to, err);
}
