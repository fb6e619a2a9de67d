/* SPDX-License-Identifier: MIT
 *
 * Parking, deciding and using, against a real store: who may, when, how often, for what.
 */
#include "approval_case.h"

static struct case_person anna, ben, asker;

static struct store *fresh(int *dir)
{
	*dir = case_fresh("state");
	struct store *s = case_open(*dir);

	anna = case_person("anna", ANNA);
	ben = case_person("ben", BEN);
	asker = case_person("asker", ASKER);
	scratch_must(case_enrol(s, &anna, ADMIN) == 0 && case_enrol(s, &ben, ADMIN) == 0 &&
			     case_enrol(s, &asker, ADMIN) == 0,
		     "enrolling");
	return s;
}

static void test_once(struct store *s)
{
	struct approval_request r = case_request();
	struct err err;
	char id[APPROVAL_ID + 1];

	strcpy(id, case_park(s, &r, CASE_NOW));
	ok(case_state(s, id, CASE_NOW) == APPROVAL_PENDING, "what is parked is pending");
	ok(strcmp(case_park(s, &r, CASE_NOW + 5), id) == 0, "the same question is asked once");
	ok(approval_park(s, &r, case_bytes, WAIT, CASE_NOW, id, &err) == 1, "and that is said");
	ok(case_use(s, &r, CASE_NOW) == 0, "it covers nothing yet");
	ok(case_approve(s, id, &anna, SCOPE_ONCE, CASE_NOW, &err) == 0, "anna approves");
	ok(case_approve(s, id, &ben, SCOPE_ONCE, CASE_NOW, &err) < 0 && err.code == ERR_REFUSED,
	   "it is decided: no more words");
	ok(case_use(s, &r, CASE_NOW + 10) == 1, "one run is covered");
	ok(case_use(s, &r, CASE_NOW + 10) == 0, "a second is not");
	ok(case_state(s, id, CASE_NOW) == APPROVAL_USED, "it is used");
	ok(strcmp(case_park(s, &r, CASE_NOW + 20), id) != 0, "it is asked again");
}

static void test_any_change(struct store *s)
{
	struct approval_request r = case_request();
	struct err err;

	ok(case_approve(s, case_park(s, &r, CASE_NOW), &anna, SCOPE_ONCE, CASE_NOW, &err) == 0,
	   "approved");
	for (const struct field *f = request_fields; f->name; f++) {
		struct approval_request q = r;
		char *at = (char *)&q + f->offset;
		if (!(f->in >> APPROVAL_SUBJECT & 1))
			continue;
		if (f->type == FIELD_NUMBER)
			*(uint64_t *)at ^= 1;
		else if (f->type == FIELD_BYTES)
			at[0] ^= 1;
		else if (f->type == FIELD_TEXT)
			*(const char **)at = "other";
		else
			((struct approval_list *)at)->count--;
		ok(case_use(s, &q, CASE_NOW) <= 0, "another %s is not covered", f->name);
	}
	ok(case_use(s, &r, CASE_NOW) == 1, "the same is");
}

static void test_scopes(struct store *s)
{
	struct approval_request r = case_request(), elsewhere;
	struct err err;

	r.lang = "bash";
	ok(case_approve(s, case_park(s, &r, CASE_NOW), &anna, SCOPE_CONVERSATION, CASE_NOW, &err) ==
		   0,
	   "for the conversation");
	elsewhere = r;
	elsewhere.conversation = "conv-2";
	ok(case_use(s, &r, CASE_NOW) == 1 && case_use(s, &r, CASE_NOW) == 1, "as often as need be");
	ok(case_use(s, &elsewhere, CASE_NOW) == 0, "not in another conversation");
	ok(case_approve(s, case_park(s, &elsewhere, CASE_NOW), &ben, SCOPE_PROGRAM, CASE_NOW,
			&err) == 0,
	   "for the hash");
	elsewhere.conversation = "conv-3";
	elsewhere.evidence.count = 0;
	ok(case_use(s, &elsewhere, CASE_NOW) == 1, "in a conversation that is new");
	elsewhere.origin = ORIGIN_EXPOSED;
	ok(case_use(s, &elsewhere, CASE_NOW) == 1, "whatever was read meanwhile");
	elsewhere.grade = GRADE_ASKS;
	ok(case_use(s, &elsewhere, CASE_NOW) == 0, "not with a worse finding");
	elsewhere.grade = r.grade;
	ok(case_use(s, &elsewhere, CASE_NOW + TTL - 1) == 1, "up to its last moment");
	ok(case_use(s, &elsewhere, CASE_NOW + TTL) == 0, "and not after it");
	r.scope = SCOPE_ONCE;
	r.lang = "node";
	ok(case_approve(s, case_park(s, &r, CASE_NOW), &anna, SCOPE_PROGRAM, CASE_NOW, &err) < 0 &&
		   err.code == ERR_REFUSED,
	   "nobody gives more than the policy lets them");
}

/* Somebody who has two keys is one person. */
static void test_two_keys(struct store *s)
{
	struct case_person other = case_person("anna-again", ANNA);
	struct approval_request r = case_request();
	char id[APPROVAL_ID + 1];
	struct err err;

	r.name = "keys.py", r.lang = "ruby", r.approvers = 2;
	scratch_must(case_enrol(s, &other, ADMIN) == 0, "a second key");
	strcpy(id, case_park(s, &r, CASE_NOW));
	ok(case_approve(s, id, &anna, SCOPE_ONCE, CASE_NOW, &err) == 0 &&
		   case_approve(s, id, &other, SCOPE_ONCE, CASE_NOW, &err) == 0 &&
		   case_state(s, id, CASE_NOW) == APPROVAL_PENDING,
	   "two keys of one account are one person's");
	ok(case_approve(s, id, &ben, SCOPE_ONCE, CASE_NOW, &err) == 0 &&
		   case_use(s, &r, CASE_NOW) == 1,
	   "another account's is the second");
	scratch_must(approval_person_remove(s, other.name, ADMIN, &err) == 0, "and away");
}

static void test_time(struct store *s)
{
	struct approval_request r = case_request();
	char id[APPROVAL_ID + 1];
	struct err err;

	r.name = "late.py", r.lang = "perl";
	strcpy(id, case_park(s, &r, CASE_NOW));
	ok(strlen(id) * 4 >= 128, "nobody makes two requests of one id");
	ok(case_state(s, id, CASE_NOW + WAIT - 1) == APPROVAL_PENDING, "people have their time");
	ok(case_state(s, id, CASE_NOW + WAIT) == APPROVAL_EXPIRED, "and no more");
	ok(case_state(s, id, CASE_NOW - APPROVAL_CLOCK_MS - 1) == APPROVAL_EXPIRED,
	   "a clock that was set back is not believed");
	ok(case_approve(s, id, &anna, SCOPE_ONCE, CASE_NOW + WAIT, &err) < 0 &&
		   strstr(err.cause, "in time"),
	   "nobody can approve then, and it says so: %s", err.cause);
	ok(case_state(s, id, CASE_NOW) == APPROVAL_EXPIRED, "it is written down");
	ok(case_use(s, &r, CASE_NOW) == 0, "it covers nothing");
}

static void test_two(struct store *s)
{
	struct approval_request r = case_request();
	char id[APPROVAL_ID + 1];
	struct err err;

	r.approvers = 2;
	strcpy(id, case_park(s, &r, CASE_NOW));
	ok(case_approve(s, id, &anna, SCOPE_PROGRAM, CASE_NOW, &err) == 0, "the first of two");
	ok(case_state(s, id, CASE_NOW) == APPROVAL_PENDING && case_use(s, &r, CASE_NOW) == 0,
	   "is not enough");
	ok(case_approve(s, id, &anna, SCOPE_PROGRAM, CASE_NOW, &err) == 0 &&
		   case_state(s, id, CASE_NOW) == APPROVAL_PENDING,
	   "nor is the first again");
	ok(case_approve(s, id, &asker, SCOPE_PROGRAM, CASE_NOW, &err) < 0, "nor the requester");
	ok(case_approve(s, id, &ben, SCOPE_ONCE, CASE_NOW, &err) == 0 &&
		   case_state(s, id, CASE_NOW) == APPROVAL_APPROVED,
	   "the second is");
	ok(case_use(s, &r, CASE_NOW) == 1 && case_use(s, &r, CASE_NOW) == 0,
	   "the narrower word counts: once");
	ok(case_approve(s, case_park(s, &r, CASE_NOW), &anna, SCOPE_PROGRAM, CASE_NOW, &err) == 0,
	   "again, the first");
	ok(approval_person_remove(s, "anna", ADMIN, &err) == 0, "who then leaves");
	ok(case_approve(s, case_park(s, &r, CASE_NOW), &ben, SCOPE_PROGRAM, CASE_NOW, &err) == 0 &&
		   case_use(s, &r, CASE_NOW) == 0,
	   "so the second is alone");
	ok(case_enrol(s, &anna, ADMIN) == 0, "she comes back");
}

/* May the actor sign? NULL, or why not. */
static const char *why_not(struct approval_actor actor, bool single, uint64_t approvers)
{
	static struct err err;
	struct approval a = {.request = case_request(), .id = "0123456789abcdef0123456789abcdef"};

	a.request.single_user = single;
	a.request.approvers = approvers;
	return approval_may_sign(&a, &actor, &err) == 0 ? NULL : err.message;
}

static void test_actor(void)
{
	struct approval_actor own = {.uid = ASKER,
				     .has_terminal = true,
				     .key_protected = true,
				     .groupc = 1,
				     .group = {5}};
	struct approval_actor other = {.uid = ANNA}, in_box = other, child = own, bare = own,
			      blind = own;

	in_box.in_box = true;
	struct approval_actor deep = own;
	deep.has_more_parents = true;
	ok(why_not(deep, true, 1), "nor one whose parents cannot all be seen");
	child.groupc = 2, child.group[1] = 77;
	bare.key_protected = false;
	blind.has_terminal = false;
	ok(!why_not(other, false, 1), "another account may");
	ok(why_not(in_box, false, 1), "not from a box");
	ok(why_not(own, false, 1), "not the requester's account");
	ok(!why_not(own, true, 1), "but where the policy says single user");
	ok(why_not(child, true, 1), "not when the requester started it");
	ok(why_not(bare, true, 1), "not with a key that anybody can use");
	ok(why_not(blind, true, 1), "not without a terminal");
	ok(why_not(own, true, 2), "not where two must agree");
}

static void test_keys(struct store *s)
{
	struct case_person mallory = case_person("mallory", 1003), twin = anna;
	struct approval_request r = case_request();
	char id[APPROVAL_ID + 1];
	struct err err;

	r.name = "keys.py", r.lang = "ruby";
	strcpy(id, case_park(s, &r, CASE_NOW));
	ok(case_approve(s, id, &mallory, SCOPE_ONCE, CASE_NOW, &err) < 0 &&
		   strstr(err.message, "not enrolled"),
	   "a key that is not enrolled does not count");
	ok(case_enrol(s, &mallory, ASKER) == 0, "the requester enrols one");
	ok(case_approve(s, id, &mallory, SCOPE_ONCE, CASE_NOW, &err) < 0 &&
		   strstr(err.message, "enrolled the key"),
	   "it does not count for them");
	ok(approval_person_remove(s, "mallory", ADMIN, &err) == 0, "it is removed");
	twin.name = "anna2";
	ok(case_enrol(s, &twin, ADMIN) < 0, "one key has one name");
	twin = case_person("anna", ANNA), twin.key = mallory.key;
	ok(case_enrol(s, &twin, ADMIN) < 0, "one name has one key");
	ok(case_approve(s, id, &twin, SCOPE_ONCE, CASE_NOW, &err) < 0, "a name alone is nothing");
	ok(case_approve(s, id, &anna, SCOPE_ONCE, CASE_NOW, &err) == 0, "the right one is");
	ok(approval_person_remove(s, "anna", ADMIN, &err) == 0 && case_use(s, &r, CASE_NOW) == 0,
	   "and counts no more when it was removed");
	ok(case_enrol(s, &anna, ADMIN) == 0 && case_use(s, &r, CASE_NOW) == 1, "and again later");
	ok(approval_person_remove(s, "nobody", ADMIN, &err) < 0, "nobody cannot be removed");
	ok(!approval_name_is_good("a/b") && !approval_name_is_good("") &&
		   !approval_name_is_good("-x") && approval_name_is_good("Anna.B-1"),
	   "names are plain");
}

static void test_deny(struct store *s)
{
	struct approval_actor actor = {.uid = BEN};
	struct approval_request r = case_request();
	AUTO_APPROVAL struct approval a = {0};
	char id[APPROVAL_ID + 1], reason[APPROVAL_REASON_MAX + 2];
	struct err err;

	r.lang = "lua";
	strcpy(id, case_park(s, &r, CASE_NOW));
	ok(case_approve(s, id, &anna, SCOPE_PROGRAM, CASE_NOW, &err) == 0, "approved");
	scratch_must(approval_load(s, id, &a, &err) == 0, err.message);
	memset(reason, 'r', sizeof(reason));
	reason[APPROVAL_REASON_MAX + 1] = '\0';
	ok(approval_deny(s, &a, &actor, reason, CASE_NOW, &err) < 0 && err.code == ERR_LIMIT,
	   "a reason that is too long");
	reason[APPROVAL_REASON_MAX] = '\0';
	ok(approval_deny(s, &a, &actor, reason, CASE_NOW, &err) == 0, "and the longest");
	ok(case_state(s, id, CASE_NOW) == APPROVAL_DENIED && case_use(s, &r, CASE_NOW) == 0,
	   "what is denied covers nothing");
	ok(case_approve(s, id, &anna, SCOPE_PROGRAM, CASE_NOW, &err) < 0, "and stays so");
	ok(approval_deny(s, &a, &actor, "again", CASE_NOW, &err) < 0, "once is enough");
}

static int count_kind(void *context, const struct store_row *row, struct err *err)
{
	struct record r;

	if (record_decode(row->bytes, row->len, &r, err) < 0)
		return -1;
	((int *)context)[r.kind]++;
	return 0;
}

static int count_named(struct store *s, const char *what, const char *name)
{
	int kinds[RECORD_KINDS] = {0};
	char ref[RECORD_REF_MAX + 1];
	struct err err;

	snprintf(ref, sizeof(ref), "%s:%s", what, name);
	scratch_must(store_find(s, ref, 0, 0, count_kind, kinds, &err) == 0, err.message);
	return kinds[RECORD_APPROVAL];
}

static void test_log(struct store *s)
{
	int before[RECORD_KINDS] = {0}, after[RECORD_KINDS] = {0};
	struct approval_request r = case_request();
	char id[APPROVAL_ID + 1];
	struct err err;

	r.lang = "log", r.conversation = "conv-log";
	scratch_must(store_read(s, 0, 0, count_kind, before, &err) == 0, err.message);
	strcpy(id, case_park(s, &r, CASE_NOW));
	scratch_must(case_approve(s, id, &anna, SCOPE_ONCE, CASE_NOW, &err) == 0 &&
			     case_use(s, &r, CASE_NOW) == 1,
		     "a whole life");
	scratch_must(store_read(s, 0, 0, count_kind, after, &err) == 0, err.message);
	ok(after[RECORD_APPROVAL] - before[RECORD_APPROVAL] == 3,
	   "parked, approved and used: a record each");
	ok(count_named(s, "apr", id) == 3 && count_named(s, "aprend", id) == 1 &&
		   count_named(s, "conv", "conv-log") == 1,
	   "they are found by its name, the last one also by that of its end");
	ok(count_named(s, "src", case_evidence[0].source) > 0, "and by its sources");
	ok(after[RECORD_KEY] >= 3, "keys have theirs");
}

static void test_last(struct store *s)
{
	AUTO_APPROVAL struct approval a = {0}, last = {0};
	struct approval_request r = case_request();
	char first[APPROVAL_ID + 1], key[ITEM_KEY_MAX];
	AUTO_TX struct store_tx tx = {0};
	struct err err;

	r.conversation = "conv-last";
	strcpy(first, case_park(s, &r, CASE_NOW));
	scratch_must(approval_load(s, first, &a, &err) == 0, err.message);
	ok(approval_load_last(s, &a, &last, &err) == 0, "nothing was approved before");
	scratch_must(case_approve(s, first, &anna, SCOPE_ONCE, CASE_NOW, &err) == 0, err.message);
	r.caps = CAP_BIT(CAP_WRITE);
	approval_done(&a);
	scratch_must(approval_load(s, case_park(s, &r, CASE_NOW), &a, &err) == 0, err.message);
	ok(approval_load_last(s, &a, &last, &err) == 1 && strcmp(last.id, first) == 0,
	   "the last of that name in that conversation is known");
	approval_done(&last);
	store_put(&tx, STORE_APPROVAL, item_key(key, "req", NULL, first), "of another version", 18,
		  STORE_ANY);
	scratch_must(store_commit(s, &tx, &err) == 0, err.message);
	ok(approval_load_last(s, &a, &last, &err) == 0, "one that cannot be read is none");
}

int main(void)
{
	scratch_must(sodium_init() >= 0, "libsodium");
	const char *scratch = scratch_enter();
	int dir;
	struct store *s = fresh(&dir);

	test_once(s);
	test_any_change(s);
	test_scopes(s);
	test_time(s);
	test_two_keys(s);
	test_two(s);
	test_actor();
	test_keys(s);
	test_deny(s);
	test_log(s);
	test_last(s);
	store_close(s);
	close(dir);
	scratch_leave(scratch);
	return tap_done();
}
