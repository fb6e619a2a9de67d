/* SPDX-License-Identifier: MIT
 *
 * What has become of a parked request, as an item of its own, and the table of what may follow on
 * what. A state that is over stays so. Time ends a question and an approval without anybody doing
 * anything; it is written down when somebody next looks.
 */
#include <string.h>

#include "approval/fields.h"
#include "approval/states.h"

#define MAGIC "cordon approval status 1\n"
#define S struct approval_status
#define V struct approval_vote
#define ROW(s, m, type, most)                                                                      \
	{                                                                                          \
#m, type, offsetof(s, m), most, FIELD_ALWAYS, NULL, 0                              \
	}

const struct field vote_fields[] = {ROW(V, name, FIELD_TEXT, APPROVAL_NAME_MAX),
				    ROW(V, approves, FIELD_NUMBER, 1),
				    ROW(V, scope, FIELD_NUMBER, SCOPE_COUNT - 1),
				    ROW(V, expires, FIELD_NUMBER, (uint64_t)1 << 51),
				    ROW(V, time, FIELD_NUMBER, (uint64_t)1 << 50),
				    ROW(V, uid, FIELD_NUMBER, UINT32_MAX),
				    ROW(V, public, FIELD_BYTES, KEY_PUBLIC),
				    ROW(V, signature, FIELD_BYTES, KEY_SIGNATURE),
				    {0}};

const struct field status_fields[] = {ROW(S, binding, FIELD_BYTES, APPROVAL_SHA256),
				      ROW(S, state, FIELD_NUMBER, APPROVAL_STATES - 1),
				      {"votes", FIELD_LIST, offsetof(S, votes), APPROVAL_VOTES_MAX,
				       FIELD_ALWAYS, vote_fields, sizeof(V)},
				      ROW(S, ended, FIELD_NUMBER, (uint64_t)1 << 50),
				      ROW(S, ended_by, FIELD_NUMBER, UINT32_MAX),
				      ROW(S, reason, FIELD_TEXT, APPROVAL_REASON_MAX),
				      ROW(S, uses, FIELD_NUMBER, (uint64_t)1 << 50),
				      {0}};

static const char *const names[APPROVAL_STATES] = {
	[APPROVAL_DENIED] = "denied",	  [APPROVAL_PENDING] = "pending",
	[APPROVAL_APPROVED] = "approved", [APPROVAL_EXPIRED] = "expired",
	[APPROVAL_USED] = "used",
};

const char *approval_state_name(unsigned state)
{
	return state < APPROVAL_STATES ? names[state] : NULL;
}

/* Bits of the states that may follow. */
#define TO(state) (1U << (state))
static const unsigned follows[APPROVAL_STATES] = {
	[APPROVAL_PENDING] = TO(APPROVAL_PENDING) | TO(APPROVAL_APPROVED) | TO(APPROVAL_DENIED) |
			     TO(APPROVAL_EXPIRED),
	[APPROVAL_APPROVED] = TO(APPROVAL_APPROVED) | TO(APPROVAL_USED) | TO(APPROVAL_DENIED) |
			      TO(APPROVAL_EXPIRED),
};

bool state_may_follow(enum approval_state from, enum approval_state to)
{
	return from < APPROVAL_STATES && to < APPROVAL_STATES && follows[from] & TO(to);
}

bool state_is_over(uint64_t state)
{
	return state >= APPROVAL_STATES || !follows[state];
}

int status_encode(const struct approval_status *s, struct buf *out, struct err *err)
{
	*out = (struct buf){.most = APPROVAL_BYTES_MAX};
	buf_str(out, MAGIC);
	fields_encode(status_fields, s, FIELD_ALWAYS, out);
	return out->failed ? err_set(err, ERR_LIMIT, "there are too many votes on the request") : 0;
}

int status_decode(const uint8_t *data, size_t len, struct arena *a, struct approval_status *ret,
		  struct err *err)
{
	size_t magic = sizeof(MAGIC) - 1;

	if (len < magic || memcmp(data, MAGIC, magic) != 0)
		return err_set(err, ERR_INPUT, "that is no status of an approval of this version");
	return fields_decode(status_fields, data + magic, len - magic, a, ret, err);
}

/* The question's end while it is open; then the first end of a word that was needed. */
static uint64_t end_of(const struct approval *a)
{
	const struct approval_vote *v = a->status.votes.list;
	uint64_t end = UINT64_MAX;

	if (a->status.state == APPROVAL_PENDING)
		return a->request.expires;
	for (size_t i = 0; i < a->status.votes.count; i++)
		if (v[i].expires < end)
			end = v[i].expires;
	return a->status.votes.count ? end : 0;
}

enum approval_state approval_state_at(const struct approval *a, uint64_t now)
{
	enum approval_state state = (enum approval_state)a->status.state;

	if (!state_may_follow(state, APPROVAL_EXPIRED))
		return state;
	/* A clock that was set back would make old words good again. */
	if (now >= end_of(a) || now + APPROVAL_CLOCK_MS < a->request.created)
		return APPROVAL_EXPIRED;
	return state;
}

int approval_settle(struct store *s, struct approval *a, uint64_t now, struct err *err)
{
	struct approval_status next = a->status;
	AUTO_TX struct store_tx tx = {0};

	if (approval_state_at(a, now) == (enum approval_state)a->status.state)
		return 0;
	next.state = APPROVAL_EXPIRED;
	next.ended = now;
	next.reason = a->status.state == APPROVAL_PENDING ? "no answer came in time"
							  : "the approval's time is over";
	change_add(&tx, &(struct change){.event = EVENT_EXPIRED, .approval = a, .next = &next});
	if (store_commit(s, &tx, err) < 0)
		return -1;
	a->status = next;
	a->version = tx.version;
	return 0;
}
