/* SPDX-License-Identifier: MIT
 *
 * Finds the approval that covers a run, by the digest of its subject. Everything is then checked again: the
 * digests of the stored request, the state, the time, each signature. A use is a compare-and-set
 * (approval_take): of two runs at once only one uses an approval for once, and a denial in between is
 * noticed.
 */
#include <string.h>

#include "approval/approval_private.h"

/* An approval that was found by the digest without the conversation counts only if its scope reaches
 * beyond the conversation. */
static bool reaches(enum scope scope, enum approval_digest kind)
{
	return kind == APPROVAL_SUBJECT || scope == SCOPE_PROGRAM;
}

static int covers(struct store *s, struct approval *a, enum approval_digest kind,
		  const uint8_t wanted[APPROVAL_SHA256], uint64_t now, struct err *err)
{
	uint8_t subject[APPROVAL_SHA256];
	struct err why;

	if (approval_state_at(a, now) != APPROVAL_APPROVED)
		return 0;
	if (approval_digest(&a->request, kind, subject, err) < 0)
		return -1;
	if (memcmp(subject, wanted, sizeof(subject)) != 0)
		return 0;
	int over = log_says_over(s, a, err);
	if (over)
		return over < 0 ? -1 : 0;
	int good = tally(&(struct tally){.store = s, .now = now}, a, &why, err);
	return good <= 0 ? good : reaches(a->scope, kind);
}

static int find(struct store *s, const struct approval_request *want, enum approval_digest kind,
		uint64_t now, struct approval *ret, struct err *err)
{
	uint8_t subject[APPROVAL_SHA256];
	AUTO_IDS struct ids ids = {0};

	if (approval_digest(want, kind, subject, err) < 0 || ids_alike(s, subject, &ids, err) < 0)
		return -1;
	for (size_t i = 0; i < ids.count; i++) {
		struct approval a;
		if (approval_load(s, ids.id[i], &a, err) < 0) {
			if (err->code == ERR_INPUT)
				continue; /* a damaged approval covers nothing */
			return -1;
		}
		/* If storing this fails, the approval still does not count. */
		if (approval_state_at(&a, now) == APPROVAL_EXPIRED)
			approval_settle(s, &a, now, err);
		int r = covers(s, &a, kind, subject, now, err);
		if (r == 1) {
			*ret = a;
			return 1;
		}
		approval_done(&a);
		if (r < 0)
			return -1;
	}
	return 0;
}

int approval_find(struct store *s, const struct approval_request *want, uint64_t now,
		  struct approval *ret, struct err *err)
{
	int r = find(s, want, APPROVAL_SUBJECT, now, ret, err);

	return r ? r : find(s, want, APPROVAL_SUBJECT_ANYWHERE, now, ret, err);
}
