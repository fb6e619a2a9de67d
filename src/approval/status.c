/* SPDX-License-Identifier: MIT
 *
 * The status of a request: its item, and the table of its states. A request that is over keeps its
 * state. A request or an approval expires by time; the next command that reads it stores that.
 */
#include <string.h>

#include "approval/approval_private.h"

#define MAGIC "cordon approval status 2\n"
#define S struct approval_status
#define V struct approval_vote
#define ROW(s, m, type, most)                                                                      \
	{                                                                                          \
#m, type, offsetof(s, m), most, FIELD_ALWAYS, NULL, 0                              \
	}

const struct field vote_fields[] = {ROW(V, name, FIELD_TEXT, SIGNER_NAME_MAX),
				    ROW(V, approves, FIELD_NUMBER, 1),
				    ROW(V, scope, FIELD_NUMBER, SCOPE_COUNT - 1),
				    ROW(V, expires, FIELD_NUMBER, (uint64_t)1 << 51),
				    ROW(V, time, FIELD_NUMBER, (uint64_t)1 << 50),
				    ROW(V, signature, FIELD_TEXT, SSH_SIGNATURE_MAX),
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

/* The states that may follow, as bits. */
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
	return out->failed ? err_set(err, ERR_LIMIT, "the request has too many answers") : 0;
}

int status_decode(const uint8_t *data, size_t len, struct arena *a, struct approval_status *ret,
		  struct err *err)
{
	size_t magic = sizeof(MAGIC) - 1;

	if (len < magic || memcmp(data, MAGIC, magic) != 0)
		return err_set(err, ERR_INPUT, "not the status of an approval of this version");
	return fields_decode(status_fields, data + magic, len - magic, a, ret, err);
}

/* A pending request ends at its own time. An answered one ends when the first of its answers expires. */
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
	/* If the clock was set back, old answers must not become valid again. */
	if (now >= end_of(a) || now + APPROVAL_CLOCK_MS < a->request.created)
		return APPROVAL_EXPIRED;
	return state;
}

bool approval_is_confirmation(const struct approval_vote *v)
{
	return !v->signature[0];
}
