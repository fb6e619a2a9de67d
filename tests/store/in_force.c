/* SPDX-License-Identifier: MIT
 *
 * Which policy decides is on record: the first, every other one after it, nothing while it stays the
 * same; and of two runs that decide by different ones at the same time one must decide again.
 */
#include "store/in_force.h"
#include "base/scope.h"
#include "case.h"
#include "store/trace.h"

static const uint8_t first[IN_FORCE_SHA256] = {1, 0xab}, second[IN_FORCE_SHA256] = {2};

static void tell(struct store *s, const uint8_t *sha256, const char *file, struct store_tx *tx)
{
	struct in_force policy = {.sha256 = sha256, .profile = "strict", .file = file};
	const char *refs[] = {"run:p", "conv:d"};

	in_force_record(s, &policy, refs, ARRAY_SIZE(refs), tx);
	case_add(tx, RECORD_REQUEST, "run:p", 1);
}

/* 0, or what the commit says. */
static uint32_t decide(struct store *s, const uint8_t *sha256, const char *file)
{
	AUTO_TX struct store_tx tx = {0};
	struct err err = {0};

	tell(s, sha256, file, &tx);
	if (store_commit(s, &tx, &err) < 0)
		printf("# %s: %s\n", err.message, err.cause);
	return err.code;
}

/* The newest body, and how many there are. */
struct found {
	size_t count;
	uint64_t seq;
	char body[1024];
};

static int take(void *context, const struct store_row *row, struct err *err)
{
	struct found *f = context;
	struct record r;

	if (record_decode(row->bytes, row->len, &r, err) < 0 || r.kind != RECORD_POLICY ||
	    r.body.len >= sizeof(f->body))
		return -1;
	f->count++;
	f->seq = row->seq;
	memcpy(f->body, r.body.data, r.body.len);
	f->body[r.body.len] = '\0';
	return 0;
}

static struct found look(struct store *s)
{
	struct found f = {0};
	struct err err = {0};

	if (store_find(s, IN_FORCE_REF, 0, 0, take, &f, &err) < 0)
		printf("# %s\n", err.message);
	return f;
}

#define ZEROS_28 "00000000000000000000000000000000000000000000000000000000"
#define FIRST "01ab0000" ZEROS_28
#define SECOND "02000000" ZEROS_28

static void test_changes(struct store *s)
{
	scratch_must(decide(s, first, NULL) == 0, "a decision");
	struct found f = look(s);
	ok(f.count == 1 &&
		   !strcmp(f.body, "{\"policy_sha256\":\"" FIRST "\",\"profile\":\"strict\"}"),
	   "the first policy is told: %s", f.body);
	uint64_t size = 0;
	struct err err;
	ok(store_size(s, &size, &err) == 0 && f.seq == size - 2, "before what it has decided");
	ok(decide(s, first, NULL) == 0 && look(s).count == 1, "the same again is not");
	scratch_must(decide(s, second, "/etc/p.yaml") == 0, "a decision");
	f = look(s);
	ok(f.count == 2 &&
		   !strcmp(f.body, "{\"file\":\"/etc/p.yaml\",\"from\":\"" FIRST
				   "\",\"policy_sha256\":\"" SECOND "\",\"profile\":\"strict\"}"),
	   "another one is, with the one before: %s", f.body);
	ok(decide(s, first, NULL) == 0 && look(s).count == 3, "and back again");
}

/* OTHER writes after WAITING was made and before it is committed. */
static bool meets(int dir, const uint8_t *waiting, const uint8_t *other)
{
	AUTO_STORE struct store *a = case_open(dir), *b = case_open(dir);
	AUTO_TX struct store_tx tx = {0};
	struct err err = {0};

	tell(a, waiting, NULL, &tx);
	scratch_must(decide(b, other, NULL) == 0, "the other");
	return store_commit(a, &tx, &err) < 0 && err.code == ERR_CONFLICT;
}

static void test_two(struct store *s, int dir)
{
	ok(meets(dir, second, second), "two processes change it: one has to decide again");
	ok(meets(dir, second, first),
	   "one process keeps what another changes: it has to decide again too");
	scratch_must(decide(s, second, NULL) == 0, "a change");
	ok(!meets(dir, second, second), "two processes that keep it do not conflict");
}

/* Of which kind each is, as bits, and how many are of policies. */
struct told {
	int policies;
	unsigned kinds;
};

static int count_policy(void *context, const struct store_row *row, const struct record *r,
			struct err *err)
{
	struct told *t = context;

	(void)row;
	(void)err;
	t->policies += r->kind == RECORD_POLICY;
	t->kinds |= 1U << r->kind;
	return 0;
}

static void test_trace(struct store *s)
{
	struct told run = {0}, policy = {0};
	struct err err;

	ok(trace_back(s, "run:p", count_policy, &run, &err) == 0 && run.policies > 0 &&
		   (size_t)run.policies == look(s).count,
	   "the run that brought it has it in its story");
	ok(trace_back(s, IN_FORCE_REF, count_policy, &policy, &err) == 0 &&
		   policy.policies == run.policies && policy.kinds == 1U << RECORD_POLICY,
	   "the policies' own story has no runs");
}

static void test_maxima(struct store *s)
{
	struct in_force policy = {.sha256 = first, .profile = "strict"};
	const char *refs[IN_FORCE_REFS_MAX + 1];

	for (size_t i = 0; i < ARRAY_SIZE(refs); i++)
		refs[i] = "run:q";
	for (size_t n = IN_FORCE_REFS_MAX; n <= ARRAY_SIZE(refs); n++) {
		AUTO_TX struct store_tx tx = {0};
		struct err err = {0};
		in_force_record(s, &policy, refs, n, &tx);
		ok((store_commit(s, &tx, &err) == 0) == (n == IN_FORCE_REFS_MAX), "%zu names of %d",
		   n, IN_FORCE_REFS_MAX);
	}
}

static void test_damage(struct store *s)
{
	AUTO_TX struct store_tx tx = {0};
	struct err err = {0};

	store_put(&tx, STORE_SETTING, "policy", "x", 1, STORE_ANY);
	scratch_must(store_commit(s, &tx, &err) == 0, "damage");
	ok(decide(s, first, NULL) == ERR_INPUT, "what is no hash is told, and nothing written");
}

int main(void)
{
	const char *scratch = scratch_enter();
	int dir = case_fresh("s");
	struct store *s = case_open(dir);

	test_changes(s);
	test_two(s, dir);
	test_trace(s);
	test_maxima(s);
	ok(case_is_good(s, dir), "the log verifies");
	test_damage(s);
	store_close(s);
	close(dir);
	scratch_leave(scratch);
	return tap_done();
}
