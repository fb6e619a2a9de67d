/* SPDX-License-Identifier: MIT
 *
 * Does somebody's word cover this run? Found by the digest of what it is about, then everything is
 * checked again from the beginning: the digests over the stored request, the state, the time, each
 * signature. An approval for once is used by compare-and-set: of two runs at once one wins. One that
 * holds longer is counted the same way, so that a denial in between is seen.
 */
#include <string.h>

#include "approval/fields.h"
#include "approval/tally.h"

/* Which scopes reach as far as the digest by which it was found. */
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
	int good = tally(s, a, now, &why, err);
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
				continue; /* what is damaged covers nothing */
			return -1;
		}
		/* Whether that can be written down does not matter here. */
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

void approval_take(struct store_tx *tx, const struct approval *a, const char *run, uint64_t now)
{
	struct approval_status next = a->status;

	next.uses++;
	if (a->scope == SCOPE_ONCE) {
		next.state = APPROVAL_USED;
		next.ended = now;
		next.ended_by = a->request.uid;
	}
	for (size_t i = 0; i < a->voicec; i++)
		person_expect(tx, a->voice[i], a->voice_key[i]);
	change_add(tx, &(struct change){.event = EVENT_USED,
					.approval = a,
					.next = &next,
					.run = run,
					.uid = a->request.uid});
}
