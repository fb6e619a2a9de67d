/* SPDX-License-Identifier: MIT
 *
 * The fuzz target for what is kept of approvals: any bytes as a parked request, as the status of
 * one that really was signed, as an answer to it, as what people carry to each other, and as
 * allowed_signers. What is taken must be written back as the same bytes and keep to its bounds; and
 * whatever stands in a status or an answer, nothing counts but what was signed, with every byte as it
 * was. A broken promise aborts.
 */
#include <stdlib.h>

#include "../unit/approval_case.h"
#include "approval/request_file.h"
#include "approval_fixed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { EVERY = 16 };

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

static bool is_same(const struct approval_vote *a, const struct approval_vote *b)
{
	return strcmp(a->name, b->name) == 0 && a->approves == b->approves &&
	       a->scope == b->scope && a->expires == b->expires && a->time == b->time &&
	       strcmp(a->signature, b->signature) == 0;
}

/* ssh-keygen is asked only about what has the right key in it and is not what was signed, and not each time:
 * it is a process. */
static void check_vote(const struct approval *a, const struct approval_vote *v,
		       const struct approval_person *anna, const struct approval_vote *said)
{
	static unsigned asked;
	struct arena arena = {0};
	const char *key = NULL;
	struct err err, why;

	if (ssh_signature_key(v->signature, &arena, &key, &err) == 0) {
		must(strlen(key) <= SSH_KEY_MAX && strchr(key, ' '));
		if (strcmp(key, anna->key) == 0 && !is_same(v, said) && asked++ % EVERY == 0)
			must(approval_vote_counts(a, v, anna, CASE_NOW, &why, &err) != 1);
	}
	arena_done(&arena);
}

static void as_answer(const uint8_t *data, size_t len)
{
	struct approval_person anna;
	struct approval a;
	struct approval_vote said = fixed_vote(&a, &anna);
	AUTO_BUF struct buf again = {0};
	struct answer answer;
	struct arena arena = {0};
	struct err err = {0};

	if (answer_read(data, len, &arena, &answer, &err) == 0) {
		must(answer.vote.scope < SCOPE_COUNT && answer.vote.approves <= 1 &&
		     signer_name_is_good(answer.vote.name));
		must(answer_write(&answer, &again, &err) == 0 && again.len == len &&
		     memcmp(again.data, data, len) == 0);
		if (memcmp(answer.binding, a.binding, sizeof(a.binding)) == 0)
			check_vote(&a, &answer.vote, &anna, &said);
	} else {
		must(err.code != ERR_NONE && err.message[0] && err.cause[0]);
	}
	arena_done(&arena);
}

/* Each line that is taken is one plain name and one key, and no two lines have one key. */
static void as_signers(const uint8_t *data, size_t len)
{
	static struct signers all;
	struct arena arena = {0};
	struct err err = {0};

	if (signers_parse("allowed_signers", (const char *)data, len, &arena, &all, &err) == 0)
		for (size_t i = 0; i < all.count; i++) {
			must(signer_name_is_good(all.list[i].name));
			must(strlen(all.list[i].options) <= SIGNERS_OPTIONS_MAX + 1 &&
			     !strpbrk(all.list[i].options, "*?!\\\n"));
			for (size_t k = 0; k < i; k++)
				must(strcmp(all.list[k].key, all.list[i].key) != 0);
		}
	else
		must(strstr(err.message, "allowed_signers:") && err.cure[0]);
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
		for (size_t i = 0; i < s.votes.count; i++)
			check_vote(&a, &v[i], &anna, &said);
	}
	arena_done(&arena);
}

static void as_carried(const uint8_t *data, size_t len)
{
	struct approval_code code = {0};
	struct approval a;
	struct err err;

	if (request_file_read(data, len, &a, &code, &err) == 0) {
		AUTO_BUF struct buf again = {0};
		check_request(&a.request);
		must(a.request.code_len <= code.len && approval_code_fits(&a.request, &code) &&
		     a.status.votes.count == 0);
		must(request_file_write(&a, &code, &again, &err) == 0 && again.len == len &&
		     memcmp(again.data, data, len) == 0);
		approval_done(&a);
		free((void *)code.data);
	}
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
	as_answer(copy, len);
	as_signers(copy, len);
	free(copy);
	return 0;
}
