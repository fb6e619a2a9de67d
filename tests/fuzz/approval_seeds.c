/* SPDX-License-Identifier: MIT
 *
 * A parked request with something in every member, an empty one, what people carry to each other, and
 * statuses with a real signature.
 */
#define CASE_WITHOUT_PEOPLE
#include "approval/request_file.h"
#include "approval_fixed.h"
#include "seeds.h"

const int seed_rounds = 4000;

static struct buf make_request(bool empty)
{
	struct approval_request r = case_request();
	struct buf out = {0};
	struct err err;

	if (empty) {
		approval_init(&r);
		r.approvers = 1;
		r.ttl_ms = TTL;
		r.created = CASE_NOW;
		r.expires = CASE_NOW + WAIT;
	}
	scratch_must(request_encode(&r, &out, &err) == 0, "a request");
	return out;
}

static struct buf make_status(enum approval_state state)
{
	struct approval a;
	struct approval_person anna;
	struct approval_vote v = fixed_vote(&a, &anna);
	struct approval_status s = {.state = state,
				    .reason = state == APPROVAL_DENIED ? "no" : "",
				    .votes = {.count = 1, .list = &v}};
	struct buf out = {0};
	struct err err;

	memcpy(s.binding, a.binding, sizeof(s.binding));
	scratch_must(status_encode(&s, &out, &err) == 0, "a status");
	return out;
}

/* The request with its code, or the answer, as they are carried. */
static struct buf make_carried(bool answered)
{
	struct approval a;
	struct approval_person anna;
	struct answer answer = {.vote = fixed_vote(&a, &anna)};
	struct buf out = {0};
	struct err err;

	memcpy(answer.binding, a.binding, sizeof(a.binding));
	scratch_must((answered ? answer_write(&answer, &out, &err)
			       : request_file_write(&a, &case_bytes, &out, &err)) == 0,
		     "what is carried");
	return out;
}

static struct buf make_signers(void)
{
	struct buf out = {.most = 4096};

	buf_printf(
		&out,
		"# people\nanna namespaces=\"cordon-approval,git\",valid-before=\"20300101Z\" %s\n",
		case_person("anna").key);
	buf_printf(&out, "ben %s a comment\n", case_person("ben").key);
	return out;
}

uint8_t *seed_make(unsigned i, size_t *ret_len)
{
	if (i >= 5 + APPROVAL_STATES || sodium_init() < 0)
		return NULL;
	struct buf out = i < 2	  ? make_request(i == 1)
			 : i < 4  ? make_carried(i == 3)
			 : i == 4 ? make_signers()
				  : make_status((enum approval_state)(i - 5));
	*ret_len = out.len;
	return out.data;
}
