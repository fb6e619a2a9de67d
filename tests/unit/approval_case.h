/* SPDX-License-Identifier: MIT
 *
 * What the tests of approvals share: a request with something in every member, a store of their own
 * (CORDON_STORE_URL as in tests/store), people with keys. A helper that fails ends the program.
 */
#ifndef CORDON_TESTS_APPROVAL_CASE_H
#define CORDON_TESTS_APPROVAL_CASE_H

#include <sodium.h>

#include "../store/case.h"
#include "approval/approval.h"
#include "approval/fields.h"
#include "approval/fill.h"
#include "base/digest.h"

enum { ASKER = 1000, ADMIN = 0, ANNA = 1001, BEN = 1002, WAIT = 600000, TTL = 300000, TRIES = 16 };
#define CASE_NOW 1800000000000ULL

static const char case_code[] = "import os\nprint(os.getcwd())\n";
static const struct approval_text case_args[] = {{"input.csv"}, {"--fast"}};
static const struct approval_text case_env[] = {{"LANG=C"}};
static const struct approval_text case_words[] = {{"one"}, {"two"}};
static const struct approval_input case_inputs[] = {
	{"workspace /home/u/project", {1, 2, 3}, 7, 99}};
static const struct approval_evidence case_evidence[] = {
	{"a1b2", "https://example.org/page", "span", FROM_WEB, 10, 20, 5, 21},
	{"c3d4", "notes.txt", "literal", FROM_FILE, 16, 25, 0, 12}};
static const struct approval_finding case_findings[] = {{"R-1", "reads a directory", "low"}};

#define CASE_LIST(a)                                                                               \
	{                                                                                          \
		.count = sizeof(a) / sizeof((a)[0]), .list = (a)                                   \
	}

static inline struct approval_request case_request(void)
{
	struct approval_request r = {
		.lang = "python",
		.name = "job.py",
		.suffix = ".py",
		.args = CASE_LIST(case_args),
		.env = CASE_LIST(case_env),
		.stdin_sha256 = {9, 9},
		.inputs = CASE_LIST(case_inputs),
		.workspace = "/home/u/project",
		.workspace_mode = WORKSPACE_OVERLAY,
		.venv = "/home/u/venv",
		.exec = CASE_LIST(case_words),
		.net = CASE_LIST(case_words),
		.secret = CASE_LIST(case_words),
		.limits = CASE_LIST(case_words),
		.tier = TIER_NO_CGROUP,
		.caps = CAP_BIT(CAP_WRITE) | CAP_BIT(CAP_NET),
		.origin = ORIGIN_DERIVED,
		.grade = GRADE_SHOWN,
		.reasons = CASE_LIST(case_words),
		.reach = CASE_LIST(case_words),
		.effects = CASE_LIST(case_words),
		.evidence = CASE_LIST(case_evidence),
		.findings = CASE_LIST(case_findings),
		.policy_sha256 = {4},
		.box_sha256 = {5},
		.uid = ASKER,
		.pgid = 77,
		.conversation = "conv-1",
		.scope = SCOPE_PROGRAM,
		.approvers = 1,
		.ttl_ms = TTL,
	};

	r.code_len = sizeof(case_code) - 1;
	digest_of(r.code_sha256, case_code, r.code_len);
	r.created = CASE_NOW;
	r.expires = CASE_NOW + WAIT;
	return r;
}

static const struct approval_code case_bytes = {case_code, sizeof(case_code) - 1};

struct case_person {
	const char *name;
	uint64_t uid;
	struct key key;
};

static inline struct case_person case_person(const char *name, uint64_t uid)
{
	struct case_person p = {.name = name, .uid = uid};
	uint8_t seed[32] = {0};

	memcpy(seed, name, strlen(name) < 32 ? strlen(name) : 32);
	crypto_sign_seed_keypair(p.key.public, p.key.secret, seed);
	return p;
}

static inline int case_enrol(struct store *s, const struct case_person *p, uint64_t by)
{
	struct approval_person person = {
		.name = p->name, .has_uid = 1, .uid = p->uid, .enrolled_by = by, .time = CASE_NOW};
	struct err err;

	memcpy(person.public, p->key.public, sizeof(person.public));
	return approval_person_add(s, &person, &err);
}

static inline struct approval_vote case_vote(const struct case_person *p, enum scope scope,
					     uint64_t now)
{
	return (struct approval_vote){
		.name = p->name, .approves = 1, .scope = scope, .time = now, .uid = p->uid};
}

/* P approves ID. 0 or -1. */
static inline int case_approve(struct store *s, const char *id, const struct case_person *p,
			       enum scope scope, uint64_t now, struct err *err)
{
	struct approval_vote v = case_vote(p, scope, now);
	struct approval_actor actor = {.uid = p->uid};
	AUTO_APPROVAL struct approval a = {0};

	if (approval_load(s, id, &a, err) < 0 || approval_sign(&a, &p->key, &v, err) < 0)
		return -1;
	return approval_decide(s, &a, &v, &actor, now, err);
}

static inline const char *case_park(struct store *s, struct approval_request *r, uint64_t now)
{
	static char id[APPROVAL_ID + 1];
	struct err err;

	scratch_must(approval_park(s, r, case_bytes, WAIT, now, id, &err) >= 0, err.message);
	return id;
}

/* Of the account UID, each in a conversation of its own: how many of COUNT may wait. */
static inline int case_park_many(struct store *s, uint64_t uid, int count, struct err *err)
{
	struct approval_request r = case_request();
	char id[APPROVAL_ID + 1], name[32];
	int parked = 0;

	r.uid = uid;
	for (int i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "conv-%d", i);
		r.conversation = name;
		if (approval_park(s, &r, case_bytes, WAIT, CASE_NOW, id, err) < 0)
			break;
		parked++;
	}
	return parked;
}

/* 1: a run of R is covered by *RET, and that is used; as the gate does it, again when others were
 * faster. */
static inline int case_take(struct store *s, const struct approval_request *r, uint64_t now,
			    struct approval *ret)
{
	struct err err;

	for (int i = 0; i < TRIES; i++) {
		AUTO_TX struct store_tx tx = {0};
		int found = approval_find(s, r, now, ret, &err);
		if (found <= 0)
			return found;
		approval_take(&tx, ret, "run:test", now);
		if (store_commit(s, &tx, &err) == 0)
			return 1;
		approval_done(ret);
		if (err.code != ERR_CONFLICT)
			return -1;
	}
	return -1;
}

static inline int case_use(struct store *s, const struct approval_request *r, uint64_t now)
{
	AUTO_APPROVAL struct approval a = {0};

	return case_take(s, r, now, &a);
}

static inline enum approval_state case_state(struct store *s, const char *id, uint64_t now)
{
	AUTO_APPROVAL struct approval a = {0};
	struct err err;

	scratch_must(approval_load(s, id, &a, &err) == 0, err.message);
	return approval_state_at(&a, now);
}

#endif
