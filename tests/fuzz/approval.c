/* SPDX-License-Identifier: MIT
 *
 * The fuzz target for what is kept of approvals: any bytes as a parked request, as the status of
 * one that really was signed, and as what people carry to each other. What is taken must be written
 * back as the same bytes and keep to its bounds; and whatever stands in a status, no word counts
 * but the one that was signed, with every byte as it was. A broken promise aborts.
 */
#include <stdlib.h>

#include "../unit/approval_case.h"
#include "approval/carry.h"
#include "approval_fixed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool promise)
{
	if (!promise)
		abort();
}

static void check_request(const struct approval_request *r)
{
	const struct approval_evidence *e = r->evidence.list;
	uint8_t digest[APPROVAL_SHA256];
	struct err err;

	must(r->origin < ORIGIN_COUNT && r->grade < GRADE_COUNT);
	must(r->scope < SCOPE_COUNT && !(r->caps & ~(uint64_t)CAP_ALL));
	must(r->approvers >= 1 && r->approvers <= APPROVAL_APPROVERS_MAX);
	must(r->expires > r->created && r->expires - r->created <= APPROVAL_MS_MAX);
	must(r->evidence.count <= APPROVAL_EVIDENCE_MAX);
	for (size_t i = 0; i < r->evidence.count; i++)
		must(e[i].code_from <= e[i].code_to && e[i].code_to <= r->code_len &&
		     e[i].source_from <= e[i].source_to && source_kind_name((unsigned)e[i].kind));
	must(approval_digest(r, APPROVAL_BINDING, digest, &err) == 0);
	must(approval_digest(r, APPROVAL_SUBJECT, digest, &err) == 0);
	must(approval_digest(r, APPROVAL_SUBJECT_ANYWHERE, digest, &err) == 0);
}

static void as_request(const uint8_t *data, size_t len)
{
	struct approval_request r = {0};
	AUTO_BUF struct buf again = {0};
	struct arena arena = {0};
	struct err err = {0};

	if (request_decode(data, len, &arena, &r, &err) == 0) {
		check_request(&r);
		must(request_encode(&r, &again, &err) == 0 && again.len == len &&
		     memcmp(again.data, data, len) == 0);
	} else {
		must(err.code != ERR_NONE && err.message[0]);
	}
	arena_done(&arena);
}

static void as_status(const uint8_t *data, size_t len)
{
	struct approval a;
	struct approval_person anna;
	struct approval_vote said = fixed_vote(&a, &anna);
	struct approval_status s = {0};
	AUTO_BUF struct buf again = {0};
	struct arena arena = {0};
	struct err err;

	if (status_decode(data, len, &arena, &s, &err) == 0) {
		const struct approval_vote *v = s.votes.list;
		must(s.state < APPROVAL_STATES && s.votes.count <= APPROVAL_VOTES_MAX);
		must(status_encode(&s, &again, &err) == 0 && again.len == len &&
		     memcmp(again.data, data, len) == 0);
		for (size_t i = 0; i < s.votes.count; i++) {
			if (!approval_vote_counts(&a, &v[i], &anna, CASE_NOW, &err))
				continue;
			must(strcmp(v[i].name, said.name) == 0 && v[i].approves == said.approves &&
			     v[i].scope == said.scope && v[i].expires == said.expires &&
			     v[i].time == said.time && v[i].uid == said.uid);
			must(memcmp(v[i].signature, said.signature, sizeof(said.signature)) == 0);
		}
	}
	arena_done(&arena);
}

static void as_carried(const uint8_t *data, size_t len)
{
	struct approval_code code = {0};
	struct approval_vote v = {0};
	struct approval a;
	struct err err;

	if (carry_request_read(data, len, &a, &code, &err) == 0) {
		AUTO_BUF struct buf again = {0};
		check_request(&a.request);
		must(a.request.code_len == code.len && a.status.votes.count == 0);
		must(carry_request(&a, &code, &again, &err) == 0 && again.len == len &&
		     memcmp(again.data, data, len) == 0);
		approval_done(&a);
		free((void *)code.data);
	}
	char *text = strndup((const char *)data, len);
	struct arena arena = {0};
	if (text && carry_vote_read(text, &arena, &v, &err) == 0)
		must(v.scope < SCOPE_COUNT && v.approves <= 1 &&
		     strlen(v.name) <= APPROVAL_NAME_MAX);
	arena_done(&arena);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	/* Of its exact size, so that the sanitizer sees a read past the end. */
	uint8_t *copy = malloc(len ? len : 1);

	must(copy && sodium_init() >= 0);
	if (len)
		memcpy(copy, data, len);
	as_request(copy, len);
	as_status(copy, len);
	as_carried(copy, len);
	free(copy);
	return 0;
}
