/* SPDX-License-Identifier: MIT
 *
 * Tokens are the packed plan and a signature. Their number of uses is a row of the store: it is
 * raised in the transaction that starts the run, so that two processes cannot both have the last.
 */
#include "origin/plan.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/digest.h"
#include "base/scope.h"

#define MARK "p1."
#define SIGNED "cordon-plan-v1" /* what is signed begins so, and nothing else that the key signs */

enum {
	VERSION = 3,
	BODY_MAX = 256,
	TOKEN_MAX = BODY_MAX + KEY_SIGNATURE,
	RUNS_BYTES = 4,
};

static void pack_plan(struct packer *p, const struct plan *plan)
{
	pack_uint(p, VERSION, 1);
	pack_bytes(p, &plan->id, sizeof(plan->id));
	pack_bytes(p, &plan->domain, sizeof(plan->domain));
	pack_uint(p, plan->epoch, 4);
	pack_bytes(p, plan->code_sha256, sizeof(plan->code_sha256));
	pack_bytes(p, plan->policy_sha256, sizeof(plan->policy_sha256));
	pack_text(p, plan->lang);
	pack_text(p, plan->suffix);
	pack_uint(p, plan->caps, 4);
	pack_uint(p, plan->least, 1);
	pack_uint(p, plan->most, 1);
	pack_uint(p, plan->from_us, 8);
	pack_uint(p, plan->to_us, 8);
	pack_uint(p, plan->runs, 4);
	pack_bytes(p, plan->rest_sha256, sizeof(plan->rest_sha256));
}

static bool unpack_plan(const uint8_t *data, size_t len, struct plan *ret)
{
	struct unpacker u = {.data = data, .len = len};
	bool old = unpack_uint(&u, 1) != VERSION;

	memset(ret, 0, sizeof(*ret));
	unpack_bytes(&u, &ret->id, sizeof(ret->id));
	unpack_bytes(&u, &ret->domain, sizeof(ret->domain));
	ret->epoch = (uint32_t)unpack_uint(&u, 4);
	unpack_bytes(&u, ret->code_sha256, sizeof(ret->code_sha256));
	unpack_bytes(&u, ret->policy_sha256, sizeof(ret->policy_sha256));
	unpack_text(&u, ret->lang, sizeof(ret->lang));
	unpack_text(&u, ret->suffix, sizeof(ret->suffix));
	ret->caps = (unsigned)unpack_uint(&u, 4);
	ret->least = (enum integrity)unpack_enum(&u, INTEGRITY_COUNT);
	ret->most = (enum secrecy)unpack_enum(&u, SECRECY_COUNT);
	ret->from_us = unpack_uint(&u, 8);
	ret->to_us = unpack_uint(&u, 8);
	ret->runs = (uint32_t)unpack_uint(&u, 4);
	unpack_bytes(&u, ret->rest_sha256, sizeof(ret->rest_sha256));
	return !old && unpack_is_done(&u) && !(ret->caps & ~CAP_ALL);
}

/* The bytes that are signed. */
static size_t to_sign(const uint8_t *body, size_t len, uint8_t ret[BODY_MAX + sizeof(SIGNED)])
{
	memcpy(ret, SIGNED, sizeof(SIGNED));
	memcpy(ret + sizeof(SIGNED), body, len);
	return sizeof(SIGNED) + len;
}

static void write_token(const struct keeper *k, const struct plan *plan, char *ret)
{
	uint8_t token[TOKEN_MAX], bytes[BODY_MAX + sizeof(SIGNED)];
	struct packer p = {.data = token, .room = BODY_MAX};

	pack_plan(&p, plan);
	key_sign(&k->key, bytes, to_sign(token, p.len, bytes), token + p.len);
	memcpy(ret, MARK, sizeof(MARK));
	sodium_bin2base64(ret + sizeof(MARK) - 1, PLAN_TEXT_MAX - sizeof(MARK) + 1, token,
			  p.len + KEY_SIGNATURE, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

static bool read_token(const uint8_t public[KEY_PUBLIC], const char *text, struct plan *ret)
{
	const size_t mark = sizeof(MARK) - 1;
	uint8_t token[TOKEN_MAX], bytes[BODY_MAX + sizeof(SIGNED)];
	size_t len = strnlen(text, PLAN_TEXT_MAX), n = 0;

	if (len >= PLAN_TEXT_MAX || strncmp(text, MARK, mark) != 0 ||
	    sodium_base642bin(token, sizeof(token), text + mark, len - mark, NULL, &n, NULL,
			      sodium_base64_VARIANT_URLSAFE_NO_PADDING) != 0 ||
	    n <= KEY_SIGNATURE)
		return false;
	n -= KEY_SIGNATURE;
	return n <= BODY_MAX && key_verify(public, bytes, to_sign(token, n, bytes), token + n) &&
	       unpack_plan(token, n, ret);
}

/* Each text behind what it is and how long it is, so that no two lists are one. */
static void hash_texts(struct digest *state, uint8_t what, const char *const *text, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint8_t head[9];
		struct packer p = {.data = head, .room = sizeof(head)};
		pack_uint(&p, what, 1);
		pack_uint(&p, strlen(text[i]), 8);
		digest_add(state, head, sizeof(head));
		digest_add(state, text[i], strlen(text[i]));
	}
}

void plan_rest(const struct request *r, uint8_t ret[KEEPER_SHA256])
{
	struct digest state;

	memset(ret, 0, KEEPER_SHA256);
	if (!r->argc && !r->envc && !r->execc && !r->netc && !r->venv)
		return;
	digest_init(&state);
	hash_texts(&state, 'a', r->argv, r->argc);
	hash_texts(&state, 'e', r->env, r->envc);
	hash_texts(&state, 'x', r->exec, r->execc);
	hash_texts(&state, 'n', r->net, r->netc);
	hash_texts(&state, 'v', &r->venv, r->venv != NULL);
	digest_end(&state, ret);
}

static int check_ask(const struct domain *d, const struct plan *p, struct err *err)
{
	if (d->floor.integrity < INTEGRITY_TOOL) {
		err_set(err, ERR_REFUSED, "something untrusted has been read in this domain");
		err_cure(err, "plan before anything is read, or have a person approve the run");
		return -1;
	}
	if (p->runs == 0 || p->runs > PLAN_RUNS_MAX || p->to_us <= p->from_us ||
	    p->to_us - p->from_us > PLAN_TIME_MAX_US)
		return err_set(err, ERR_INPUT, "a plan has 1 to %d runs in at most 30 days",
			       PLAN_RUNS_MAX);
	if (strnlen(p->lang, sizeof(p->lang)) > PLAN_LANG_MAX ||
	    strnlen(p->suffix, sizeof(p->suffix)) > PLAN_SUFFIX_MAX || p->caps & ~CAP_ALL ||
	    p->least >= INTEGRITY_COUNT || p->most >= SECRECY_COUNT)
		return err_set(err, ERR_USAGE, "that is no plan");
	return 0;
}

static void log_plan(struct store_tx *tx, const struct plan *p)
{
	AUTO_JCS struct jcs j = {0};
	char hex[ID_HEX], id[RECORD_REF_MAX], dom[RECORD_REF_MAX];
	const char *refs[] = {id, dom};
	struct err err;

	jcs_init(&j, RECORD_BODY_MAX);
	jcs_int(&j, "caps", p->caps);
	jcs_hex(&j, "code_sha256", p->code_sha256, sizeof(p->code_sha256));
	jcs_str(&j, "domain", id_hex(&p->domain, hex));
	snprintf(dom, sizeof(dom), "dom:%s", hex);
	jcs_int(&j, "epoch", p->epoch);
	jcs_int(&j, "from", (int64_t)p->from_us);
	jcs_str(&j, "id", id_hex(&p->id, hex));
	snprintf(id, sizeof(id), "plan:%s", hex);
	jcs_str(&j, "lang", p->lang);
	jcs_hex(&j, "policy_sha256", p->policy_sha256, sizeof(p->policy_sha256));
	jcs_hex(&j, "rest_sha256", p->rest_sha256, sizeof(p->rest_sha256));
	jcs_int(&j, "runs", p->runs);
	jcs_str(&j, "suffix", p->suffix);
	jcs_int(&j, "to", (int64_t)p->to_us);
	if (jcs_finish(&j, &err) < 0)
		tx->failed = err;
	else
		store_append(tx, RECORD_PLAN, refs, ARRAY_SIZE(refs), &j);
}

int plan_mint(struct keeper *k, const struct domain *d, const struct plan *ask, char *token,
	      struct err *err)
{
	static const uint8_t none[RUNS_BYTES];
	AUTO_TX struct store_tx tx = {0};
	struct plan plan = *ask;
	char key[ID_HEX];

	if (check_ask(d, ask, err) < 0)
		return -1;
	id_random(&plan.id);
	plan.domain = d->id;
	plan.epoch = d->epoch;
	log_plan(&tx, &plan);
	domain_expect(d, &tx); /* if anything was read meanwhile, there is no token */
	store_put(&tx, STORE_PLAN, id_hex(&plan.id, key), none, sizeof(none), STORE_NEW);
	if (store_commit(k->store, &tx, err) < 0)
		return -1;
	write_token(k, &plan, token);
	return 0;
}

static const char *const words[PLAN_ANSWERS] = {
	[PLAN_NONE] = "there is no plan",
	[PLAN_GOOD] = "the code is exactly what was planned",
	[PLAN_FORGED] = "the token is not one of ours",
	[PLAN_OTHER_CODE] = "the plan is for other code",
	[PLAN_OTHER_LANG] = "the plan is for another language",
	[PLAN_OTHER_SUFFIX] = "the plan is for a file whose name ends otherwise",
	[PLAN_OTHER_DOMAIN] = "the plan belongs to another conversation",
	[PLAN_OTHER_EPOCH] = "the plan is of an earlier conversation",
	[PLAN_OTHER_POLICY] = "the plan was made under another policy",
	[PLAN_OTHER_REST] = "the plan is for other arguments or another environment",
	[PLAN_MORE_CAPS] = "the run asks for more than was planned",
	[PLAN_INPUTS] = "the inputs are not what the plan allows",
	[PLAN_MAKES_CODE] = "it may make code of what it is given",
	[PLAN_MODULES] = "an unplanned module that it names, or its settings, is in its workspace",
	[PLAN_PROGRAMS] = "an untrusted run could write what it may start or import",
	[PLAN_EARLY] = "the plan is not good yet",
	[PLAN_LATE] = "the plan has expired",
	[PLAN_SPENT] = "the plan's runs are used up",
};

const char *plan_answer_words(enum plan_answer answer)
{
	return words[answer];
}

enum plan_answer plan_check(const uint8_t public[KEY_PUBLIC], const char *token,
			    const struct plan_use *use, struct plan *ret)
{
	static const uint8_t nothing[KEEPER_SHA256];
	struct plan p = {0};
	bool ours = read_token(public, token, &p);
	const struct {
		bool wrong;
		enum plan_answer answer;
	} checks[] = {
		{!ours, PLAN_FORGED},
		{memcmp(p.code_sha256, use->code_sha256, KEEPER_SHA256) != 0, PLAN_OTHER_CODE},
		{strcmp(p.lang, use->lang) != 0, PLAN_OTHER_LANG},
		{strcmp(p.suffix, use->suffix) != 0, PLAN_OTHER_SUFFIX},
		{!id_is_same(&p.domain, &use->domain->id), PLAN_OTHER_DOMAIN},
		{p.epoch != use->domain->epoch, PLAN_OTHER_EPOCH},
		{memcmp(p.policy_sha256, use->policy_sha256, KEEPER_SHA256) != 0,
		 PLAN_OTHER_POLICY},
		{memcmp(p.rest_sha256, use->rest_sha256 ? use->rest_sha256 : nothing,
			KEEPER_SHA256) != 0,
		 PLAN_OTHER_REST},
		{use->caps & ~p.caps, PLAN_MORE_CAPS},
		{use->inputs->integrity < p.least || use->inputs->secrecy > p.most, PLAN_INPUTS},
		{use->now_us < p.from_us, PLAN_EARLY},
		{use->now_us >= p.to_us, PLAN_LATE},
	};

	*ret = p;
	for (size_t i = 0; i < ARRAY_SIZE(checks); i++)
		if (checks[i].wrong)
			return checks[i].answer;
	return PLAN_GOOD;
}

int plan_spend(struct keeper *k, const struct plan *plan, struct store_tx *tx,
	       enum plan_answer *ret, struct err *err)
{
	AUTO_ITEM struct store_item item = {0};
	uint8_t row[RUNS_BYTES];
	struct packer p = {.data = row, .room = sizeof(row)};
	char key[ID_HEX];

	*ret = PLAN_SPENT;
	if (store_get(k->store, STORE_PLAN, id_hex(&plan->id, key), &item, err) < 0)
		return -1;
	struct unpacker u = {.data = item.value, .len = item.len};
	uint64_t used = unpack_uint(&u, RUNS_BYTES);
	/* A row that is lost is a plan that is spent. */
	if (!item.version || !unpack_is_done(&u) || used >= plan->runs)
		return 0;
	pack_uint(&p, used + 1, RUNS_BYTES);
	store_put(tx, STORE_PLAN, key, row, p.len, item.version);
	*ret = PLAN_GOOD;
	return 0;
}
