/* SPDX-License-Identifier: MIT
 *
 * What becomes of requests that are over: as many as may be are kept, the oldest go, and neither
 * those nor an old copy of the database brings back what people agreed to.
 */
#include "approval_case.h"

static struct case_person anna;

static struct store *fresh(const char *name, int *dir)
{
	*dir = case_fresh(name);
	struct store *s = case_open(*dir);

	anna = case_person("anna");
	case_remove(&anna);
	scratch_must(case_enrol(&anna) == 0, "enrolling");
	return s;
}

static int count_items(void *context, const struct store_item *item, struct err *err)
{
	(void)item, (void)err;
	++*(int *)context;
	return 0;
}

static int items(struct store *s, const char *prefix)
{
	struct err err;
	int count = 0;

	scratch_must(store_list(s, STORE_APPROVAL, &(struct store_range){.prefix = prefix},
				count_items, &count, &err) == 0,
		     "listing");
	return count;
}

static bool is_there(struct store *s, const char *id)
{
	AUTO_APPROVAL struct approval a = {0};
	struct approval_code code = {0};
	struct err err;

	bool there =
		approval_load(s, id, &a, &err) == 0 && approval_load_code(s, &a, &code, &err) == 0;
	free((void *)code.data);
	return there;
}

/* Parks one in a conversation of its own and denies it. */
static void end_one(struct store *s, int number, char id[APPROVAL_ID + 1])
{
	struct approval_actor actor = {.uid = ADMIN};
	struct approval_request r = case_request();
	AUTO_APPROVAL struct approval a = {0};
	uint64_t now = CASE_NOW + (uint64_t)number;
	char name[32];
	struct err err;

	snprintf(name, sizeof(name), "conv-%d", number);
	r.conversation = name;
	memcpy(id, case_park(s, &r, now), APPROVAL_ID + 1);
	scratch_must(approval_load(s, id, &a, &err) == 0 &&
			     approval_deny(s, &a, &actor, "no", now, &err) == 0,
		     err.message);
}

/* All the items of one request, as an attacker with an old copy would restore them. */
struct copy {
	struct store_item item[3];
	char key[3][ITEM_KEY_MAX];
};

static void take_copy(struct store *s, const char *id, struct copy *ret)
{
	static const char *const what[] = {"req", "code", "status"};
	struct err err;

	for (int i = 0; i < 3; i++)
		scratch_must(store_get(s, STORE_APPROVAL, item_key(ret->key[i], what[i], NULL, id),
				       &ret->item[i], &err) == 0 &&
				     ret->item[i].version,
			     "an item");
}

static void put_back(struct store *s, const struct approval_request *r, const char *id,
		     struct copy *c)
{
	AUTO_TX struct store_tx tx = {0};
	uint8_t subject[APPROVAL_SHA256];
	char key[ITEM_KEY_MAX];
	struct err err;

	for (int i = 0; i < 3; i++) {
		store_put(&tx, STORE_APPROVAL, c->key[i], c->item[i].value, c->item[i].len,
			  STORE_NEW);
		store_item_done(&c->item[i]);
	}
	scratch_must(approval_digest(r, APPROVAL_SUBJECT, subject, &err) == 0, "a digest");
	store_put(&tx, STORE_APPROVAL, item_key(key, "sub", subject, id), "", 0, STORE_NEW);
	scratch_must(store_commit(s, &tx, &err) == 0, err.message);
}

static int is_found(void *context, const struct store_row *row, struct err *err)
{
	(void)context, (void)row, (void)err;
	return 1;
}

static void test_kept(void)
{
	int dir;
	struct store *s = fresh("kept", &dir);
	struct approval_request r = case_request();
	char first[APPROVAL_ID + 1], second[APPROVAL_ID + 1], id[APPROVAL_ID + 1], ref[64];
	struct copy copy;
	struct err err;

	strcpy(first, case_park(s, &r, CASE_NOW));
	ok(case_approve(s, first, &anna, SCOPE_ONCE, CASE_NOW, &err) == 0, "one is approved");
	take_copy(s, first, &copy);
	ok(case_use(s, &r, CASE_NOW) == 1, "and used");
	end_one(s, 1, second);
	for (int i = 2; i < APPROVAL_ENDED_MAX; i++)
		end_one(s, i, id);
	case_park(s, &r, CASE_NOW);
	ok(items(s, "over/") == APPROVAL_ENDED_MAX && is_there(s, first) && items(s, "last/") == 1,
	   "%d that are over can be looked at", APPROVAL_ENDED_MAX);
	end_one(s, APPROVAL_ENDED_MAX, id);
	r.lang = "awk";
	case_park(s, &r, CASE_NOW);
	ok(!is_there(s, first) && is_there(s, second) && is_there(s, id),
	   "with one more the oldest goes, and no other");
	ok(items(s, "over/") == APPROVAL_ENDED_MAX && items(s, "last/") == 0,
	   "with the name by which it was the last");
	ok(items(s, "req/") == APPROVAL_ENDED_MAX + 2 && items(s, "code/") == items(s, "req/") &&
		   items(s, "status/") == items(s, "req/"),
	   "and with everything else that was its");
	snprintf(ref, sizeof(ref), "apr:%s", first);
	ok(store_find(s, ref, 0, 1, is_found, NULL, &err) == 1, "the log still tells of it");
	r = case_request();
	put_back(s, &r, first, &copy);
	ok(case_state(s, first, CASE_NOW) == APPROVAL_APPROVED && case_use(s, &r, CASE_NOW) == 0,
	   "put back as it was approved, it covers nothing");
	ok(case_is_good(s, dir), "the log is good");
	store_close(s);
	close(dir);
}

static int settle(void *context, const char *id, struct err *err)
{
	AUTO_APPROVAL struct approval a = {0};

	return approval_load(context, id, &a, err) < 0 ||
			       approval_settle(context, &a, a.request.expires, err) < 0
		       ? -1
		       : 0;
}

/* Many that end at once go bit by bit, faster than others come. */
static void test_many(void)
{
	enum { MORE = 20 };
	int dir;
	struct store *s = fresh("many", &dir);
	struct approval_request r = case_request();
	char name[32];
	struct err err;

	r.conversation = name;
	for (int i = 0; i < APPROVAL_ENDED_MAX + MORE; i++) {
		if (i == APPROVAL_OPEN_MAX)
			scratch_must(approval_each(s, false, settle, s, &err) == 0, err.message);
		snprintf(name, sizeof(name), "conv-%d", i);
		case_park(s, &r, CASE_NOW);
	}
	scratch_must(approval_each(s, false, settle, s, &err) == 0, err.message);
	ok(items(s, "over/") == APPROVAL_ENDED_MAX + MORE, "%d expire at once",
	   APPROVAL_ENDED_MAX + MORE);
	case_park(s, &r, CASE_NOW + WAIT);
	int after_one = items(s, "over/");
	r.lang = "awk";
	case_park(s, &r, CASE_NOW + WAIT);
	ok(after_one < APPROVAL_ENDED_MAX + MORE - 1 && items(s, "over/") == APPROVAL_ENDED_MAX &&
		   items(s, "req/") == APPROVAL_ENDED_MAX + 2,
	   "with the next two requests they are as many as may be kept");
	store_close(s);
	close(dir);
}

static void sql(const char *both)
{
	char postgres[512];

	snprintf(postgres, sizeof(postgres), "SET search_path = cordon; %s;", both);
	case_sql("old", both, postgres);
}

static const char *approved(struct store *s, struct approval_request *r, enum scope scope)
{
	const char *id = case_park(s, r, CASE_NOW);
	struct err err;

	scratch_must(case_approve(s, id, &anna, scope, CASE_NOW, &err) == 0, err.message);
	return id;
}

/* An attacker restores the database from before an approval was used up. */
static void test_old_copy(void)
{
	struct approval_request r = case_request(), q = case_request();
	struct store *again = NULL;
	struct err err = {0};
	int dir;
	struct store *s = fresh("old", &dir);

	q.lang = "awk";
	approved(s, &r, SCOPE_ONCE);
	approved(s, &q, SCOPE_PROGRAM);
	sql(CASE_SAVE);
	ok(case_use(s, &q, CASE_NOW) == 1 && case_use(s, &r, CASE_NOW) == 1, "both are used");
	store_close(s);
	sql(CASE_RESTORE);
	struct store_options o = {.dir = dir, .url = case_url()};
	ok(store_open(&o, &again, &err) < 0 && err.code == ERR_REFUSED,
	   "so an old copy of the database brings nothing back: %s", err.message);
	close(dir);
}

int main(void)
{
	scratch_must(sodium_init() >= 0, "libsodium");
	const char *scratch = scratch_enter();

	test_kept();
	test_many();
	test_old_copy();
	scratch_leave(scratch);
	return tap_done();
}
