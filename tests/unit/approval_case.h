/* SPDX-License-Identifier: MIT
 *
 * What the tests of approvals share: a request with something in every member, a store of their own
 * (CORDON_STORE_URL as in tests/store), people with SSH keys, whose signatures ssh-keygen verifies. A
 * helper that fails ends the program.
 */
#ifndef CORDON_TESTS_APPROVAL_CASE_H
#define CORDON_TESTS_APPROVAL_CASE_H

#include <sodium.h>
#include <unistd.h>

#include "../store/case.h"
#include "approval/answer.h"
#include "approval/approval.h"
#include "approval/approval_private.h"
#include "approval/run_request.h"
#include "base/digest.h"
#include "base/root_file.h"

/* Root's file is one of the test's own, in its directory: signers.c is here once more, and the library's is
 * not linked. */
static inline int case_rooted_open(const char *path, int flags, struct err *err)
{
	int fd = open(path, flags | O_CLOEXEC);

	return fd < 0 ? err_errno(err, ERR_INPUT, "%s", path) : fd;
}
#undef SIGNERS_FILE
#define SIGNERS_FILE "people/allowed_signers"
#define root_file_open case_rooted_open
#ifdef CASE_WITHOUT_PEOPLE /* another file of the same program has it */
#include "trust/signers.h"
#else
#include "../../src/trust/signers.c"
#endif
#undef root_file_open

/* The account that asks has a line in every /etc/passwd. */
enum { ASKER = 1, ADMIN = 0, BEN = 1002, WAIT = 600000, TTL = 300000, TRIES = 16 };
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

/* What is kept comes behind the code. */
#define CASE_CODE "import os\nprint(os.getcwd())\n"
#define CASE_STDIN "what it reads\n"
#define CASE_BEFORE "x = 12345\n"
#define CASE_AFTER "y = 1\nz = 2\n"
static const struct approval_code case_bytes = {
	CASE_CODE CASE_STDIN CASE_BEFORE CASE_AFTER,
	sizeof(CASE_CODE CASE_STDIN CASE_BEFORE CASE_AFTER) - 1};

static inline struct approval_request case_request(void)
{
	static const char *const texts[] = {CASE_STDIN, CASE_BEFORE, CASE_AFTER};
	static struct approval_attachment kept[] = {
		{.name = "stdin"}, {.name = "before a.py"}, {.name = "after a.py"}};
	static struct approval_change changes[] = {
		{"a.py", 1, 1, 0644, 10, 1, 0755, 12, {0}, {0}, "", APPROVAL_TEXT, 2, 1}};
	struct approval_request r = {
		.lang = "python",
		.name = "job.py",
		.title = "the title",
		.purpose = "the purpose",
		.changes = CASE_LIST(changes),
		.attachments = CASE_LIST(kept),
		.suffix = ".py",
		.args = CASE_LIST(case_args),
		.env = CASE_LIST(case_env),
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

	for (size_t i = 0; i < 3; i++) {
		kept[i].len = strlen(texts[i]);
		digest_of(kept[i].sha256, texts[i], kept[i].len);
	}
	memcpy(r.stdin_sha256, kept[0].sha256, sizeof(r.stdin_sha256));
	memcpy(changes[0].before_sha256, kept[1].sha256, sizeof(kept[1].sha256));
	memcpy(changes[0].after_sha256, kept[2].sha256, sizeof(kept[2].sha256));
	r.code_len = sizeof(case_code) - 1;
	digest_of(r.code_sha256, case_code, r.code_len);
	r.created = CASE_NOW;
	r.expires = CASE_NOW + WAIT;
	return r;
}

struct case_person {
	const char *name;
	uint8_t secret[crypto_sign_SECRETKEYBYTES];
	char key[128], signature[1024]; /* SIGNATURE: the last */
};

struct case_wire {
	size_t len;
	uint8_t data[1024];
};
static inline void case_put(struct case_wire *w, const void *data, size_t len)
{
	const uint8_t head[] = {0, 0, (uint8_t)(len >> 8), (uint8_t)len};

	memcpy(w->data + w->len, head, sizeof(head));
	memcpy(w->data + w->len + sizeof(head), data, len);
	w->len += sizeof(head) + len;
}

static inline struct case_person case_person(const char *name)
{
	uint8_t seed[32] = {0}, public[crypto_sign_PUBLICKEYBYTES];
	struct case_person p = {.name = name};
	struct case_wire w = {0};
	char text[100];

	memcpy(seed, name, strlen(name) < 32 ? strlen(name) : 32);
	crypto_sign_seed_keypair(public, p.secret, seed);
	case_put(&w, "ssh-ed25519", 11);
	case_put(&w, public, sizeof(public));
	sodium_bin2base64(text, sizeof(text), w.data, w.len, sodium_base64_VARIANT_ORIGINAL);
	snprintf(p.key, sizeof(p.key), "ssh-ed25519 %s", text);
	return p;
}

/* As OpenSSH signs (PROTOCOL.sshsig), for any namespace: what ssh-keygen would not do for us. */
static inline const char *case_signature(struct case_person *p, const char *space, const void *text,
					 size_t len)
{
	struct case_wire to_sign = {6, "SSHSIG"}, blob = {10, "SSHSIG\0\0\0\1"}, key = {0},
			 sig = {0};
	uint8_t hash[crypto_hash_sha512_BYTES], signature[crypto_sign_BYTES];

	crypto_hash_sha512(hash, text, len);
	case_put(&to_sign, space, strlen(space));
	case_put(&to_sign, "", 0);
	case_put(&to_sign, "sha512", 6);
	case_put(&to_sign, hash, sizeof(hash));
	crypto_sign_detached(signature, NULL, to_sign.data, to_sign.len, p->secret);
	case_put(&key, "ssh-ed25519", 11);
	case_put(&key, p->secret + 32, 32);
	case_put(&sig, "ssh-ed25519", 11);
	case_put(&sig, signature, sizeof(signature));
	case_put(&blob, key.data, key.len);
	case_put(&blob, space, strlen(space));
	case_put(&blob, "", 0);
	case_put(&blob, "sha512", 6);
	case_put(&blob, sig.data, sig.len);
	return sodium_bin2base64(p->signature, sizeof(p->signature), blob.data, blob.len,
				 sodium_base64_VARIANT_ORIGINAL);
}

static inline void case_sign(const struct approval *a, struct case_person *p,
			     struct approval_vote *v)
{
	struct answer answer = {.vote = *v};
	AUTO_BUF struct buf text = {0};

	memcpy(answer.binding, a->binding, sizeof(answer.binding));
	answer_text(&answer, &text);
	v->signature = case_signature(p, SSH_NAMESPACE, text.data, text.len);
}

/* Root writes them into the file. */
static inline int case_enrol(const struct case_person *p)
{
	struct err err;

	return signers_add(p->name, p->key, &err);
}

static inline int case_remove(const struct case_person *p)
{
	struct err err;

	return signers_remove(p->name, &err);
}

static inline struct approval_vote case_vote(const struct case_person *p, enum scope scope,
					     uint64_t now)
{
	return (struct approval_vote){.name = p->name,
				      .approves = 1,
				      .scope = scope,
				      .time = now,
				      .expires = now + TTL,
				      .signature = ""};
}

/* P approves ID. 0 or -1. */
static inline int case_approve(struct store *s, const char *id, struct case_person *p,
			       enum scope scope, uint64_t now, struct err *err)
{
	struct approval_vote v = case_vote(p, scope, now);
	struct approval_actor actor = {.uid = ASKER};
	AUTO_APPROVAL struct approval a = {0};

	if (approval_load(s, id, &a, err) < 0)
		return -1;
	case_sign(&a, p, &v);
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
